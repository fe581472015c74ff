/** What waits for the user outside the thread: questions put to this tab, and calls made by other programs. */
import { html, useEffect, useRef, useState } from "../vendor.js";
import { focusComposer, isTyping } from "../lib/focus.js";
import { dismissCall, outsideCalls } from "../state/approvals.js";
import { questions } from "../state/tab-functions.js";
import { Approval } from "./approval.js";
import { Call } from "./calls.js";
import { Icon, IconButton } from "./icon.js";

export function Tray() {
  const calls = outsideCalls.value;
  if (calls.length + questions.value.length === 0) return null;
  return html`<div class="tray" role="region" aria-label="Waiting for you" data-testid="tray">
    ${questions.value.map((asked) => html`<${Question} key=${`question-${asked.id}`} ...${asked} />`)}
    ${calls.map((call) => html`<${OutsideCall} key=${call.id} call=${call} />`)}
  </div>`;
}

function OutsideCall({ call }) {
  if (call.status === "awaiting-approval") return html`<${Approval} call=${call} />`;
  return html`<div class="outside-call">
    <${Call} call=${call} />
    <${IconButton} name="close" label="Dismiss" onClick=${() => dismissCall(call.id)} />
  </div>`;
}

function Question({ question, choices, answer, decline }) {
  const [text, setText] = useState("");
  const element = useRef(null);
  useEffect(() => {
    const form = element.current;
    // Not a choice: a key pressed at the wrong moment would give an answer.
    if (!isTyping()) (choices.length ? form : form.querySelector("input")).focus();
  }, []);
  const settle = (how, ...answers) => {
    focusComposer();
    how(...answers);
  };
  const onSubmit = (event) => {
    event.preventDefault();
    if (text.trim()) settle(answer, text.trim());
  };
  return html`<form class="ask" data-testid="ask-user" tabindex="-1" ref=${element} aria-label=${question}
      onSubmit=${onSubmit}>
    <header><${Icon} name="question" /><p dir="auto">${question}</p></header>
    ${choices.length > 0 && html`<div class="choices">
      ${choices.map((choice) => html`<button type="button" class="button" key=${choice}
        onClick=${() => settle(answer, choice)}>${choice}</button>`)}
    </div>`}
    <div class="ask-answer">
      <input class="field" dir="auto" aria-label="Your answer" value=${text}
        placeholder=${choices.length ? "Or something else…" : "Your answer…"}
        onInput=${(event) => setText(event.target.value)} />
      <button class="button primary" disabled=${!text.trim()}>Answer</button>
      <button type="button" class="button quiet-button" onClick=${() => settle(decline)}>Decline</button>
    </div>
  </form>`;
}
