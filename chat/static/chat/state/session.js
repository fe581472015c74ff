/** The page's one connection, and whether it stands. */

import { Connection, RemotesError } from "../../client/index.js";
import { computed, signal } from "../vendor.js";
import { forgetConsent } from "../lib/consent.js";
import { tooLong } from "../lib/lengths.js";
import { announce } from "./notices.js";

const UNAUTHENTICATED = 4401; // close code

const { signIn, socket, userId } = document.body.dataset;

export const connection = new Connection(socket);

/** The connection's last status: `{status, delay?, at, welcomed}`. */
const link = signal({ status: "connecting", welcomed: false });
const offline = signal(!navigator.onLine);

/** "open", "connecting" (for the first time), "lost" (coming back by itself) or "offline" (this device is). */
export const connectivity = computed(() => {
  if (link.value.status === "open") return offline.value ? "offline" : "open";
  if (offline.value) return "offline";
  return link.value.welcomed ? "lost" : link.value.status === "waiting" ? "lost" : "connecting";
});

/** When the next attempt to connect is made (milliseconds since the epoch), or null. */
export const nextAttempt = computed(() => link.value.nextAttempt ?? null);

/** Ask the server; rejects with a RemotesError whose message a person can read. */
export function request(action, payload) {
  return connection.request(action, payload);
}

/** Throws a RemotesError where `content` is longer than the server lets a message be. */
export function checkLength(content) {
  const fault = tooLong(content, connection.welcome?.limits);
  if (fault) throw new RemotesError("too-large", fault);
}

/** Forget what the user let this tab do, and say no more to the server. */
export function leave() {
  forgetConsent();
  connection.stop();
}

/** Start talking; `onWelcome` is called now and after every break. */
export function startSession(onWelcome) {
  connection.on("status", followStatus);
  connection.on("welcome", ({ user }) => (user.id === userId ? onWelcome() : startOver()));
  addEventListener("offline", () => (offline.value = true));
  addEventListener("online", () => {
    offline.value = false;
    connection.retry();
  });
  document.addEventListener("visibilitychange", () => !document.hidden && lookAgain());
  connection.start();
}

function lookAgain() {
  connection.retry();
  connection.check();
}

function followStatus({ status, code, delay }) {
  const before = link.value;
  const welcomed = before.welcomed || status === "open";
  link.value = { status, welcomed, nextAttempt: delay === undefined ? null : Date.now() + delay * 1000 };
  if (code === UNAUTHENTICATED) leaveToSignIn();
  else if (before.status === "open" && status === "waiting") announce("The connection to the server was lost.");
  else if (before.welcomed && status === "open") announce("Connected again.");
}

/** Another tab signed somebody else in: this page, and what was typed in it, is not theirs. */
function startOver() {
  leave();
  location.reload();
}

function leaveToSignIn() {
  forgetConsent();
  const next = encodeURIComponent(location.pathname);
  location.assign(`${signIn}?why=ended&next=${next}`);
}
