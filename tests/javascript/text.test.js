/** How the page words numbers, times and arguments. */

import assert from "node:assert/strict";
import { test } from "node:test";

import * as text from "../../chat/static/chat/lib/text.js";

test("strings are counted in code points", () => {
  assert.equal(text.countPoints("a😀é"), 3);
  assert.equal(text.indexOfPoint("a😀b", 2), 3);
  assert.equal(text.indexOfPoint("ab", 9), 2);
});

test("arguments are shown in short, on one line", () => {
  assert.equal(text.shortArgs({ path: "/", deep: true }), 'path="/"  deep=true');
  assert.equal(text.shortArgs({ text: `a\n${"b".repeat(90)}` }).length, "text=".length + 40);
  assert.equal(text.shortArgs({}), "");
  assert.equal(text.shortArgs('{"path": "/very/long'), '{"path": "/very/long');
});

test("shortening never splits a character", () => {
  assert.equal(text.short("😀😀😀😀", 3), "😀😀…");
});

test("durations read like a person would say them", () => {
  assert.deepEqual([0.04, 0.24, 9.96, 59.4, 125].map(text.duration), ["0.0 s", "0.2 s", "10 s", "59 s", "2 min 5 s"]);
});

test("threads are grouped by day, as the reader's clock has it", () => {
  const now = new Date(2026, 10, 30, 9, 0);
  const at = (...parts) => text.dayGroup(new Date(...parts).toISOString(), now);
  assert.equal(at(2026, 10, 30, 0, 1), "Today");
  assert.equal(at(2026, 10, 29, 23, 59), "Yesterday");
  assert.equal(at(2026, 10, 25), "This week");
  assert.equal(at(2026, 10, 5), "This month");
  assert.equal(at(2025, 3, 1), "2025");
});

test("where a remote runs is said with what it tells of itself", () => {
  assert.equal(text.whereItRuns({ program: "remotes-client", host: "pi", title: "x.py" }), "remotes-client on pi · x.py");
  assert.equal(text.whereItRuns({ host: "pi" }), "pi");
  assert.equal(text.whereItRuns(undefined), "an unnamed program");
});

test("the built-in model is named as what it is", () => {
  assert.equal(text.modelName("demo"), "Demo model");
  assert.equal(text.modelName("qwen3"), "qwen3");
  assert.equal(text.modelName(null), "");
});

test("one function, two functions", () => {
  assert.equal(text.counted(1, "function"), "1 function");
  assert.equal(text.counted(2, "function"), "2 functions");
});

test("tokens are told together, and apart where both are known", () => {
  assert.deepEqual(text.tokens({ prompt: 1200, completion: 34, total: 1234 }), {
    short: "1,234 tokens",
    long: "1,200 read, 34 written",
  });
  assert.equal(text.tokens({ completion: 5 }).short, "5 tokens");
  assert.equal(text.tokens({}), null);
  assert.equal(text.tokens(undefined), null);
});
