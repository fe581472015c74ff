/** One thread as it lives in the page: its messages, its remotes, its run. */

import { batch, computed, signal } from "../vendor.js";
import { withMessage } from "../lib/branch.js";
import { recall, remember } from "../lib/storage.js";
import { isTabName } from "../lib/tab-names.js";
import { Branches } from "./branches.js";
import { Message } from "./message.js";
import { note } from "./notices.js";
import { Outbox } from "./outbox.js";
import { checkLength, request } from "./session.js";
import { tab } from "./tab.js";

const NEW_CHAT_REMOTES = "newChatRemotes";

export class Thread {
  /** @param {string|null} id null for the chat that the server does not know yet */
  constructor(id) {
    this.id = id;
    /** The protocol's thread. */
    this.about = signal({ title: "", model: null, remotes: id ? [] : newChatRemotes() });
    this.messages = signal([]);
    /** Whether there are messages before the first one here. */
    this.more = signal(false);
    /** "loading", "ready", or the sentence that says why it could not be opened. */
    this.phase = signal(id ? "loading" : "ready");
    this.outbox = new Outbox(id, (message) => this.#deliver(message));
    this.branches = new Branches((reply) => this.#taken(reply));
    this.running = this.#some((state) => state.status === "streaming");
    /** Whether a call waits for an approval. */
    this.asking = this.#some((state) => state.calls.some(({ status }) => status === "awaiting-approval"));
    /** The model that the thread names, or that answered last; null where neither is known. */
    this.model = computed(() => this.about.value.model ?? this.#lastModel());
  }

  #some(test) {
    return computed(() => this.messages.value.some((message) => test(message.state.value)));
  }

  #lastModel() {
    return this.messages.value.findLast((message) => message.state.value.model)?.state.value.model ?? null;
  }

  find(messageId) {
    return this.messages.value.find(({ id }) => id === messageId);
  }

  /** Read what there is, and have the events from there on. */
  async open() {
    if (!this.id) return;
    try {
      this.#show(await request("thread-open", { thread: this.id }));
    } catch (error) {
      if (error.code !== "disconnected") this.phase.value = error.message;
    }
  }

  #show({ thread, messages, more }) {
    const place = this.messages.value.findIndex(({ id }) => id === messages[0]?.id);
    const earlier = this.messages.value.slice(0, Math.max(place, 0));
    batch(() => {
      this.about.value = thread;
      this.messages.value = [...earlier, ...messages.map((snapshot) => this.#current(snapshot))];
      if (earlier.length === 0) this.more.value = more;
      this.phase.value = "ready";
    });
  }

  #current(snapshot) {
    const known = this.find(snapshot.id);
    known?.replace(snapshot);
    return known ?? new Message(snapshot);
  }

  /** Read the page of messages before the first one here. */
  async loadEarlier() {
    const before = this.messages.value[0].id;
    try {
      const { messages, more } = await request("thread-open", { thread: this.id, before });
      const fresh = messages.filter(({ id }) => !this.find(id)).map((snapshot) => new Message(snapshot));
      this.messages.value = [...fresh, ...this.messages.value];
      this.more.value = more;
    } catch (error) {
      note(`Earlier messages could not be read: ${error.message}`, "fault");
    }
  }

  /** A message as the server has it now, known here or new; a new one may begin another branch. */
  put(snapshot) {
    const known = this.find(snapshot.id);
    if (known) return known.replace(snapshot);
    const next = withMessage(this.messages.value, new Message(snapshot), snapshot.parent);
    if (!next) return this.open();
    const isMine = snapshot.role === "user" && snapshot.content === this.outbox.outgoing.value?.content;
    batch(() => {
      this.messages.value = next;
      if (snapshot.parent === null) this.more.value = false;
      if (isMine) this.outbox.settled();
    });
  }

  #taken({ message }) {
    if (!this.find(message.id)) this.put(message);
  }

  /** The last question that is shown, or undefined. */
  lastQuestion() {
    return this.messages.value.findLast((message) => message.state.value.role === "user");
  }

  /** Switch a remote on or off for this thread; for a new chat that is remembered for the next ones as well. */
  async switchRemote(name, on) {
    const others = this.about.value.remotes.filter((other) => other !== name);
    const remotes = on ? [...others, name] : others;
    if (!this.id) rememberForNewChats(remotes);
    await this.#change({ remotes }, `${name} could not be switched`);
  }

  /** Have another model answer from now on; null is the server's default. */
  async chooseModel(model) {
    await this.#change({ model }, "The model was not changed");
  }

  /** Change the thread at once, and back where the server refuses: then `fault` begins the sentence that says so. */
  async #change(change, fault) {
    const before = this.about.value;
    this.about.value = { ...before, ...change };
    if (!this.id) return;
    try {
      await request("thread-update", { thread: this.id, ...change });
    } catch (error) {
      this.#undo(change, before);
      note(`${fault}: ${error.message}`, "fault");
    }
  }

  /** Put back what is still as `change` made it; what came later stays. */
  #undo(change, before) {
    const now = this.about.value;
    const undone = Object.keys(change).filter((key) => now[key] === change[key]);
    this.about.value = { ...now, ...Object.fromEntries(undone.map((key) => [key, before[key]])) };
  }

  async #deliver(message) {
    checkLength(message.content);
    const resources = this.messages.value.length === 0 ? this.about.value.remotes.map(asResource) : undefined;
    if (!this.id) await this.#create();
    this.#taken(await request("message-send", { thread: this.id, ...message, resources }));
  }

  async #create() {
    const { remotes, model } = this.about.value;
    const { thread } = await request("thread-create", { remotes, model: model ?? undefined });
    this.id = thread.id;
    this.about.value = thread;
    this.outbox.moveTo(thread.id);
    this.onCreated(thread);
  }

  /** After a break: send what could not be sent. */
  async resendWaiting() {
    await this.outbox.resendWaiting();
    await this.branches.resendWaiting();
  }

  /** End the answer that is being written; what there is of it stays. */
  async stop() {
    try {
      await request("run-stop", { thread: this.id });
    } catch (error) {
      note(`The answer could not be stopped: ${error.message}`, "fault");
    }
  }
}

/** What was switched on for the last new chat, and this tab where it is connected. */
function newChatRemotes() {
  const { status, name } = tab.value;
  return [...recall(NEW_CHAT_REMOTES, []), ...(status === "on" ? [name] : [])];
}

function rememberForNewChats(remotes) {
  remember(NEW_CHAT_REMOTES, remotes.filter((name) => !isTabName(name)));
}

function asResource(name) {
  return { kind: "system", subkind: "remote", content: name };
}
