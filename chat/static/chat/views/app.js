/** The whole page. */
import { html, useEffect } from "../vendor.js";
import { goTo } from "../state/chats.js";
import { overlay } from "../state/layout.js";
import { dismiss, notes, spoken } from "../state/notices.js";
import { Conversation } from "./conversation.js";
import { Dialogs } from "./dialogs.js";
import { IconButton } from "./icon.js";
import { Sidebar } from "./sidebar.js";
import { Tools } from "./tools.js";

export function App() {
  useEffect(() => {
    addEventListener("keydown", onShortcut);
    return () => removeEventListener("keydown", onShortcut);
  }, []);
  return html`<div class="app">
      <${Sidebar} /><${Conversation} /><${Tools} />
      ${overlay.value && html`<div class="backdrop" onClick=${() => (overlay.value = null)}></div>`}
    </div>
    <${Dialogs} />
    <div class="notes">${notes.value.map(({ id, sentence, kind }) => html`<div class=${`note ${kind}`} key=${id} data-testid="note">
      <p>${sentence}</p><${IconButton} name="close" label="Dismiss" onClick=${() => dismiss(id)} /></div>`)}</div>
    <div class="offscreen" role="log" aria-live="polite">${sentences(false)}</div>
    <div class="offscreen" role="log" aria-live="assertive">${sentences(true)}</div>`;
}

function sentences(urgent) {
  return spoken.value.filter((entry) => entry.urgent === urgent).map(({ id, sentence }) => html`<p key=${id}>${sentence}</p>`);
}

function onShortcut(event) {
  const command = event.ctrlKey || event.metaKey;
  if (event.key === "Escape" && overlay.value) {
    overlay.value = null;
  } else if (command && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    if (matchMedia("(max-width: 45rem)").matches) overlay.value = "threads";
    document.getElementById("search").focus();
  } else if (command && event.shiftKey && event.key.toLowerCase() === "o") {
    event.preventDefault();
    goTo(null);
  }
}
