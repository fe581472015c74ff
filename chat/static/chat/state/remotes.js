/** The user's remotes: those connected now, and those that left while the page was open. */

import { computed, signal } from "../vendor.js";
import { counted, whereItRuns } from "../lib/text.js";
import { announce } from "./notices.js";
import { connection, request } from "./session.js";

/** `{name: remote}` as remote-list gives them, in its order. */
const live = signal(new Map());
const gone = signal(new Map());

/** False until the list has been read once. */
export const remotesKnown = signal(false);

/** Names that another program took over while the page watched, with the sentence that says so. */
export const takeovers = signal(new Map());

/** Whether the remotes could be read: null, or the sentence that says why not. */
export const remotesFault = signal(null);

/** Names that connected while the page was open, newest first, with the time. */
export const arrivals = signal([]);

/** Every remote to show, `{name, remote (null: never seen by this page), here}`; `wanted` are names switched on. */
export function remoteRows(wanted) {
  const names = new Set([...live.value.keys(), ...gone.value.keys(), ...wanted]);
  return [...names].sort((a, b) => a.localeCompare(b)).map((name) => ({
    name,
    remote: live.value.get(name) ?? gone.value.get(name) ?? null,
    here: live.value.has(name),
  }));
}

export const liveCount = computed(() => live.value.size);

/** A connected remote by name, or undefined. */
export function liveRemote(name) {
  return live.value.get(name);
}

/** What is known of a remote, connected or not. */
export function knownRemote(name) {
  return live.value.get(name) ?? gone.value.get(name);
}

export function forgetTakeover(name) {
  takeovers.value = new Map([...takeovers.value].filter(([other]) => other !== name));
}

let reading = false;
let again = false;

/** Read the list; while it is being read, one more reading is enough for any number of changes. */
export async function loadRemotes() {
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  try {
    settle(await readAll());
    remotesFault.value = null;
  } catch (error) {
    if (error.code !== "disconnected") remotesFault.value = error.message;
  } finally {
    reading = false;
  }
  if (again) {
    again = false;
    await loadRemotes();
  }
}

async function readAll() {
  const all = [];
  for (let more = true; more; ) {
    const reply = await request("remote-list", { after: all.at(-1)?.remotename });
    all.push(...reply.remotes);
    more = reply.more && reply.remotes.length > 0;
  }
  return new Map(all.map((remote) => [remote.remotename, remote]));
}

function settle(next) {
  const before = live.value;
  if (remotesKnown.value) {
    for (const [name, remote] of next) if (!before.has(name)) arrived(name, remote);
    for (const [name, remote] of before) compare(name, remote, next.get(name));
  }
  gone.value = new Map([...gone.value, ...before].filter(([name]) => !next.has(name)));
  live.value = next;
  remotesKnown.value = true;
}

function arrived(name, remote) {
  arrivals.value = [{ name, at: Date.now() }, ...arrivals.value];
  announce(`${name} is connected, with ${counted(remote.functions.length, "function")}.`);
}

function compare(name, before, now) {
  if (!now) announce(`${name} went away.`);
  else if (now.session !== before.session && !now.own && !before.own) takenOver(name, before, now);
}

function takenOver(name, before, now) {
  const [here, there] = [whereItRuns(now.client), whereItRuns(before.client)];
  const other = here === there ? "another start of the same program" : there;
  const sentence = `${here} took over the name ${name} from ${other}. A name has one owner: the earlier one let go.`;
  takeovers.value = new Map(takeovers.value).set(name, sentence);
  arrivals.value = [{ name, at: Date.now() }, ...arrivals.value];
  announce(sentence);
}

/** Take a remote away, whoever serves it. */
export function disconnectRemote(name) {
  return request("remote-disconnect", { remotename: name });
}

export function startRemotes() {
  connection.on("remotes-changed", loadRemotes);
}
