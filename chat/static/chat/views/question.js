/** A message of the user: in a bubble, and where it is written anew. */
import { html, useLayoutEffect, useRef } from "../vendor.js";
import { focusComposer } from "../lib/focus.js";
import { isEnter, grow } from "../lib/typing.js";
import { CopyButton } from "./copy-button.js";
import { SmallButton } from "./icon.js";
import { Versions } from "./versions.js";

export function Question({ state, thread }) {
  const { branches } = thread;
  const element = useRef(null);
  const edit = branches.editing.value?.message === state.id ? branches.editing.value : null;
  const cancel = () => {
    const { fromComposer } = edit;
    branches.cancel();
    if (fromComposer) focusComposer();
    else requestAnimationFrame(() => element.current?.querySelector('[data-testid="edit"]').focus());
  };
  return html`<article class="message question" aria-label="You" data-testid="message" data-role="user"
      data-status=${state.status} ref=${element}>
    ${edit
      ? html`<${Editor} edit=${edit} thread=${thread} onCancel=${cancel} />`
      : html`<div class="bubble" dir="auto">${state.content}</div>
        <div class="message-foot">
          <${Versions} state=${state} thread=${thread} />
          <${SmallButton} name="edit" label="Edit your message" data-testid="edit" disabled=${thread.running.value}
            onClick=${() => branches.edit(state)} />
          <${CopyButton} text=${state.content} what="your message" />
        </div>`}
  </article>`;
}

function Editor({ edit: { text, status, error }, thread, onCancel }) {
  const { branches } = thread;
  const area = useRef(null);
  const ready = text.trim() !== "" && status === "open" && !thread.running.value;
  useLayoutEffect(() => grow(area.current), [text]);
  useLayoutEffect(() => { // before it is painted, so that no key is lost
    area.current.focus();
    area.current.setSelectionRange(text.length, text.length);
  }, []);
  const send = async () => {
    if (!ready) return;
    await branches.sendEdit();
    if (!branches.editing.peek()) focusComposer();
  };
  const onKeyDown = (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onCancel();
    } else if (isEnter(event)) {
      event.preventDefault();
      send();
    }
  };
  const onSubmit = (event) => {
    event.preventDefault();
    send();
  };
  return html`<form class="rewrite" data-testid="rewrite" onSubmit=${onSubmit} onKeyDown=${onKeyDown}>
    <textarea class="field" ref=${area} rows="1" dir="auto" aria-label="Edit your message" value=${text}
      readonly=${status === "sending"} onInput=${(event) => branches.type(event.target.value)}></textarea>
    ${error && html`<p class="fault" role="alert">Not sent: ${error}</p>`}
    ${status === "waiting" && html`<p class="quiet" role="status">It is sent as soon as the connection is back.</p>`}
    <div class="actions">
      <button type="button" class="button quiet-button" onClick=${onCancel}>Cancel</button>
      <button class="button primary" disabled=${!ready}>Ask this instead</button>
    </div>
  </form>`;
}
