/** A named set of functions that this program offers, and the calls to them that are under way. */

import { describe, RemotesError } from "./errors.js";
import { Events } from "./events.js";

/**
 * A remote, served over a {@link Connection}.
 *
 * It registers again whenever the connection comes back, but not after another owner took its name, nor after the
 * server refused it: then it takes another `connect()`. Events: `connected` (the reply to remote-connect),
 * `disconnected` (`{reason: "replaced"|"disconnected", by?}`), `failed` (a {@link RemotesError}: registering again
 * was refused).
 */
export class Remote extends Events {
  #connection;
  #about;
  #functions = new Map();
  #calls = new Map();
  #wanted = false;
  #registered = false; // in the present session
  #waiting = [];
  #listening = null;

  /**
   * @param {Connection} connection what to serve it over
   * @param {string} name unique among the user's remotes
   * @param {{title?: string, description?: string, client?: {program?: string, host?: string, title?: string}}}
   *   about what people are shown
   */
  constructor(connection, name, { title, description, client } = {}) {
    super();
    this.name = name.normalize("NFC");
    this.#connection = connection;
    this.#about = { title, description, client };
  }

  /**
   * Offer a function; returns the remote. Call `connect()` (again) to make it known.
   *
   * @param {object} definition `name`, `description`, `parameters` (JSON Schema of type object), and, where they
   *   help, `timeout` (seconds) and `confirm` (true: a person approves each call)
   * @param {(args: object, call: {signal: AbortSignal, progress: Function}) => any} handler its return value, or
   *   what its promise resolves with, is the result; what it throws is the error. `signal` aborts when the call
   *   is cancelled or the connection is lost; `progress(done, total, message)` tells how far it is.
   */
  function(definition, handler) {
    this.#functions.set(definition.name, { definition, handler });
    return this;
  }

  /** Take a function away again; call `connect()` to make it known. */
  remove(name) {
    this.#functions.delete(name);
    return this;
  }

  /** Register now, or as soon as there is a connection; resolves with the reply to remote-connect. */
  connect() {
    this.#wanted = true;
    this.#listen();
    if (this.#connection.status === "open") return this.#register();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Take the remote away; calls under way are aborted. */
  async disconnect() {
    const registered = this.#wanted && this.#connection.status === "open";
    this.#end("disconnected");
    this.#abortAll("disconnected");
    if (registered) await this.#connection.request("remote-disconnect", { remotename: this.name });
  }

  #listen() {
    if (this.#listening) return;
    const handlers = {
      welcome: () => this.#registerAgain(),
      status: ({ status }) => status !== "open" && this.#away(),
      "remote-call": (call) => call.remotename === this.name && this.#run(call),
      "remote-call-cancel": ({ requestId, reason }) => this.#abort(requestId, "cancelled", reason),
      "remote-disconnected": (event) => event.remotename === this.name && this.#lost(event),
    };
    this.#listening = Object.entries(handlers).map(([name, handler]) => this.#connection.on(name, handler));
  }

  async #register() {
    const functions = [...this.#functions.values()].map(({ definition }) => definition);
    const payload = { remotename: this.name, functions, ...this.#about, heartbeat: true };
    try {
      const reply = await this.#connection.request("remote-connect", payload);
      this.#registered = true;
      this.emit("connected", reply);
      return reply;
    } catch (error) {
      // Where a change was refused, what was registered before is still served.
      if (error.code !== "disconnected" && !this.#registered) this.#end("refused");
      throw error;
    }
  }

  async #registerAgain() {
    if (!this.#wanted) return;
    const waiting = this.#waiting.splice(0);
    try {
      const reply = await this.#register();
      for (const { resolve } of waiting) resolve(reply);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      if (error.code !== "disconnected") this.emit("failed", error);
    }
  }

  #lost({ reason, by }) {
    this.#end(reason);
    if (reason !== "replaced") this.#abortAll(reason);
    this.emit("disconnected", { reason, by });
  }

  #away() {
    this.#registered = false;
    this.#abortAll("disconnected");
  }

  #end(reason) {
    this.#wanted = false;
    this.#registered = false;
    const error = new RemotesError("disconnected", `The remote was taken away (${reason}).`);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    if (this.#calls.size === 0) this.#unlisten();
  }

  #unlisten() {
    for (const off of this.#listening ?? []) off();
    this.#listening = null;
  }

  async #run({ requestId, function: name, args }) {
    const stop = new AbortController();
    this.#calls.set(requestId, stop);
    const outcome = await this.#outcome(requestId, name, args, stop.signal);
    const counts = this.#calls.get(requestId) === stop && !stop.signal.aborted;
    this.#calls.delete(requestId);
    if (counts) this.#answer(requestId, outcome);
    if (!this.#wanted && this.#calls.size === 0) this.#unlisten();
  }

  #answer(requestId, outcome) {
    try {
      this.#connection.send("remote-call-result", { requestId, ...outcome });
    } catch (error) {
      if (error.code !== "too-large") throw error;
      const [what] = Object.keys(outcome);
      this.#connection.send("remote-call-result", { requestId, error: `The ${what} is too large. ${error.message}` });
    }
  }

  async #outcome(requestId, name, args, signal) {
    const offered = this.#functions.get(name);
    if (!offered) return { error: `${this.name} has no function ${name}.` };
    const progress = (done, total, message) =>
      this.#connection.send("remote-call-progress", { requestId, progress: done, total, message });
    try {
      return { result: asJson(await offered.handler(args, { signal, progress })) };
    } catch (error) {
      return { error: describe(error) };
    }
  }

  #abort(requestId, code, reason) {
    this.#calls.get(requestId)?.abort(new RemotesError(code, reason ?? "The call was cancelled."));
  }

  #abortAll(reason) {
    for (const requestId of [...this.#calls.keys()]) this.#abort(requestId, "disconnected", reason);
  }
}

/** `value` as plain JSON data; throws a TypeError saying why where it is none. */
function asJson(value) {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`The result is a ${typeof value}, which JSON can't express.`);
  return JSON.parse(text);
}
