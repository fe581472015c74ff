/** What the page tells beside the conversation: sentences for screen readers, and short notes in a corner. */

import { signal } from "../vendor.js";

const NOTE_TIME = 8_000; // milliseconds
const SPOKEN_TIME = 5_000; // milliseconds; long enough for a screen reader to pick it up

export const notes = signal([]);
export const spoken = signal([]);

let lastId = 0;

function put(list, item, time) {
  const entry = { ...item, id: ++lastId };
  list.value = [...list.value, entry];
  setTimeout(() => drop(list, entry.id), time);
  return entry.id;
}

function drop(list, id) {
  list.value = list.value.filter((entry) => entry.id !== id);
}

/** Have a screen reader say a sentence when it has a moment, or at once where it is `urgent`. */
export function announce(sentence, { urgent = false } = {}) {
  put(spoken, { sentence, urgent }, SPOKEN_TIME);
}

/** Show a note for a while; `kind` is "plain" or "fault". */
export function note(sentence, kind = "plain") {
  put(notes, { sentence, kind }, NOTE_TIME);
  announce(sentence, { urgent: kind === "fault" });
}

/** Take a note away before its time. */
export function dismiss(id) {
  drop(notes, id);
}
