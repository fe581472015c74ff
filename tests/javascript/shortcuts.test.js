/** Which keys mean what, and how that is told. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { matching } from "../../chat/static/chat/lib/matching.js";
import { keyNames, SHORTCUTS, shortcutOf } from "../../chat/static/chat/lib/shortcuts.js";

const bare = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };
const press = (key, ...held) => shortcutOf({ ...bare, key, ...Object.fromEntries(held.map((name) => [name, true])) });

test("Ctrl and the command key mean the same", () => {
  assert.equal(press("k", "ctrlKey"), "palette");
  assert.equal(press("k", "metaKey"), "palette");
  assert.equal(press("O", "ctrlKey", "shiftKey"), "new-chat");
  assert.equal(press("Escape", "shiftKey"), "focus");
});

test("a sign that needs Shift on some keyboards counts with it and without", () => {
  assert.equal(press("/", "ctrlKey"), "help");
  assert.equal(press("/", "ctrlKey", "shiftKey"), "help");
  assert.equal(press(":", "ctrlKey", "shiftKey"), "copy-code");
});

test("keys alone, or with others held, are no shortcut", () => {
  assert.equal(press("k"), null);
  assert.equal(press("Escape"), null);
  assert.equal(press("k", "ctrlKey", "altKey"), null);
  assert.equal(press("k", "ctrlKey", "shiftKey"), null);
});

test("keys are named as on this system's keyboard", () => {
  const { told } = SHORTCUTS.find(({ id }) => id === "new-chat");
  assert.deepEqual(keyNames(told, false), ["Ctrl", "Shift", "O"]);
  assert.deepEqual(keyNames(told, true), ["⌘", "Shift", "O"]);
});

test("an entry is found by any of its words, in any order and case", () => {
  const entries = [{ label: "Switch laptop on in this chat" }, { label: "New chat" }];
  assert.deepEqual(matching(entries, "LAP switch"), [entries[0]]);
  assert.deepEqual(matching(entries, "chat"), entries);
  assert.deepEqual(matching(entries, " "), entries);
  assert.deepEqual(matching(entries, "laptop new"), []);
});
