/** What browser tabs are called as remotes. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { freeTabName, isTabName } from "../../chat/static/chat/lib/tab-names.js";

test("the first tab has the plain name, the next ones a number", () => {
  assert.equal(freeTabName(() => false), "this-tab");
  assert.equal(freeTabName((name) => ["this-tab", "this-tab-2"].includes(name)), "this-tab-3");
});

test("names of tabs are told from others", () => {
  assert.deepEqual(["this-tab", "this-tab-12", "this-table", "laptop"].map(isTabName), [true, true, false, false]);
});
