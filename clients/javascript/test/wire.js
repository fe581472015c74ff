/** The far end of a connection for tests: a WebSocket class whose server is the test itself. */

import { Connection } from "../src/index.js";

/** A WebSocket implementation; `Wire.sockets` lists all that were opened, `Wire.opened()` waits for the next. */
export function wire() {
  const waiting = [];
  return class Wire extends EventTarget {
    static sockets = [];

    /** The next socket that is opened. */
    static opened() {
      return new Promise((resolve) => waiting.push(resolve));
    }

    constructor(url, protocols) {
      super();
      Object.assign(this, { url, protocols, sent: [], closed: null });
      Wire.sockets.push(this);
      waiting.shift()?.(this);
    }

    send(text) {
      const frame = JSON.parse(text);
      this.sent.push(frame);
      this.dispatchEvent(Object.assign(new Event("sent"), { frame }));
    }

    close(code = 1005) {
      this.closed = code;
    }

    /** The next frame with this action that the client sends, or has sent and nobody took yet. */
    async take(action) {
      for (;;) {
        const index = this.sent.findIndex((frame) => frame.action === action);
        if (index >= 0) return this.sent.splice(index, 1)[0];
        await new Promise((resolve) => this.addEventListener("sent", resolve, { once: true }));
      }
    }

    deliver(action, payload, id) {
      const data = JSON.stringify({ action, payload, id });
      this.dispatchEvent(Object.assign(new Event("message"), { data }));
    }

    welcome(limits = {}) {
      this.deliver("welcome", { protocol: 1, session: "s", user: { id: "1", name: "ana" }, limits });
      return this;
    }

    drop(code = 1006) {
      this.dispatchEvent(Object.assign(new Event("close"), { code, reason: "" }));
    }

    /** Answer the client's next request of this action. */
    async answer(action, payload = {}) {
      const request = await this.take(action);
      this.deliver(action, payload, request.id);
      return request.payload;
    }
  };
}

/** A started connection and the socket under it, already welcomed with these limits. */
export function connected({ limits, ...options } = {}) {
  const WebSocket = wire();
  const connection = new Connection("http://server.test:8000", { WebSocket, ...options });
  connection.start();
  return { connection, WebSocket, socket: WebSocket.sockets[0].welcome(limits) };
}
