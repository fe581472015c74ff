/** One thread as it lives in the page: its messages, its run, and what is on its way to the server. */

import { batch, computed, signal } from "../vendor.js";
import { draftOf, keepDraft, moveDraft } from "../lib/drafts.js";
import { onceAFrame } from "../lib/frames.js";
import { LiveText } from "../lib/live-text.js";
import { randomKey } from "../lib/random.js";
import { recall, remember } from "../lib/storage.js";
import { note } from "./notices.js";
import { request } from "./session.js";

const NEW_CHAT_REMOTES = "newChatRemotes";

/** A message: `state` is the protocol's object; text that streams in joins it once per frame. */
class Message {
  #live;
  #flush = onceAFrame(() => this.#settle());

  constructor(snapshot) {
    this.id = snapshot.id;
    this.role = snapshot.role;
    this.state = signal(snapshot);
    this.#live = new LiveText(snapshot.content);
  }

  replace(snapshot) {
    this.#live.reset(snapshot.content);
    this.state.value = snapshot;
  }

  /** False on a gap. */
  add(offset, text) {
    const placed = this.#live.add(offset, text);
    if (placed) this.#flush();
    return placed;
  }

  putCall(call) {
    this.#settle();
    const calls = this.state.value.calls;
    const known = calls.some(({ id }) => id === call.id);
    const next = known ? calls.map((old) => (old.id === call.id ? { ...old, ...call } : old)) : [...calls, call];
    this.state.value = { ...this.state.value, calls: next };
  }

  #settle() {
    if (this.state.value.content === this.#live.text) return;
    this.state.value = { ...this.state.value, content: this.#live.text };
  }
}

export class Thread {
  /** @param {string|null} id null for the chat that the server does not know yet */
  constructor(id) {
    this.id = id;
    this.about = signal({ title: "", model: null, remotes: id ? [] : recall(NEW_CHAT_REMOTES, []) });
    this.messages = signal([]);
    /** What is typed and not sent. */
    this.draft = signal(draftOf(id).text);
    this.more = signal(false);
    /** "loading", "ready", or the sentence that says why it could not be opened. */
    this.phase = signal(id ? "loading" : "ready");
    /** What was sent and not confirmed yet: `{key, content, status: "sending"|"waiting"|"failed", error?}`. */
    this.outgoing = signal(null);
    this.running = computed(() => this.messages.value.some((message) => message.state.value.status === "streaming"));
    /** The model that the thread names, or that answered last. */
    this.model = computed(() => this.about.value.model ?? this.messages.value.findLast(hasModel)?.state.value.model ?? null);
    /** Whether one of its calls waits for an approval. */
    this.asking = computed(() => this.messages.value.some((message) => message.state.value.calls.some(isAsking)));
    this.#restoreOutgoing();
  }

  find(messageId) {
    return this.messages.value.find((message) => message.id === messageId);
  }

  /** Fetch what there is, and have the events from there on. */
  async open() {
    if (!this.id) return;
    try {
      const { thread, messages, more } = await request("thread-open", { thread: this.id });
      batch(() => {
        this.about.value = thread;
        const earlier = this.#before(messages[0]);
        this.messages.value = [...earlier, ...messages.map((snapshot) => this.#current(snapshot))];
        if (earlier.length === 0) this.more.value = more;
        this.phase.value = "ready";
      });
    } catch (error) {
      if (error.code !== "disconnected") this.phase.value = error.message;
    }
  }

  /** Fetch the page of messages before the first one here. */
  async loadEarlier() {
    const before = this.messages.value[0]?.id;
    try {
      const { messages, more } = await request("thread-open", { thread: this.id, before });
      const known = new Set(this.messages.value.map(({ id }) => id));
      const fresh = messages.filter(({ id }) => !known.has(id)).map((snapshot) => new Message(snapshot));
      this.messages.value = [...fresh, ...this.messages.value];
      this.more.value = more;
    } catch (error) {
      note(`Earlier messages could not be read: ${error.message}`, "fault");
    }
  }

  /** What was read before and comes earlier than a fresh page that begins with `first`. */
  #before(first) {
    const place = this.messages.value.findIndex(({ id }) => id === first?.id);
    return this.messages.value.slice(0, Math.max(place, 0));
  }

  #current(snapshot) {
    const known = this.find(snapshot.id);
    known?.replace(snapshot);
    return known ?? new Message(snapshot);
  }

  /** A message as the server has it now, known here or new. */
  put(snapshot) {
    const known = this.find(snapshot.id);
    const mine = this.outgoing.value;
    batch(() => {
      if (known) known.replace(snapshot);
      else this.messages.value = [...this.messages.value, new Message(snapshot)];
      if (!known && snapshot.role === "user" && mine?.content === snapshot.content) this.#sent();
    });
  }

  /** Switch a remote on or off for this thread. */
  async switchRemote(name, on) {
    const others = this.about.value.remotes.filter((other) => other !== name);
    const before = this.about.value;
    this.about.value = { ...before, remotes: on ? [...others, name] : others };
    if (!this.id) return remember(NEW_CHAT_REMOTES, this.about.value.remotes);
    try {
      await request("thread-update", { thread: this.id, remotes: this.about.value.remotes });
    } catch (error) {
      this.about.value = before;
      note(`${name} could not be switched: ${error.message}`, "fault");
    }
  }

  /** Keep what is typed, also over a reload. */
  type(text) {
    this.draft.value = text;
    keepDraft(this.id, { text });
  }

  /** Send what was typed. It stays on the page, and in this browser, until the server has it. */
  async send() {
    const sending = { key: randomKey(), content: this.draft.value.trim() };
    this.draft.value = "";
    keepDraft(this.id, { text: "", sending });
    await this.#deliver(sending);
  }

  /** Try again to send what failed; the key keeps it from being taken twice. */
  async resend() {
    const { key, content } = this.outgoing.value;
    await this.#deliver({ key, content });
  }

  /** Put what failed back where it was typed. */
  takeBack() {
    const { content } = this.outgoing.value;
    this.type([content, this.draft.value].filter(Boolean).join("\n\n"));
    this.#sent();
  }

  #restoreOutgoing() {
    const { sending } = draftOf(this.id);
    if (!sending) return;
    // A new chat has no id under which the key would keep it from being sent twice, so a person decides.
    const unsure = { status: "failed", error: "The page was closed before this was sent." };
    this.outgoing.value = { ...sending, ...(this.id ? { status: "waiting" } : unsure) };
  }

  async #deliver(sending) {
    this.outgoing.value = { ...sending, status: "sending" };
    try {
      const first = !this.id || this.messages.value.length === 0;
      if (!this.id) await this.#create();
      const reply = await request("message-send", {
        thread: this.id,
        ...sending,
        resources: first ? this.about.value.remotes.map(asResource) : undefined,
      });
      this.#sent();
      if (!this.find(reply.message.id)) this.put(reply.message);
    } catch (error) {
      const status = error.code === "disconnected" ? "waiting" : "failed";
      this.outgoing.value = { ...sending, status, error: error.message };
    }
  }

  async #create() {
    const { thread } = await request("thread-create", { remotes: this.about.value.remotes });
    this.id = thread.id;
    this.about.value = thread;
    moveDraft(thread.id);
    this.onCreated?.(thread);
  }

  #sent() {
    this.outgoing.value = null;
    keepDraft(this.id, { sending: null });
  }

  async stop() {
    try {
      await request("run-stop", { thread: this.id });
    } catch (error) {
      note(`The answer could not be stopped: ${error.message}`, "fault");
    }
  }
}

function hasModel(message) {
  return Boolean(message.state.value.model);
}

function isAsking({ status }) {
  return status === "awaiting-approval";
}

function asResource(name) {
  return { kind: "system", subkind: "remote", content: name };
}
