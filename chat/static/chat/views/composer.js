/** Where one types: grows with its text, Enter sends, Shift+Enter breaks, Esc stops. */
import { html, useEffect, useLayoutEffect, useRef } from "../vendor.js";
import { dialog, overlay } from "../state/layout.js";
import { Icon } from "./icon.js";

const ENTER_OF_INPUT_METHOD = 229; // Safari reports it after the composition has ended

export function Composer({ thread }) {
  const area = useRef(null);
  const running = thread.running.value;
  const text = thread.outbox.draft.value;
  const ready = text.trim() !== "" && !running && !thread.outbox.outgoing.value;
  const send = () => ready && thread.outbox.send();
  useEffect(() => matchMedia("(pointer: fine)").matches && area.current.focus(), [thread]);
  useLayoutEffect(() => grow(area.current), [text]);
  useEffect(() => (running ? stopOnEscape(thread) : undefined), [running, thread]);

  const onKeyDown = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === ENTER_OF_INPUT_METHOD) return;
    event.preventDefault();
    send();
  };
  const onSubmit = (event) => {
    event.preventDefault();
    send();
    area.current.focus();
  };
  return html`<form class="composer" onSubmit=${onSubmit}>
    <textarea id="composer" data-testid="composer" ref=${area} rows="1" dir="auto" aria-label="Message" placeholder="Message…"
      enterkeyhint="send" value=${text} onInput=${(event) => thread.outbox.type(event.target.value)} onKeyDown=${onKeyDown}></textarea>
    ${running
      ? html`<button type="button" key="stop" class="send stop" data-testid="stop" aria-label="Stop the answer" title="Stop (Esc)" onClick=${() => thread.stop()}><${Icon} name="stop" /></button>`
      : html`<button key="send" class="send" data-testid="send" aria-label="Send" title="Send (Enter)" disabled=${!ready}><${Icon} name="send" /></button>`}
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
    if (event.key === "Escape" && !event.defaultPrevented && !dialog.value && !overlay.value) thread.stop();
  };
  addEventListener("keydown", onKeyDown);
  return () => removeEventListener("keydown", onKeyDown);
}
