/** How a message gets to the server, or stays where one can see it. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Outbox } from "../../chat/static/chat/state/outbox.js";

beforeEach(() => {
  const kept = new Map();
  globalThis.document = { body: { dataset: { userId: "1" } } };
  globalThis.localStorage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => kept.set(name, text),
    removeItem: (name) => kept.delete(name),
  };
});

class Refusal extends Error {
  constructor(code) {
    super("Not now.");
    this.code = code;
  }
}

/** An outbox whose server gives these outcomes, one after the other; `taken` is what it was given. */
function outboxWith(id, ...outcomes) {
  const taken = [];
  const outbox = new Outbox(id, async (message) => {
    taken.push(message);
    const outcome = outcomes.shift();
    if (outcome) throw outcome;
  });
  return { outbox, taken };
}

test("what is typed is sent without the white space around it, and the field is empty again", async () => {
  const { outbox, taken } = outboxWith("t");
  outbox.type("  hello \n");
  await outbox.sendDraft();
  assert.equal(taken[0].content, "hello");
  assert.equal(outbox.draft.value, "");
  assert.equal(outbox.outgoing.value, null);
});

test("a refused message stays with its reason, and goes again under the same key", async () => {
  const { outbox, taken } = outboxWith("t", new Refusal("unavailable"));
  await outbox.send("hello");
  assert.equal(outbox.outgoing.value.status, "failed");
  assert.equal(outbox.outgoing.value.error, "Not now.");
  await outbox.resend();
  assert.deepEqual(taken[0], taken[1]);
  assert.equal(outbox.outgoing.value, null);
});

test("a message that met no connection waits for it, and is then sent by itself", async () => {
  const { outbox, taken } = outboxWith("t", new Refusal("disconnected"));
  await outbox.send("hello");
  assert.equal(outbox.outgoing.value.status, "waiting");
  await outbox.resendWaiting();
  assert.equal(taken[1].key, taken[0].key);
});

test("a refused message is not sent again by itself", async () => {
  const { outbox, taken } = outboxWith("t", new Refusal("busy"));
  await outbox.send("hello");
  await outbox.resendWaiting();
  assert.equal(taken.length, 1);
});

test("a message taken back stands before what was typed meanwhile", async () => {
  const { outbox } = outboxWith("t", new Refusal("too-large"));
  await outbox.send("first");
  outbox.type("second");
  outbox.takeBack();
  assert.equal(outbox.draft.value, "first\n\nsecond");
  assert.equal(outbox.outgoing.value, null);
});

test("after a reload the message is still on its way, under the same key", async () => {
  const { outbox, taken } = outboxWith("t", new Refusal("disconnected"));
  await outbox.send("hello");
  const { outbox: reloaded, taken: takenLater } = outboxWith("t");
  await reloaded.resendWaiting();
  assert.deepEqual(takenLater, taken);
});

test("a new chat's message is not sent by itself after a reload, since nothing would notice a second one", async () => {
  const { outbox } = outboxWith(null, new Refusal("disconnected"));
  await outbox.send("hello");
  const { outbox: reloaded, taken } = outboxWith(null);
  assert.equal(reloaded.outgoing.value.status, "failed");
  await reloaded.resendWaiting();
  assert.deepEqual(taken, []);
});

test("the chat that becomes a thread takes its draft along", async () => {
  const { outbox } = outboxWith(null);
  outbox.type("half a thought");
  outbox.moveTo("t");
  assert.equal(outboxWith("t").outbox.draft.value, "half a thought");
  assert.equal(outboxWith(null).outbox.draft.value, "");
});
