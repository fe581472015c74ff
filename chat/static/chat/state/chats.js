/** Which thread is shown, which others are still followed, and the events that change them. */

import { signal } from "../vendor.js";
import { haveTaught } from "./layout.js";
import { announce, note } from "./notices.js";
import { connection, request } from "./session.js";
import { Thread } from "./thread.js";
import { dropThread, loadThreads, placeThread } from "./threads.js";

/** The threads whose events this page gets, by id: the shown one, and those left while they were answering. */
const followed = signal(new Map());

/** The shown thread. */
export const current = signal(null);

/** What a followed thread is busy with, "answering", "asking" (for an approval) or null. */
export function activityOf(id) {
  const thread = followed.value.get(id);
  if (!thread?.running.value) return null;
  return thread.asking.value ? "asking" : "answering";
}

/** Whether this page gets a thread's events. */
export function isFollowed(id) {
  return followed.peek().has(id);
}

/** Show the thread that the address names. */
export function showAddress() {
  const id = location.pathname.match(/^\/t\/([^/]+)/)?.[1] ?? null;
  show(id && decoded(id));
}

/** What was never encoded names no thread, as the server will say. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Go to a thread, or with null to a new chat. */
export function goTo(id) {
  history.pushState(null, "", id ? `/t/${encodeURIComponent(id)}` : "/");
  show(id);
}

function show(id) {
  const left = current.peek();
  if (left && left.id === id && id) return;
  current.value = (id && followed.peek().get(id)) || follow(new Thread(id));
  if (left?.id && left !== current.value) letGo(left);
}

function follow(thread) {
  if (thread.id) {
    followed.value = new Map(followed.peek()).set(thread.id, thread);
    thread.open().then(() => thread.resendWaiting());
  } else {
    thread.onCreated = (about) => adopt(thread, about);
  }
  return thread;
}

function adopt(thread, about) {
  followed.value = new Map(followed.peek()).set(about.id, thread);
  placeThread(about);
  if (current.peek() === thread) history.replaceState(null, "", `/t/${encodeURIComponent(about.id)}`);
}

function letGo(thread) {
  if (thread.running.peek() || thread === current.peek()) return;
  unfollow(thread.id);
  request("thread-close", { thread: thread.id }).catch(() => {}); // without a connection nothing is followed anyway
}

function unfollow(id) {
  followed.value = new Map([...followed.peek()].filter(([other]) => other !== id));
}

/** After a break: everything that is followed is read again, and what was on its way is sent again. */
export async function catchUp() {
  loadThreads();
  const all = new Set([...followed.peek().values(), current.peek()]);
  await Promise.all([...all].filter(Boolean).map(async (thread) => {
    await thread.open();
    await thread.resendWaiting();
  }));
}

/** Give a thread another title. */
export async function renameThread(id, title) {
  try {
    const { thread } = await request("thread-update", { thread: id, title });
    placeThread(thread);
    const open = followed.peek().get(id);
    if (open) open.about.value = thread;
  } catch (error) {
    note(`The chat was not renamed: ${error.message}`, "fault");
  }
}

/** Delete a thread for good; true when it is gone. */
export async function deleteThread(id) {
  try {
    await request("thread-delete", { thread: id });
    forget(id);
    return true;
  } catch (error) {
    note(`The chat was not deleted: ${error.message}`, "fault");
    return false;
  }
}

function forget(id) {
  dropThread(id);
  unfollow(id);
  if (current.peek()?.id === id) {
    history.replaceState(null, "", "/");
    show(null);
  }
}

function holderOf(messageId) {
  return [...followed.peek().values()].find((thread) => thread.find(messageId));
}

const idOf = (value) => (typeof value === "object" && value !== null ? value.id : value);

const events = {
  "message-created": ({ message }) => followed.peek().get(idOf(message.thread))?.put(message),
  "message-delta": (part) => putText("content", part),
  "message-reasoning": (part) => putText("reasoning", part),
  "message-finished": ({ message }) => {
    const thread = followed.peek().get(idOf(message.thread));
    thread?.put(message);
    if (thread && thread === current.peek()) announceAnswer(message);
  },
  "call-created": putCall,
  "call-updated": putCall,
  "run-finished": ({ run }) => finished(idOf(run.thread)),
  "thread-changed": ({ thread }) => changed(thread),
  "thread-deleted": ({ thread }) => forget(thread),
};

function putText(which, { message, offset, text }) {
  const thread = holderOf(message);
  if (thread && !thread.find(message).add(which, offset, text)) thread.open();
}

function putCall({ message, call }) {
  if (message === null) return;
  holderOf(message)?.find(message).putCall(call);
  if (call.status === "done") haveTaught();
}

function finished(id) {
  const thread = followed.peek().get(id);
  loadThreads();
  if (!thread || thread === current.peek()) return;
  announce(`${thread.about.peek().title || "A chat"} has its answer.`);
  letGo(thread);
}

function changed(about) {
  placeThread(about);
  followed.peek().get(about.id)?.open();
}

const ENDINGS = {
  stopped: "The answer was stopped.",
  failed: "The answer failed.",
  interrupted: "The answer was interrupted.",
};
const SPOKEN_LENGTH = 600; // characters

function announceAnswer({ status, content, error }) {
  const ending = ENDINGS[status];
  if (ending) announce(`${ending} ${error ?? ""}`, { urgent: status === "failed" });
  else announce(`Answer: ${content.replace(/[*_`#>|]/g, "").slice(0, SPOKEN_LENGTH)} ${error ?? ""}`);
}

/** Follow the protocol's chat events and the browser's history. */
export function startChats() {
  for (const [name, handler] of Object.entries(events)) connection.on(name, handler);
  addEventListener("popstate", showAddress);
  showAddress();
}
