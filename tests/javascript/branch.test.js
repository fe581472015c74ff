/** How a new message changes the branch that is shown, and where a message stands among its versions. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { versions, withMessage } from "../../chat/static/chat/lib/branch.js";

const shown = ["q1", "a1", "q2", "a2"].map((id) => ({ id }));

function after(parent) {
  return withMessage(shown, { id: "new" }, parent)?.map(({ id }) => id) ?? null;
}

test("a message after the last one is added", () => {
  assert.deepEqual(after("a2"), ["q1", "a1", "q2", "a2", "new"]);
});

test("a message after an earlier one takes the place of all that came after that", () => {
  assert.deepEqual(after("q1"), ["q1", "new"]);
});

test("a message without a parent takes the place of everything", () => {
  assert.deepEqual(after(null), ["new"]);
});

test("a message whose parent is not shown can't be placed", () => {
  assert.equal(after("elsewhere"), null);
});

test("a version knows its number and those beside it", () => {
  const siblings = ["a", "b", "c"];
  assert.deepEqual(versions({ id: "b", siblings }), { number: 2, count: 3, before: "a", after: "c" });
  assert.deepEqual(versions({ id: "a", siblings }), { number: 1, count: 3, before: null, after: "b" });
  assert.deepEqual(versions({ id: "x", siblings: ["x"] }), { number: 1, count: 1, before: null, after: null });
});
