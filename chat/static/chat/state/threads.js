/** The list of threads in the sidebar. */

import { signal } from "../vendor.js";
import { request } from "./session.js";

const PAGE = 50; // threads
const FOUND = 12; // threads

export const threads = signal([]);
export const moreThreads = signal(false);
export const query = signal("");

/** "loading", "ready", or the sentence that says why the list could not be read. */
export const listState = signal("loading");

let asked = 0;

/** Read the list afresh. */
export async function loadThreads() {
  await readPage({ limit: PAGE }, (page) => page);
}

/** Read the next page of older threads. */
export async function loadMoreThreads() {
  const before = threads.value.at(-1)?.id;
  await readPage({ limit: PAGE, before }, (page) => [...threads.value, ...page]);
}

async function readPage(payload, join) {
  const turn = ++asked;
  try {
    const reply = await request("thread-list", { ...payload, query: query.value.trim() || undefined });
    if (turn !== asked) return;
    threads.value = join(reply.threads);
    moreThreads.value = reply.more;
    listState.value = "ready";
  } catch (error) {
    if (turn === asked && error.code !== "disconnected") listState.value = error.message;
  }
}

/** Look for threads; the newest wish counts. */
export function search(words) {
  query.value = words;
  return loadThreads();
}

/** Put a thread that is new or changed where it belongs. */
export function placeThread(thread) {
  const others = threads.value.filter(({ id }) => id !== thread.id);
  if (others.length === threads.value.length && query.value) return;
  threads.value = [...others, thread].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
}

export function dropThread(id) {
  threads.value = threads.value.filter((thread) => thread.id !== id);
}

/** Some threads that hold these words; those of the list, by their title, where the server can't be asked. */
export async function findThreads(words) {
  try {
    return (await request("thread-list", { query: words.trim(), limit: FOUND })).threads;
  } catch {
    return threads.peek().filter(({ title }) => title.toLowerCase().includes(words.trim().toLowerCase())).slice(0, FOUND);
  }
}
