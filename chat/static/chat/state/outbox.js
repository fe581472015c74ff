/** What was typed in a thread and is not at the server yet: the draft, and the message on its way. */

import { signal } from "../vendor.js";
import { draftOf, keepDraft, moveDraft } from "../lib/drafts.js";
import { randomKey } from "../lib/random.js";

export class Outbox {
  #id;
  #deliver;

  /**
   * @param {string|null} id the thread's, null for a chat that the server does not know yet
   * @param {(message: {key: string, content: string}) => Promise} deliver has the server take the message; the key
   *   keeps it from being taken twice
   */
  constructor(id, deliver) {
    this.#id = id;
    this.#deliver = deliver;
    const { text, sending } = draftOf(id);
    this.draft = signal(text);
    /** `{key, content, status: "sending"|"waiting" (for the connection)|"failed", error?}`, or null. */
    this.outgoing = signal(sending && { ...sending, ...restored(id) });
  }

  /** The chat is known to the server now. */
  moveTo(id) {
    this.#id = id;
    moveDraft(id);
  }

  /** Keep what is typed, also over a reload. */
  type(text) {
    this.draft.value = text;
    keepDraft(this.#id, { text });
  }

  /** Send what is typed. */
  async sendDraft() {
    const content = this.draft.value.trim();
    this.type("");
    await this.send(content);
  }

  /** Send a message; it stays on the page, and in this browser, until the server has it. */
  async send(content) {
    const sending = { key: randomKey(), content };
    keepDraft(this.#id, { sending });
    await this.#try(sending);
  }

  /** Try again to send what failed. */
  async resend() {
    const { key, content } = this.outgoing.value;
    await this.#try({ key, content });
  }

  /** After a break: send what could not be sent. */
  async resendWaiting() {
    if (this.outgoing.peek()?.status === "waiting") await this.resend();
  }

  /** Put what failed back where it was typed. */
  takeBack() {
    const { content } = this.outgoing.value;
    this.type([content, this.draft.value].filter(Boolean).join("\n\n"));
    this.settled();
  }

  /** The server has the message. */
  settled() {
    this.outgoing.value = null;
    keepDraft(this.#id, { sending: null });
  }

  async #try(sending) {
    this.outgoing.value = { ...sending, status: "sending" };
    try {
      await this.#deliver(sending);
      this.settled();
    } catch (error) {
      const status = error.code === "disconnected" ? "waiting" : "failed";
      this.outgoing.value = { ...sending, status, error: error.message };
    }
  }
}

/** A new chat has no id under which the key would keep its message from being sent twice: a person decides. */
function restored(id) {
  return id ? { status: "waiting" } : { status: "failed", error: "The page was closed before this was sent." };
}
