/** Where one types: grows with its text, Enter sends, Shift+Enter breaks, Esc stops. */
import { html, useEffect, useLayoutEffect, useRef } from "../vendor.js";
import { focusComposer } from "../lib/focus.js";
import { dialog, overlay } from "../state/layout.js";
import { Icon } from "./icon.js";

const ENTER_OF_INPUT_METHOD = 229; // key code that Safari reports after the composition has ended

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
    const composing = event.isComposing || event.keyCode === ENTER_OF_INPUT_METHOD;
    if (event.key !== "Enter" || event.shiftKey || composing) return;
    event.preventDefault();
    send();
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

/** For browsers without `field-sizing`. */
function grow(area) {
  if (CSS.supports("field-sizing", "content")) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight}px`;
}

function stopOnEscape(thread) {
  const onKeyDown = (event) => {
    const elsewhere = dialog.value || overlay.value || event.target.closest?.("input, select, .approval, .ask");
    if (event.key === "Escape" && !elsewhere) thread.stop();
  };
  addEventListener("keydown", onKeyDown);
  return () => removeEventListener("keydown", onKeyDown);
}
