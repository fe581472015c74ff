/** How a streaming message grows from parts that come with offsets. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { LiveText } from "../../chat/static/chat/lib/live-text.js";

function grown(start, ...parts) {
  const live = new LiveText(start);
  const placed = parts.map(([offset, part]) => live.add(offset, part));
  return { text: live.text, placed };
}

test("parts in order make the text", () => {
  assert.deepEqual(grown("", [0, "Hello "], [6, "world"]), { text: "Hello world", placed: [true, true] });
});

test("a part that is here already changes nothing", () => {
  assert.equal(grown("Hello world", [0, "Hello "], [6, "world"]).text, "Hello world");
});

test("of a part that overlaps, only the new end is taken", () => {
  assert.equal(grown("Hello wo", [6, "world"]).text, "Hello world");
});

test("a gap is reported and the text stays", () => {
  assert.deepEqual(grown("Hel", [6, "world"]), { text: "Hel", placed: [false] });
});

test("offsets count code points, not UTF-16 units", () => {
  assert.equal(grown("😀😀", [2, "!"]).text, "😀😀!");
  assert.equal(grown("😀", [0, "😀é"]).text, "😀é");
});
