/** One message of a thread: the protocol's object, and the text that streams into it. */

import { signal } from "../vendor.js";
import { onceAFrame } from "../lib/frames.js";
import { LiveText } from "../lib/live-text.js";

export class Message {
  #live;
  #flush = onceAFrame(() => this.#settle());

  constructor(snapshot) {
    this.id = snapshot.id;
    /** The protocol's message; text that streams in joins it once per frame. */
    this.state = signal(snapshot);
    this.#live = new LiveText(snapshot.content);
  }

  replace(snapshot) {
    this.#live.reset(snapshot.content);
    this.state.value = snapshot;
  }

  /** Add a part of the text; false on a gap. */
  add(offset, text) {
    const placed = this.#live.add(offset, text);
    if (placed) this.#flush();
    return placed;
  }

  /** Put a call that is new or changed. */
  putCall(call) {
    this.#settle();
    const { calls } = this.state.value;
    const known = calls.some(({ id }) => id === call.id);
    const next = known ? calls.map((old) => (old.id === call.id ? call : old)) : [...calls, call];
    this.state.value = { ...this.state.value, calls: next };
  }

  #settle() {
    if (this.state.value.content === this.#live.text) return;
    this.state.value = { ...this.state.value, content: this.#live.text };
  }
}
