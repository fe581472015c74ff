/** What was typed and not yet taken by the server, per thread; "new" stands for the chat that has no id yet. */

import { recall, remember } from "./storage.js";

const name = (thread) => `draft.${thread ?? "new"}`;

/** `{text, sending}`: the unsent text, and the message on its way (`{key, content}`) or null. */
export function draftOf(thread) {
  return { text: "", sending: null, ...recall(name(thread), {}) };
}

/** Change parts of a thread's draft; an empty one is forgotten. */
export function keepDraft(thread, change) {
  const draft = { ...draftOf(thread), ...change };
  remember(name(thread), draft.text || draft.sending ? draft : null);
}

/** Hand the new chat's draft to the thread that it became. */
export function moveDraft(thread) {
  keepDraft(thread, draftOf(null));
  remember(name(null), null);
}
