/** What a thread may choose of a server's models. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { modelChoices } from "../../chat/static/chat/lib/models.js";

const models = [
  { id: "qwen", name: "qwen", endpoint: "Desk", default: true },
  { id: "cloud/big", name: "big", endpoint: "Cloud", default: false },
  { id: "demo", name: "demo", endpoint: "", default: false },
];

const labels = ({ groups }) => groups.flatMap(([, choices]) => choices.map(({ label }) => label));

test("the default is what nothing chosen means, and is marked", () => {
  const choices = modelChoices(models, null);
  assert.equal(choices.value, "");
  assert.deepEqual(labels(choices), ["qwen (default)", "big", "Demo model"]);
  assert.equal(modelChoices(models, "qwen").value, "");
});

test("models are grouped by where they run", () => {
  assert.deepEqual(modelChoices(models, "cloud/big").groups.map(([endpoint]) => endpoint), ["Desk", "Cloud", ""]);
});

test("a chosen model that is gone stays chosen, and says so", () => {
  const choices = modelChoices(models, "old");
  assert.equal(choices.value, "old");
  assert.equal(labels(choices)[0], "old (not there now)");
});

test("where there is no default, that is a choice of its own", () => {
  const choices = modelChoices([models[2]], null);
  assert.deepEqual(labels(choices), ["Server’s default", "Demo model"]);
});
