/** Messages: the user's in a bubble, the model's as a page, and what is still on its way. */
import { html } from "../vendor.js";
import { focusComposer } from "../lib/focus.js";
import { segments } from "../lib/segments.js";
import { modelName, short, tokens } from "../lib/text.js";
import { Calls } from "./calls.js";
import { CopyButton } from "./copy-button.js";
import { Icon, SmallButton } from "./icon.js";
import { Markdown } from "./markdown.js";
import { Question } from "./question.js";
import { Reasoning } from "./reasoning.js";
import { Versions } from "./versions.js";

/** Per status: how an answer's end is told, where there is something to tell. */
const ENDINGS = {
  done: ["remark", null],
  stopped: ["plain", "Stopped."],
  failed: ["fault", "The answer failed."],
  interrupted: ["fault", "The answer was interrupted before its end."],
};
const PICTURES = { fault: "alert", plain: "stop", remark: "info" };
const QUOTED = 60; // characters

export function Message({ message, thread }) {
  const state = message.state.value;
  const View = state.role === "user" ? Question : Answer;
  return html`<${View} state=${state} thread=${thread} />`;
}

function Answer({ state, thread }) {
  const streaming = state.status === "streaming";
  const parts = segments(state.content, state.calls);
  const name = modelName(state.model ?? thread.model.value) || "Answer";
  const quiet = streaming && !state.calls.some(({ status }) => status === "running" || status === "awaiting-approval");
  const { branches } = thread;
  const again = {
    disabled: thread.running.value || branches.asking.value || thread.outbox.outgoing.value !== null,
    onClick: () => branches.regenerate(state.id).then(focusComposer),
  };
  const thinking = streaming && parts.length === 0;
  return html`<article class="message answer" aria-label=${name} aria-busy=${String(streaming)}
      data-testid="message" data-role="assistant" data-status=${state.status}>
    ${state.reasoning && html`<${Reasoning} text=${state.reasoning} thinking=${thinking} />`}
    ${parts.map((part, index) => part.calls
      ? html`<${Calls} key=${part.calls[0].id} calls=${part.calls} />`
      : html`<div class="text" dir="auto" key=${`text-${index}`}><${Markdown} text=${part.text} /></div>`)}
    ${quiet && html`<span class="caret" aria-hidden="true"></span>`}
    <${Ending} state=${state} again=${again} />
    ${state.historyFrom && html`<${SeenFrom} question=${thread.find(state.historyFrom)} />`}
    ${!streaming && html`<footer class="message-foot">
      <${Versions} state=${state} thread=${thread} />
      <span class="model" data-testid="model">${name}</span>
      <${Usage} usage=${state.usage} />
      ${state.content && html`<${CopyButton} text=${state.content} what="the answer" />`}
      <${SmallButton} name="again" label="Answer again" data-testid="regenerate" ...${again} />
    </footer>`}
  </article>`;
}

function Ending({ state: { status, error }, again }) {
  const [kind, words] = ENDINGS[status] ?? [];
  if (!error && !words) return null;
  return html`<div class=${`ending ${kind}`} data-testid="ending">
    <${Icon} name=${PICTURES[kind]} /><p>${error || words}</p>
    ${kind === "fault" && html`<button type="button" class="button" ...${again}>Ask again</button>`}
  </div>`;
}

/** The chat had become too long for the model. */
function SeenFrom({ question }) {
  const where = question ? `from “${short(question.state.value.content, QUOTED)}” on` : "from a later message on";
  return html`<div class="ending remark" data-testid="seen-from">
    <${Icon} name="info" /><p>This chat is too long for the model: it saw it only ${where}.</p>
  </div>`;
}

function Usage({ usage }) {
  const count = tokens(usage);
  return count && html`<span class="usage" title=${`Tokens: ${count.long}`} data-testid="usage">${count.short}</span>`;
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
