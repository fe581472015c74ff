/** One session with a Remotes server: requests and replies, events, and coming back after a break. */

import { delay } from "./backoff.js";
import { RemotesError } from "./errors.js";
import { Events } from "./events.js";

const SUBPROTOCOL = "remotes.v1";
const UNAUTHENTICATED = 4401; // close code
const STEADY = 10_000; // milliseconds after which a session counts as a success
const SILENCE = 20_000; // milliseconds without a frame after which the server is asked for a sign of life
const PATIENCE = 10_000; // milliseconds that it has to give one

/**
 * A connection that keeps itself up.
 *
 * It comes back by itself after every close but two: `stop()`, and 4401, which says that the credential no
 * longer counts. A server that is silent for 20 seconds is asked for a sign of life; one that gives none within
 * 10 counts as gone. `request` is never repeated by itself: what was under way when the socket closed is rejected.
 */
export class Connection extends Events {
  #address;
  #protocols;
  #WebSocket;
  #socket = null;
  #status = "ended";
  #pending = new Map();
  #lastId = 0;
  #attempt = 0;
  #retryAfter = 0;
  #welcomedAt = null;
  #timer = null;
  #watch = null;
  #asked = false; // whether a sign of life is waited for

  /**
   * @param {string|URL} url the server (`http://host:8000`) or its socket (`ws://host:8000/ws/`); in a page it
   *   may be relative
   * @param {{token?: string, WebSocket?: Function}} options `token`: an access token; without one the browser's
   *   session cookie counts. `WebSocket`: an implementation, where there is no global one (Node before 22).
   */
  constructor(url, { token, WebSocket = globalThis.WebSocket } = {}) {
    super();
    if (!WebSocket) throw new TypeError("No WebSocket here: pass one as an option.");
    this.#address = socketAddress(url);
    this.#protocols = token ? [SUBPROTOCOL, `bearer.${token}`] : [SUBPROTOCOL];
    this.#WebSocket = WebSocket;
    /** What the server said at the start of the present session, or null. */
    this.welcome = null;
  }

  /** "connecting", "open" (after the server's welcome), "waiting" (for the next attempt) or "ended". */
  get status() {
    return this.#status;
  }

  /** Connect, and stay connected until `stop()`. */
  start() {
    if (this.#status !== "ended") return;
    this.#attempt = 0;
    this.#open();
  }

  /** Close, and stay closed. */
  stop() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#leave();
    this.#become("ended", { code: 1000, reason: "" });
    socket?.close(1000);
  }

  /** Try again now, where the connection is waiting to. */
  retry() {
    if (this.#status !== "waiting") return;
    clearTimeout(this.#timer);
    this.#open();
  }

  /** Ask for a sign of life now, for instance after a pause in which the server may have gone. */
  check() {
    if (this.#status !== "open" || this.#asked) return;
    this.#asked = true;
    this.send("ping", {}, String(++this.#lastId));
    this.#watchFor(PATIENCE, () => this.#giveUp());
  }

  /**
   * Send a request; resolves with the reply's payload.
   *
   * Rejects with a {@link RemotesError}: the protocol's code, `too-large` where the frame is longer than the server
   * takes (it was not sent), or `disconnected` where there was no connection, or it was lost before the reply came
   * (the request may have been carried out).
   */
  request(action, payload = {}) {
    return new Promise((resolve, reject) => {
      const id = String(++this.#lastId);
      if (!this.send(action, payload, id)) {
        reject(new RemotesError("disconnected", "There is no connection to the server right now."));
        return;
      }
      this.#pending.set(id, { resolve, reject });
    });
  }

  /**
   * Send a frame that has no reply; false where there is no connection to send it on.
   *
   * Throws a {@link RemotesError}, `too-large`, where the frame is longer than the server takes.
   */
  send(action, payload = {}, id = undefined) {
    const text = JSON.stringify({ action, payload, id });
    if (this.#status !== "open") return false;
    this.#measure(text);
    this.#socket.send(text);
    return true;
  }

  // The server's own refusal carries no id, since it does not read such a frame: nothing would settle the request.
  #measure(text) {
    const most = this.welcome.limits.frame ?? Infinity;
    const size = text.length * 3 > most ? new TextEncoder().encode(text).length : 0;
    if (size > most) throw new RemotesError("too-large", `A frame may have ${most} bytes; this one has ${size}.`);
  }

  #open() {
    this.#become("connecting");
    const socket = new this.#WebSocket(this.#address, this.#protocols);
    this.#socket = socket;
    const current = (handler) => (event) => this.#socket === socket && handler(event);
    socket.addEventListener("message", current((event) => this.#received(event.data)));
    socket.addEventListener("close", current((event) => this.#closed(event)));
    socket.addEventListener("error", () => {}); // a close follows, which says all there is to say
  }

  #received(text) {
    this.#asked = false;
    this.#watchFor(SILENCE, () => this.check());
    const { action, payload, id } = JSON.parse(text);
    if (id !== undefined) this.#settle(id, action, payload);
    else if (action === "welcome") this.#welcomed(payload);
    else if (action === "ping") this.send("pong");
    else {
      if (action === "goodbye") this.#retryAfter = payload.retryAfter ?? 0;
      this.emit(action, payload);
    }
  }

  #settle(id, action, payload) {
    const waiting = this.#pending.get(id);
    if (!waiting) return;
    this.#pending.delete(id);
    if (action === "error") waiting.reject(new RemotesError(payload.code, payload.message, payload.details));
    else waiting.resolve(payload);
  }

  #welcomed(payload) {
    this.welcome = payload;
    this.#welcomedAt = Date.now();
    this.#become("open");
    this.emit("welcome", payload);
  }

  #closed({ code, reason }) {
    if (this.#welcomedAt !== null && Date.now() - this.#welcomedAt >= STEADY) this.#attempt = 0;
    this.#leave();
    if (code === UNAUTHENTICATED) this.#become("ended", { code, reason });
    else this.#wait(code, reason);
  }

  #watchFor(time, work) {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(work, time);
    this.#watch.unref?.(); // the socket keeps a program running, its watch does not
  }

  // Closing takes a peer that answers, so nothing waits for the socket's own word.
  #giveUp() {
    const socket = this.#socket;
    this.#closed({ code: 1006, reason: "The server gave no sign of life." });
    socket.close();
  }

  #wait(code, reason) {
    const seconds = Math.max(this.#retryAfter, delay(this.#attempt++));
    this.#retryAfter = 0;
    this.#timer = setTimeout(() => this.#open(), seconds * 1000);
    this.#become("waiting", { code, reason, delay: seconds });
  }

  #leave() {
    clearTimeout(this.#watch);
    this.#asked = false;
    this.#socket = null;
    this.#welcomedAt = null;
    this.welcome = null;
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of lost) {
      reject(new RemotesError("disconnected", "The connection was lost before the server answered."));
    }
  }

  #become(status, more = {}) {
    this.#status = status;
    this.emit("status", { status, ...more });
  }
}

function socketAddress(url) {
  const address = new URL(url, globalThis.location?.href);
  address.protocol = address.protocol.replace(/^http/, "ws");
  if (address.pathname === "/") address.pathname = "/ws/";
  return address.href;
}
