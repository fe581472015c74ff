/** The title of the window: the thread, and a mark while something waits for the user. */

import { effect } from "../vendor.js";
import { outsideCalls } from "./approvals.js";
import { current } from "./chats.js";
import { questions } from "./tab-functions.js";

const MARK = "● ";

function isWaiting() {
  const outside = outsideCalls.value.some(({ status }) => status === "awaiting-approval");
  return outside || questions.value.length > 0 || current.value.asking.value;
}

/** Keep the title true. */
export function startTitle() {
  effect(() => {
    const title = current.value.about.value.title;
    document.title = `${isWaiting() ? MARK : ""}${title ? `${title} · Remotes` : "Remotes"}`;
  });
}
