/** What a server sees of a remote. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Remote } from "../src/index.js";
import { connected } from "./wire.js";

const ECHO = { name: "echo", description: "Give back what came in.", parameters: { type: "object" } };

async function serving(handler, definition = ECHO, options = {}) {
  const { connection, socket, WebSocket } = connected(options);
  const remote = new Remote(connection, "bench", { title: "Bench", client: { program: "test" } });
  remote.function(definition, handler);
  const registration = remote.connect();
  const payload = await socket.answer("remote-connect", { functions: [definition.name], refused: [] });
  return { remote, connection, socket, WebSocket, payload, reply: await registration };
}

function call(socket, args = {}, requestId = "q1") {
  socket.deliver("remote-call", { requestId, remotename: "bench", function: "echo", args, deadline: 30 });
}

async function outcomeOf(handler) {
  const { socket } = await serving(handler);
  call(socket);
  return (await socket.take("remote-call-result")).payload;
}

test("connecting tells the server what it offers, and resolves with the reply", async () => {
  const { payload, reply } = await serving((args) => args);
  assert.deepEqual(payload, {
    remotename: "bench",
    functions: [ECHO],
    title: "Bench",
    client: { program: "test" },
    heartbeat: true,
  });
  assert.deepEqual(reply, { functions: ["echo"], refused: [] });
});

test("a call's result is what the handler returns", async () => {
  const { socket } = await serving(async (args) => ({ got: args }));
  call(socket, { n: 1 });
  const { payload } = await socket.take("remote-call-result");
  assert.deepEqual(payload, { requestId: "q1", result: { got: { n: 1 } } });
});

test("a handler that returns nothing has the result null", async () => {
  assert.deepEqual(await outcomeOf(() => undefined), { requestId: "q1", result: null });
});

const circle = {};
circle.self = circle;

for (const [what, handler, words] of [
  ["throws", () => { throw new Error("no such disk"); }, /^no such disk$/],
  ["rejects", () => Promise.reject("plain words"), /^plain words$/],
  ["throws an error without a message", () => { throw new TypeError(""); }, /^TypeError$/],
  ["throws nothing to speak of", () => { throw ""; }, /without saying why/],
  ["throws an object", () => { throw { reason: "x" }; }, /"reason":"x"/],
  ["returns a BigInt", () => 1n, /BigInt/],
  ["returns a cycle", () => circle, /circular/],
  ["returns a function", () => () => {}, /a function/],
]) {
  test(`a handler that ${what} ends its call with an error in words`, async () => {
    const outcome = await outcomeOf(handler);
    assert.equal("result" in outcome, false);
    assert.match(outcome.error, words);
  });
}

for (const [what, handler] of [
  ["result", () => "x".repeat(2_000)],
  ["error", () => { throw new Error("x".repeat(2_000)); }],
]) {
  test(`a call whose ${what} is longer than the server takes ends with an error that says so`, async () => {
    const { socket } = await serving(handler, ECHO, { limits: { frame: 1_000 } });
    call(socket);
    const { payload } = await socket.take("remote-call-result");
    assert.match(payload.error, new RegExp(`^The ${what} is too large.*1000 bytes`));
    assert.equal("result" in payload, false);
  });
}

test("a call of a function that is not offered is answered", async () => {
  const { socket } = await serving(() => 1);
  socket.deliver("remote-call", { requestId: "q9", remotename: "bench", function: "nope", args: {} });
  const { payload } = await socket.take("remote-call-result");
  assert.deepEqual(payload, { requestId: "q9", error: "bench has no function nope." });
});

test("calls of another remote on the same connection are left alone", async () => {
  const { socket } = await serving(() => 1);
  socket.deliver("remote-call", { requestId: "a", remotename: "other", function: "echo", args: {} });
  call(socket, {}, "b");
  assert.equal((await socket.take("remote-call-result")).payload.requestId, "b");
});

test("progress reaches the server while the call goes on", async () => {
  const { socket } = await serving(async (args, { progress }) => {
    progress(1, 4, "a quarter");
    return "done";
  });
  call(socket);
  const { payload } = await socket.take("remote-call-progress");
  assert.deepEqual(payload, { requestId: "q1", progress: 1, total: 4, message: "a quarter" });
  assert.equal((await socket.take("remote-call-result")).payload.result, "done");
});

test("a cancelled call aborts its signal and sends no result", async () => {
  const reasons = [];
  const { socket } = await serving(({ wait }, { signal }) =>
    wait ? new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(reasons.push(signal.reason.message)));
    }) : "second");
  call(socket, { wait: true }, "first");
  socket.deliver("remote-call-cancel", { requestId: "first", reason: "The run was stopped." });
  call(socket, {}, "second");
  const { payload } = await socket.take("remote-call-result");
  assert.equal(payload.requestId, "second");
  assert.deepEqual(reasons, ["The run was stopped."]);
});

test("a lost connection aborts the calls, and the remote registers again afterwards", async () => {
  const aborted = [];
  const { socket, connection, WebSocket } = await serving((args, { signal }) =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(aborted.push(signal.reason.code)))));
  call(socket);
  const next = WebSocket.opened();
  socket.drop();
  connection.retry();
  const again = (await next).welcome();
  const payload = await again.answer("remote-connect", { functions: ["echo"], refused: [] });
  assert.equal(payload.remotename, "bench");
  assert.deepEqual(aborted, ["disconnected"]);
  connection.stop();
});

test("after another owner took the name it is not taken back, until connect() is called", async () => {
  const { remote, socket, connection, WebSocket } = await serving(() => 1);
  const lost = new Promise((resolve) => remote.on("disconnected", resolve));
  const by = { client: { program: "other", host: "pi" } };
  socket.deliver("remote-disconnected", { remotename: "bench", reason: "replaced", by });
  assert.deepEqual(await lost, { reason: "replaced", by });
  socket.drop();
  connection.retry();
  const again = WebSocket.sockets[1].welcome();
  assert.deepEqual(again.sent, []);
  const back = remote.connect();
  await again.answer("remote-connect", { functions: ["echo"], replaced: true });
  assert.equal((await back).replaced, true);
  connection.stop();
});

test("a call under way when the name is taken over is still answered", async () => {
  let finish;
  const { socket } = await serving(() => new Promise((resolve) => { finish = resolve; }));
  call(socket);
  socket.deliver("remote-disconnected", { remotename: "bench", reason: "replaced", by: {} });
  finish("late but here");
  assert.equal((await socket.take("remote-call-result")).payload.result, "late but here");
});

test("disconnecting takes the remote away from the server", async () => {
  const { remote, socket } = await serving(() => 1);
  const gone = remote.disconnect();
  assert.deepEqual(await socket.answer("remote-disconnect"), { remotename: "bench" });
  await gone;
  call(socket);
  assert.deepEqual(socket.sent, []);
});

test("a remote connected before the connection stands registers once it does", async () => {
  const { connection, socket, WebSocket } = connected();
  socket.drop();
  const registration = new Remote(connection, "early").function(ECHO, () => 1).connect();
  connection.retry();
  const again = WebSocket.sockets[1].welcome();
  await again.answer("remote-connect", { functions: ["echo"], refused: [] });
  assert.deepEqual((await registration).functions, ["echo"]);
  connection.stop();
});

test("a registration that is refused says so to whoever asked for it", async () => {
  const { connection, socket } = connected();
  const registration = new Remote(connection, "bad").connect();
  const request = await socket.take("remote-connect");
  socket.deliver("error", { code: "too-many", message: "Too many remotes." }, request.id);
  await assert.rejects(registration, { code: "too-many" });
});

async function refuse(socket) {
  const request = await socket.take("remote-connect");
  socket.deliver("error", { code: "too-many", message: "Too many." }, request.id);
}

function comeBack({ socket, connection, WebSocket }) {
  socket.drop();
  connection.retry();
  return WebSocket.sockets.at(-1).welcome();
}

test("a refused remote does not register by itself later, but when it is asked to again", async () => {
  const wired = connected();
  const remote = new Remote(wired.connection, "bench").function(ECHO, () => 1);
  const refused = assert.rejects(remote.connect(), { code: "too-many" });
  await refuse(wired.socket);
  await refused;
  const again = comeBack(wired);
  assert.deepEqual(again.sent, []);
  const registration = remote.connect();
  await again.answer("remote-connect", { functions: ["echo"] });
  assert.deepEqual((await registration).functions, ["echo"]);
  call(again);
  assert.equal((await again.take("remote-call-result")).payload.result, 1);
  wired.connection.stop();
});

test("a remote whose registering again is refused says so, and does not try once more", async () => {
  const { remote, ...wired } = await serving(() => 1);
  const failed = new Promise((resolve) => remote.on("failed", resolve));
  const again = comeBack(wired);
  await refuse(again);
  assert.equal((await failed).code, "too-many");
  const { connection, WebSocket } = wired;
  assert.deepEqual(comeBack({ socket: again, connection, WebSocket }).sent, []);
  connection.stop();
});

test("a remote whose change is refused goes on serving what was there, and can be taken away", async () => {
  const { remote, socket } = await serving(() => 1);
  const refused = assert.rejects(remote.connect(), { code: "too-many" });
  await refuse(socket);
  await refused;
  for (const requestId of ["a", "b"]) {
    call(socket, {}, requestId);
    assert.equal((await socket.take("remote-call-result")).payload.requestId, requestId);
  }
  const gone = remote.disconnect();
  await socket.answer("remote-disconnect");
  await gone;
});

test("functions can be added and taken away while it serves", async () => {
  const { remote, socket } = await serving(() => 1);
  const again = remote.remove("echo").function({ ...ECHO, name: "other" }, () => 2).connect();
  const payload = await socket.answer("remote-connect", { functions: ["other"] });
  assert.deepEqual(payload.functions.map(({ name }) => name), ["other"]);
  await again;
});
