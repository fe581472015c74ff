/** The whole page. */
import { html, useEffect } from "../vendor.js";
import { focusComposer, isFocusLost } from "../lib/focus.js";
import { shortcutOf } from "../lib/shortcuts.js";
import { dialog, overlay, sidebarHidden } from "../state/layout.js";
import { dismiss, notes, spoken } from "../state/notices.js";
import { ACTIONS } from "./commands.js";
import { Conversation } from "./conversation.js";
import { Dialogs } from "./dialogs.js";
import { IconButton } from "./icon.js";
import { Sidebar } from "./sidebar.js";
import { Tools } from "./tools.js";

const PARTS = { threads: ".sidebar", tools: ".tools" };

export function App() {
  useEffect(() => {
    addEventListener("keydown", onShortcut);
    return () => removeEventListener("keydown", onShortcut);
  }, []);
  useEffect(() => (overlay.value ? moveInto(overlay.value) : undefined), [overlay.value]);
  useEffect(() => {
    if (isFocusLost()) focusComposer();
  }, [sidebarHidden.value]);
  return html`<div class="app" data-sidebar=${sidebarHidden.value ? "hidden" : "shown"}>
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
  if (event.key === "Escape" && overlay.value && !event.shiftKey) {
    overlay.value = null;
    return;
  }
  const shortcut = shortcutOf(event);
  if (!shortcut || dialog.value || (shortcut !== "focus" && isInOtherField(event.target))) return;
  event.preventDefault();
  ACTIONS[shortcut]();
}

/** Whether keys belong to a field other than the one for messages. */
function isInOtherField(element) {
  return element.matches("input:not([type=checkbox], [type=radio]), textarea, select") && element.id !== "composer";
}
