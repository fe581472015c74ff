/** Where one types: grows with its text, Enter sends, Shift+Enter breaks, Esc stops, ↑ edits the last question. */
import { html, useEffect, useLayoutEffect, useRef } from "../vendor.js";
import { focusComposer } from "../lib/focus.js";
import { grow, isEnter } from "../lib/typing.js";
import { dialog, overlay } from "../state/layout.js";
import { Icon } from "./icon.js";

export function Composer({ thread }) {
  const { outbox } = thread;
  const area = useRef(null);
  const running = thread.running.value;
  const text = outbox.draft.value;
  const ready = text.trim() !== "" && !running && !outbox.outgoing.value;
  const send = () => ready && outbox.sendDraft();
  useEffect(focusComposer, [thread]);
  useLayoutEffect(() => grow(area.current), [text]);
  useEffect(() => (running ? stopOnEscape(thread) : undefined), [running, thread]);

  const onKeyDown = (event) => {
    if (isEnter(event)) send();
    else if (event.key !== "ArrowUp" || text !== "" || !editLast(thread)) return;
    event.preventDefault();
  };
  const onSubmit = (event) => {
    event.preventDefault();
    send();
    area.current.focus();
  };
  return html`<form class="composer" onSubmit=${onSubmit}>
    <textarea id="composer" data-testid="composer" ref=${area} rows="1" dir="auto" aria-label="Message"
      placeholder="Message…" enterkeyhint="send" value=${text}
      onInput=${(event) => outbox.type(event.target.value)} onKeyDown=${onKeyDown}></textarea>
    ${running
      ? html`<button type="button" key="stop" class="send stop" data-testid="stop" aria-label="Stop the answer"
          title="Stop (Esc)" onClick=${() => thread.stop()}><${Icon} name="stop" /></button>`
      : html`<button key="send" class="send" data-testid="send" aria-label="Send" title="Send (Enter)"
          disabled=${!ready}><${Icon} name="send" /></button>`}
  </form>`;
}

/** Write the last question anew, where there is one and nothing is under way; false otherwise. */
function editLast(thread) {
  const question = thread.lastQuestion();
  if (!question || thread.running.value || thread.outbox.outgoing.value) return false;
  thread.branches.edit(question.state.value, { fromComposer: true });
  return true;
}

function stopOnEscape(thread) {
  const onKeyDown = (event) => {
    const elsewhere = dialog.value || overlay.value || event.target.closest?.("input, select, .approval, .ask");
    if (event.key === "Escape" && !event.shiftKey && !elsewhere) thread.stop();
  };
  addEventListener("keydown", onKeyDown);
  return () => removeEventListener("keydown", onKeyDown);
}
