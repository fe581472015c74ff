/** Where calls stand in an answer's text. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { segments } from "../../chat/static/chat/lib/segments.js";

const call = (id, offset) => ({ id, offset });

function outline(content, calls) {
  return segments(content, calls).map((part) => part.text ?? part.calls.map(({ id }) => id));
}

test("an answer without calls is one stretch of text", () => {
  assert.deepEqual(outline("Just words.", []), ["Just words."]);
});

test("a call stands where it was made", () => {
  assert.deepEqual(outline("I look. Found.", [call("a", 7)]), ["I look.", ["a"], " Found."]);
});

test("calls with nothing said between them are one group", () => {
  assert.deepEqual(outline("Look.\n\nDone.", [call("a", 5), call("b", 7)]), ["Look.", ["a", "b"], "Done."]);
});

test("offsets count code points", () => {
  assert.deepEqual(outline("😀😀 end", [call("a", 2)]), ["😀😀", ["a"], " end"]);
});

test("a call before its text has come stands at the end", () => {
  assert.deepEqual(outline("ab", [call("a", 99)]), ["ab", ["a"]]);
  assert.deepEqual(outline("", [call("a", 0)]), [["a"]]);
});
