/** The line above the conversation: title, model, and the ways to the other parts on a narrow screen. */
import { html } from "../vendor.js";
import { overlay, sidebarHidden, toggleSidebar } from "../state/layout.js";
import { connection, connectivity, nextAttempt } from "../state/session.js";
import { Icon, IconButton } from "./icon.js";
import { ModelPicker } from "./model-picker.js";
import { useSecondsUntil } from "./seconds.js";
import { ThreadMenu } from "./thread-menu.js";

export function Header({ thread }) {
  const { title, remotes } = thread.about.value;
  return html`<header class="top">
      <${IconButton} name="menu" label="Chats" class=${sidebarHidden.value ? "" : "only-narrow"}
        onClick=${toggleSidebar} />
      <h1 dir="auto">${title || "New chat"}</h1>
      <${ModelPicker} thread=${thread} />
      ${thread.id && html`<${ThreadMenu} thread=${thread.about.value} />`}
      <button type="button" class="tools-button only-medium" aria-label=${`Tools: ${remotes.length} switched on`}
        onClick=${() => (overlay.value = "tools")}>
        <${Icon} name="tools" /><span>${remotes.length || ""}</span>
      </button>
    </header>
    <${ConnectionStrip} />`;
}

/** Says when the page is cut off, and what happens about it. */
function ConnectionStrip() {
  const state = connectivity.value;
  if (state === "open" || state === "connecting") return null;
  return html`<div class="strip" data-testid="connection-strip">
    <span class="lamp" data-state="warn"></span>
    ${state === "offline" ? html`<span>This device is offline. What you type is kept.</span>` : html`<${ComingBack} />`}
  </div>`;
}

function ComingBack() {
  const seconds = useSecondsUntil(nextAttempt.value ?? Date.now());
  const soon = seconds > 0 ? `Trying again in ${seconds} s.` : "Trying…";
  return html`<span>The server can't be reached. What you type is kept. ${soon}</span>
    <button type="button" class="button quiet-button" onClick=${() => connection.retry()}>Try now</button>`;
}
