/** Other versions of a thread's messages: writing a question anew, asking for another answer, showing another one. */

import { signal } from "../vendor.js";
import { randomKey } from "../lib/random.js";
import { note } from "./notices.js";
import { checkLength, request } from "./session.js";

export class Branches {
  #taken;
  /** A regenerate that got no reply: `{message, key}`. */
  #unsure = null;

  /** @param {(reply: {message: object}) => void} taken is told what the server made of a request */
  constructor(taken) {
    this.#taken = taken;
    /** The question that is being written anew, `{message, text, status, key?, error?, fromComposer}`, or null;
     * `status` is "open", "sending", or "waiting" (for the connection). */
    this.editing = signal(null);
    /** Whether another answer has been asked for and the server has not said yes yet. */
    this.asking = signal(false);
    /** Where the focus belongs once another version is shown: `{message, direction}`, or null. */
    this.arriving = null;
  }

  /** Begin to write a question anew. */
  edit({ id, content }, { fromComposer = false } = {}) {
    this.editing.value = { message: id, text: content, status: "open", fromComposer };
  }

  /** Keep what is typed; other words are another message, which goes under a key of its own. */
  type(text) {
    this.editing.value = { ...this.editing.value, text, status: "open", key: undefined, error: undefined };
  }

  /** Leave the question as it is. */
  cancel() {
    this.editing.value = null;
  }

  /** Send the question that was written anew; it stays in its field until the server has it. */
  async sendEdit() {
    const edit = { ...this.editing.value, key: this.editing.value.key ?? randomKey() };
    const { message, text, key } = edit;
    this.editing.value = { ...edit, status: "sending", error: undefined };
    try {
      checkLength(text.trim());
      this.#taken(await request("message-edit", { message, content: text.trim(), key }));
      this.editing.value = null;
    } catch (error) {
      const waiting = error.code === "disconnected";
      this.editing.value = { ...edit, ...(waiting ? { status: "waiting" } : { status: "open", error: error.message }) };
    }
  }

  /** Have the agent answer once more. */
  async regenerate(message) {
    if (this.asking.peek()) return;
    const key = this.#unsure?.message === message ? this.#unsure.key : randomKey();
    this.#unsure = null;
    this.asking.value = true;
    try {
      this.#taken(await request("message-regenerate", { message, key }));
    } catch (error) {
      if (error.code === "disconnected") this.#unsure = { message, key };
      note(`The agent was not asked again: ${error.message}`, "fault");
    } finally {
      this.asking.value = false;
    }
  }

  /** After a break: send what could not be sent. */
  async resendWaiting() {
    if (this.editing.peek()?.status === "waiting") await this.sendEdit();
  }

  /** Show the branch that leads through a message; `direction` is the arrow that was pressed, "before" or "after". */
  async select(message, direction) {
    this.arriving = { message, direction };
    try {
      await request("message-select", { message });
    } catch (error) {
      this.arriving = null;
      note(`The other version is not shown: ${error.message}`, "fault");
    }
  }
}
