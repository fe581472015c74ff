/** A thread as a document. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { asJson, asMarkdown, fileName } from "../../chat/static/chat/lib/transcript.js";

const thread = { id: "t", title: "Disk check" };
const question = { role: "user", content: "How much is left?", calls: [], status: "done" };
const call = {
  remotename: "laptop", function: "disk_free", status: "done", offset: 7, args: { path: "/" }, result: { gb: 41 },
  duration: 0.21,
};
const answer = { role: "assistant", content: "I look.41 GB.", calls: [call], status: "done", model: "qwen" };

test("the document reads like the chat, with each call in its place", () => {
  assert.equal(
    asMarkdown(thread, [question, answer]),
    [
      "# Disk check", "## You", "How much is left?", "## qwen", "I look.", "**laptop · disk_free** (done in 0.2 s)",
      '```json\n{\n  "path": "/"\n}\n```', '```json\n{\n  "gb": 41\n}\n```', "41 GB.\n",
    ].join("\n\n"),
  );
});

test("an answer that ended otherwise says so, and a failed call its error", () => {
  const failed = { ...call, status: "error", error: "no such disk", result: undefined };
  const text = asMarkdown(thread, [{ ...answer, calls: [failed], status: "stopped" }]);
  assert.match(text, /\(error in 0\.2 s\)/);
  assert.match(text, /no such disk/);
  assert.match(text, /\*\(stopped\)\*/);
});

test("text with fences in it is fenced by longer ones", () => {
  const text = asMarkdown(thread, [{ ...answer, calls: [{ ...call, result: "a\n````\nb" }] }]);
  assert.match(text, /\n`{5}\na\n````\nb\n`{5}\n/);
});

test("the JSON holds the thread and its messages as they are", () => {
  assert.deepEqual(JSON.parse(asJson(thread, [question, answer])), { thread, messages: [question, answer] });
});

test("a file is called after the title", () => {
  assert.equal(fileName("Disk check: /home?", "md"), "disk-check-home.md");
  assert.equal(fileName("空き容量", "json"), "空き容量.json");
  assert.equal(fileName("…", "md"), "chat.md");
});
