/** One message of a thread: the protocol's object, and the texts that stream into it. */

import { signal } from "../vendor.js";
import { onceAFrame } from "../lib/frames.js";
import { LiveText } from "../lib/live-text.js";

export class Message {
  #live = { content: new LiveText(), reasoning: new LiveText() };
  #flush = onceAFrame(() => this.#settle());

  constructor(snapshot) {
    this.id = snapshot.id;
    /** The protocol's message; text that streams in joins it once per frame. */
    this.state = signal(null);
    this.replace(snapshot);
  }

  replace(snapshot) {
    for (const [part, live] of Object.entries(this.#live)) live.reset(snapshot[part] ?? "");
    this.state.value = snapshot;
  }

  /** Add to a text, "content" or "reasoning"; false on a gap. */
  add(part, offset, text) {
    const placed = this.#live[part].add(offset, text);
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
    const { content, reasoning = "" } = this.state.value;
    const live = { content: this.#live.content.text, reasoning: this.#live.reasoning.text };
    if (content === live.content && reasoning === live.reasoning) return;
    this.state.value = { ...this.state.value, ...live };
  }
}
