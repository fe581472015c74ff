/** Which parts of the page are open, and the theme. */

import { signal } from "../vendor.js";
import { recall, remember } from "../lib/storage.js";

/** On narrow screens: the one part that lies over the conversation, "threads", "tools" or null. */
export const overlay = signal(null);

const NARROW = "(max-width: 45rem)"; // as in page.css

/** On wide screens: whether the list of chats is hidden. */
export const sidebarHidden = signal(recall("sidebarHidden", false));

/** Show or hide the list of chats. */
export function toggleSidebar() {
  if (matchMedia(NARROW).matches) {
    overlay.value = overlay.value === "threads" ? null : "threads";
  } else {
    sidebarHidden.value = !sidebarHidden.value;
    remember("sidebarHidden", sidebarHidden.value || null);
  }
}

/** The dialog that is open, `{kind, ...}` or null. */
export const dialog = signal(null);

/** "light", "dark" or "system". */
export const theme = signal(recall("theme", "system"));

export function chooseTheme(choice) {
  theme.value = choice;
  remember("theme", choice === "system" ? null : choice);
  dispatchEvent(new Event("remotes-theme"));
}

/** True once this browser has seen a call succeed: the page then stops teaching. */
export const taught = signal(recall("taught", false));

export function haveTaught() {
  if (taught.value) return;
  taught.value = true;
  remember("taught", true);
}
