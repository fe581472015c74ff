/** What a program sees of a connection. */

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { delay } from "../src/backoff.js";
import { Connection } from "../src/index.js";
import { connected, wire } from "./wire.js";

test("a token travels as a subprotocol, to the server's socket path", () => {
  const { socket } = connected({ token: "abc-1_2" });
  assert.equal(socket.url, "ws://server.test:8000/ws/");
  assert.deepEqual(socket.protocols, ["remotes.v1", "bearer.abc-1_2"]);
});

test("without a token only the protocol is offered", () => {
  assert.deepEqual(connected().socket.protocols, ["remotes.v1"]);
});

test("it is open once the server has said welcome, not before", () => {
  const WebSocket = wire();
  const connection = new Connection("https://server.test", { WebSocket });
  connection.start();
  assert.equal(connection.status, "connecting");
  WebSocket.sockets[0].welcome();
  assert.equal(connection.status, "open");
  assert.equal(connection.welcome.user.name, "ana");
});

test("each reply settles the request that it repeats the id of", async () => {
  const { connection, socket } = connected();
  const first = connection.request("thread-list", { query: "a" });
  const second = connection.request("remote-call", { remotename: "r", function: "f" });
  const [one, two] = socket.sent;
  socket.deliver("remote-call-result", { requestId: "x", result: 2 }, two.id);
  socket.deliver("thread-list", { threads: [] }, one.id);
  assert.deepEqual(await first, { threads: [] });
  assert.deepEqual(await second, { requestId: "x", result: 2 });
});

test("an error reply rejects with its code, its sentence and its details", async () => {
  const { connection, socket } = connected();
  const request = connection.request("thread-open", { thread: "t" });
  const details = [{ path: "thread", message: "unknown" }];
  socket.deliver("error", { code: "thread-not-found", message: "No such thread.", details }, socket.sent[0].id);
  await assert.rejects(request, { code: "thread-not-found", message: "No such thread.", details });
});

test("a lost connection rejects what was under way, and what is asked meanwhile", async () => {
  const { connection, socket } = connected();
  const request = connection.request("remote-list");
  socket.drop();
  await assert.rejects(request, { code: "disconnected" });
  await assert.rejects(connection.request("remote-list"), { code: "disconnected" });
  connection.stop();
});

test("a request longer than the server takes is rejected and not sent", async () => {
  const { connection, socket } = connected({ limits: { frame: 100 } });
  const empty = JSON.stringify({ action: "x", payload: { text: "" }, id: "1" }).length;
  const fits = connection.request("x", { text: "é".repeat(Math.floor((100 - empty) / 2)) });
  socket.deliver("x", {}, socket.sent[0].id);
  await fits;
  await assert.rejects(connection.request("x", { text: "é".repeat(50) }), { code: "too-large", message: /100 bytes/ });
  assert.equal(socket.sent.length, 1);
});

test("events reach their handlers until they are taken off", () => {
  const { connection, socket } = connected();
  const seen = [];
  const off = connection.on("remotes-changed", (payload) => seen.push(payload));
  socket.deliver("remotes-changed", { n: 1 });
  off();
  socket.deliver("remotes-changed", { n: 2 });
  assert.deepEqual(seen, [{ n: 1 }]);
});

test("a ping is answered by a pong", () => {
  const { socket } = connected();
  socket.deliver("ping", {});
  assert.equal(socket.sent[0].action, "pong");
});

test("it comes back after a break, and again after a failed attempt", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { connection, socket, WebSocket } = connected();
  socket.drop();
  assert.equal(connection.status, "waiting");
  t.mock.timers.tick(1_000);
  WebSocket.sockets[1].drop();
  t.mock.timers.tick(2_000);
  WebSocket.sockets[2].welcome();
  assert.equal(connection.status, "open");
});

test("it waits at least as long as a stopping server asked for", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { socket, WebSocket } = connected();
  socket.deliver("goodbye", { retryAfter: 7 });
  socket.drop(4412);
  t.mock.timers.tick(6_900);
  assert.equal(WebSocket.sockets.length, 1);
  t.mock.timers.tick(200);
  assert.equal(WebSocket.sockets.length, 2);
});

test("a server that is silent is asked for a sign of life, and kept where it gives one", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { connection, socket } = connected();
  for (const round of [1, 2]) {
    t.mock.timers.tick(19_999);
    assert.equal(socket.sent.length, round - 1);
    t.mock.timers.tick(1);
    assert.equal(socket.sent.at(-1).action, "ping");
    t.mock.timers.tick(9_999);
    socket.deliver("ping", {}, socket.sent.at(-1).id);
  }
  assert.equal(connection.status, "open");
  connection.stop();
});

test("a server that gives no sign of life is left, and looked for again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { connection, socket, WebSocket } = connected();
  const request = assert.rejects(connection.request("remote-list"), { code: "disconnected" });
  t.mock.timers.tick(20_000);
  t.mock.timers.tick(10_000);
  assert.equal(connection.status, "waiting");
  assert.notEqual(socket.closed, null);
  await request;
  t.mock.timers.tick(1_000);
  WebSocket.sockets[1].welcome();
  assert.equal(connection.status, "open");
  connection.stop();
});

test("it can be asked for at once, and asking again gives no more time", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { connection, socket } = connected();
  connection.check();
  assert.equal(socket.sent[0].action, "ping");
  t.mock.timers.tick(9_999);
  connection.check();
  assert.equal(socket.sent.length, 1);
  t.mock.timers.tick(1);
  assert.equal(connection.status, "waiting");
  connection.stop();
});

test("it never comes back by itself after 4401", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { connection, socket, WebSocket } = connected();
  const seen = [];
  connection.on("status", ({ status, code }) => seen.push([status, code]));
  socket.deliver("error", { action: null, code: "unauthenticated", message: "Signed out." });
  socket.drop(4401);
  t.mock.timers.tick(120_000);
  assert.equal(WebSocket.sockets.length, 1);
  assert.deepEqual(seen, [["ended", 4401]]);
});

test("a person who does not want to wait can have it try at once", () => {
  const { connection, socket, WebSocket } = connected();
  socket.drop();
  connection.retry();
  assert.equal(WebSocket.sockets.length, 2);
  connection.stop();
});

test("stop closes it for good", () => {
  const { connection, socket } = connected();
  connection.stop();
  assert.equal(socket.closed, 1000);
  assert.equal(connection.status, "ended");
});

test("waits grow from half a second to half a minute, and are spread", () => {
  const highest = () => 1;
  assert.deepEqual([0, 1, 2, 3, 4, 5, 9].map((n) => delay(n, highest)), [1, 2, 4, 8, 16, 30, 30]);
  assert.equal(delay(9, () => 0), 0.5);
});

test("a handler that throws does not keep the next from its turn", (t) => {
  const later = t.mock.method(globalThis, "queueMicrotask", mock.fn());
  const { connection, socket } = connected();
  const seen = [];
  connection.on("remotes-changed", () => {
    throw new Error("mine");
  });
  connection.on("remotes-changed", () => seen.push("reached"));
  socket.deliver("remotes-changed", {});
  assert.deepEqual(seen, ["reached"]);
  assert.throws(later.mock.calls[0].arguments[0], /mine/);
});
