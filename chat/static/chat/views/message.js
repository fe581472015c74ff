/** Messages: the user's in a bubble, the model's as a page, and what is still on its way. */
import { html } from "../vendor.js";
import { segments } from "../lib/segments.js";
import { modelName } from "../lib/text.js";
import { Calls } from "./calls.js";
import { CopyButton } from "./copy-button.js";
import { Icon } from "./icon.js";
import { Markdown } from "./markdown.js";

const ENDINGS = {
  stopped: ["plain", "Stopped."],
  failed: ["fault", "The answer failed."],
  interrupted: ["fault", "The answer was interrupted before its end."],
};

/** `onAskAgain` is there where asking the same once more makes sense. */
export function Message({ message, model, onAskAgain = null }) {
  const state = message.state.value;
  if (state.role === "user") return html`<${Question} state=${state} />`;
  return html`<${Answer} state=${state} model=${model} onAskAgain=${onAskAgain} />`;
}

function Question({ state }) {
  return html`<article class="message question" aria-label="You" data-testid="message" data-role="user"
      data-status=${state.status}>
    <div class="bubble" dir="auto">${state.content}</div>
    <div class="message-foot"><${CopyButton} text=${state.content} what="your message" /></div>
  </article>`;
}

function Answer({ state, model, onAskAgain }) {
  const streaming = state.status === "streaming";
  const parts = segments(state.content, state.calls);
  const name = modelName(state.model ?? model) || "Answer";
  const quiet = streaming && !state.calls.some(({ status }) => status === "running" || status === "awaiting-approval");
  return html`<article class="message answer" aria-label=${name} aria-busy=${String(streaming)}
      data-testid="message" data-role="assistant" data-status=${state.status}>
    ${parts.map((part, index) => part.calls
      ? html`<${Calls} key=${part.calls[0].id} calls=${part.calls} />`
      : html`<div class="text" dir="auto" key=${`text-${index}`}><${Markdown} text=${part.text} /></div>`)}
    ${quiet && html`<span class="caret" aria-hidden="true"></span>`}
    <${Ending} state=${state} onAskAgain=${onAskAgain} />
    ${!streaming && html`<footer class="message-foot">
      <span class="model" data-testid="model">${name}</span>
      ${state.content && html`<${CopyButton} text=${state.content} what="the answer" />`}
    </footer>`}
  </article>`;
}

function Ending({ state: { status, error }, onAskAgain }) {
  const ending = ENDINGS[status];
  if (!ending) return null;
  const [kind, words] = ending;
  return html`<div class=${`ending ${kind}`} data-testid="ending">
    <${Icon} name=${kind === "fault" ? "alert" : "stop"} /><p>${error || words}</p>
    ${kind === "fault" && onAskAgain && html`<button type="button" class="button" onClick=${onAskAgain}>
      Ask again</button>`}
  </div>`;
}

/** A message that the server has not confirmed yet. */
export function Outgoing({ thread }) {
  const { outbox } = thread;
  if (!outbox.outgoing.value) return null;
  const { content, status, error } = outbox.outgoing.value;
  return html`<article class="message question" aria-label="You" data-testid="outgoing" data-status=${status}>
    <div class="bubble unsent" dir="auto">${content}</div>
    ${status === "waiting" && html`<p class="unsent-note">It is sent as soon as the connection is back.</p>`}
    ${status === "failed" && html`<div class="unsent-note fault" role="alert"><span>Not sent: ${error}</span>
      <span class="actions"><button type="button" class="button" onClick=${() => outbox.resend()}>Try again</button>
      <button type="button" class="button quiet-button" onClick=${() => outbox.takeBack()}>Edit</button></span></div>`}
  </article>`;
}
