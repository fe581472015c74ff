/** What survives a reload of what was typed. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { draftOf, keepDraft, moveDraft } from "../../chat/static/chat/lib/drafts.js";

beforeEach(() => {
  const kept = new Map();
  globalThis.document = { body: { dataset: { userId: "1" } } };
  globalThis.localStorage = {
    kept,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => kept.set(name, text),
    removeItem: (name) => kept.delete(name),
  };
});

test("each thread keeps its own draft", () => {
  keepDraft("a", { text: "for a" });
  keepDraft(null, { text: "for a new chat" });
  assert.equal(draftOf("a").text, "for a");
  assert.equal(draftOf(null).text, "for a new chat");
  assert.deepEqual(draftOf("b"), { text: "", sending: null });
});

test("a message on its way is kept beside what is typed next", () => {
  const sending = { key: "k", content: "first" };
  keepDraft("a", { text: "", sending });
  keepDraft("a", { text: "second" });
  assert.deepEqual(draftOf("a"), { text: "second", sending });
});

test("what one user of the browser typed is not the next one's", () => {
  keepDraft(null, { text: "for my eyes" });
  globalThis.document.body.dataset.userId = "2";
  assert.equal(draftOf(null).text, "");
  globalThis.document.body.dataset.userId = "1";
  assert.equal(draftOf(null).text, "for my eyes");
});

test("an empty draft leaves nothing behind", () => {
  keepDraft("a", { text: "x" });
  keepDraft("a", { text: "" });
  assert.equal(globalThis.localStorage.kept.size, 0);
});

test("the new chat's draft moves to the thread that it becomes", () => {
  keepDraft(null, { sending: { key: "k", content: "hello" } });
  moveDraft("a");
  assert.equal(draftOf("a").sending.content, "hello");
  assert.equal(draftOf(null).sending, null);
});

test("a browser that keeps nothing still lets one type", () => {
  globalThis.localStorage = { getItem: () => { throw new Error("denied"); }, setItem: () => { throw new Error("full"); } };
  keepDraft("a", { text: "x" });
  assert.deepEqual(draftOf("a"), { text: "", sending: null });
});
