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

const PARTS = { threads: ".sidebar", tools: ".tools" };
const NARROW = "(max-width: 45rem)"; // as in page.css

export function App() {
  useEffect(() => {
    addEventListener("keydown", onShortcut);
    return () => removeEventListener("keydown", onShortcut);
  }, []);
  useEffect(() => (overlay.value ? moveInto(overlay.value) : undefined), [overlay.value]);
  return html`<div class="app">
      <${Sidebar} /><${Conversation} /><${Tools} />
      ${overlay.value && html`<div class="backdrop" onClick=${() => (overlay.value = null)}></div>`}
    </div>
    <${Dialogs} />
    <${Notes} />
    <div class="offscreen" role="log" aria-live="polite"><${Sentences} urgent=${false} /></div>
    <div class="offscreen" role="log" aria-live="assertive"><${Sentences} urgent=${true} /></div>`;
}

function Notes() {
  return html`<div class="notes">
    ${notes.value.map(({ id, sentence, kind }) => html`<div class=${`note ${kind}`} key=${id} data-testid="note">
      <p>${sentence}</p>
      <${IconButton} name="close" label="Dismiss" onClick=${() => dismiss(id)} />
    </div>`)}
  </div>`;
}

function Sentences({ urgent }) {
  const sentences = spoken.value.filter((entry) => entry.urgent === urgent);
  return sentences.map(({ id, sentence }) => html`<p key=${id}>${sentence}</p>`);
}

/** The focus goes into the part that was opened over the others, and back where it was once that closes. */
function moveInto(part) {
  const before = document.activeElement;
  document.querySelector(PARTS[part]).querySelector("button, a").focus();
  return () => before.isConnected && before.focus();
}

function onShortcut(event) {
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (key === "escape" && overlay.value) {
    overlay.value = null;
  } else if (command && !event.shiftKey && key === "k") {
    event.preventDefault();
    if (matchMedia(NARROW).matches) overlay.value = "threads";
    document.getElementById("search").focus();
  } else if (command && event.shiftKey && key === "o") {
    event.preventDefault();
    goTo(null);
  }
}
