/** Calls that wait for a person, and the answers given; calls outside any thread are kept here. */

import { signal } from "../vendor.js";
import { announce } from "./notices.js";
import { connection, request } from "./session.js";

/** Calls made outside a thread that wait, or were just answered. */
export const outsideCalls = signal([]);

/** Let a call happen: `{args?, remember?: "thread"|"always"}`; rejects with a RemotesError. */
export async function approve(call, options) {
  await request("call-approve", { call: call.id, ...options });
}

/** Refuse a call; the reason is told to the model. */
export async function deny(call, reason) {
  await request("call-deny", { call: call.id, reason: reason || undefined });
}

export function dismissCall(id) {
  outsideCalls.value = outsideCalls.value.filter((call) => call.id !== id);
}

/** Forget what waits: the server tells it again after its welcome. */
export function forgetWaiting() {
  outsideCalls.value = outsideCalls.value.filter(({ status }) => status !== "awaiting-approval");
}

export function startApprovals() {
  connection.on("call-created", put);
  connection.on("call-updated", put);
}

function put({ message, call }) {
  const waits = call.status === "awaiting-approval";
  if (waits) announce(`${call.remotename} asks to run ${call.function}.`, { urgent: true });
  if (message !== null) return;
  const known = outsideCalls.value.some(({ id }) => id === call.id);
  if (known) outsideCalls.value = outsideCalls.value.map((old) => (old.id === call.id ? call : old));
  else if (waits) outsideCalls.value = [...outsideCalls.value, call];
}
