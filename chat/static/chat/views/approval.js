/** The card that asks a person whether a call may happen. */
import { html, useEffect, useRef, useState } from "../vendor.js";
import { focusComposer, isFocusLost, isTyping } from "../lib/focus.js";
import { whereItRuns } from "../lib/text.js";
import { approve, deny } from "../state/approvals.js";
import { knownRemote } from "../state/remotes.js";
import { Data } from "./data.js";
import { Icon } from "./icon.js";

/** `inThread` is false for a call that some program made outside any chat. */
export function Approval({ call, inThread = false }) {
  const { args = {} } = call;
  const element = useRef(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState(null);
  const [edited, setEdited] = useState(null); // JSON text, or null while the values are the model's
  const [reason, setReason] = useState(null); // null while no reason is asked for
  const [remembering, setRemembering] = useState("");
  useEffect(() => takeFocus(element.current), []);

  const act = async (work) => {
    element.current.focus({ preventScroll: true }); // the button that has the focus is about to be disabled
    setBusy(true);
    setFault(null);
    try {
      await work();
      if (isFocusLost(element.current)) focusComposer();
    } catch (error) {
      setFault(inWords(error));
      setBusy(false);
    }
  };
  const allow = () => act(() => {
    const changed = edited === null ? undefined : parsed(edited);
    return approve(call, { args: changed, remember: remembering || undefined });
  });
  const refuse = () => act(() => deny(call, reason?.trim()));

  return html`<section class="approval" tabindex="-1" ref=${element} data-testid="approval" data-call=${call.id}
      aria-label=${`${call.remotename} asks: run ${call.function}?`}>
    <${Head} call=${call} inThread=${inThread} />
    ${edited === null
      ? html`<${Data} label="With these values" value=${args} cut=${call.argsCut} call=${call} part="args" />`
      : html`<${Editor} text=${edited} onInput=${setEdited} />`}
    ${reason !== null && html`<${Reason} text=${reason} onInput=${setReason} onEnter=${refuse} />`}
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    ${reason !== null
      ? html`<div class="actions">
          <${Choice} id="deny" kind="danger" disabled=${busy} onClick=${refuse}>Deny<//>
          <${Choice} id="back" onClick=${() => setReason(null)}>Back<//>
        </div>`
      : html`<div class="actions">
          <${Choice} id="approve" kind="primary" disabled=${busy} onClick=${allow}>Allow<//>
          <${Choice} id="deny" disabled=${busy} onClick=${refuse}>Deny<//>
          <${Choice} id="deny-reason" kind="quiet-button" onClick=${() => setReason("")}>Deny, saying why<//>
          ${edited === null && !call.argsCut && html`<${Choice} id="edit-args" kind="quiet-button"
            onClick=${() => setEdited(JSON.stringify(args, null, 2))}>Change values<//>`}
          <${Remembering} value=${remembering} inThread=${inThread} onChange=${setRemembering} />
        </div>`}
  </section>`;
}

function Head({ call, inThread }) {
  const remote = knownRemote(call.remotename);
  const asker = inThread ? "The model wants this call" : "A program asks for this call, outside any chat";
  return html`<header>
    <${Icon} name="hand" />
    <div>
      <h3>Run <code>${call.function}</code> on ${call.remotename}?</h3>
      <p>${remote ? `It runs in ${whereItRuns(remote.client)}. ` : ""}${asker}; nothing happens until you decide.</p>
    </div>
  </header>`;
}

function Choice({ id, kind = "", children, ...rest }) {
  return html`<button type="button" class=${`button ${kind}`} data-testid=${id} ...${rest}>${children}</button>`;
}

function Editor({ text, onInput }) {
  return html`<label class="edit-args">
    <span>Arguments, as JSON</span>
    <textarea class="field code-field" rows="6" value=${text}
      onInput=${(event) => onInput(event.target.value)}></textarea>
  </label>`;
}

function Reason({ text, onInput, onEnter }) {
  const input = useRef(null);
  useEffect(() => input.current.focus(), []);
  return html`<input class="field" ref=${input} value=${text} maxlength="500" aria-label="Reason"
    placeholder="Why not? The model reads this. (You may leave it empty.)"
    onInput=${(event) => onInput(event.target.value)} onKeyDown=${(event) => event.key === "Enter" && onEnter()} />`;
}

function Remembering({ value, inThread, onChange }) {
  return html`<label class="remembering">
    <span class="offscreen">From now on</span>
    <select class="field" data-testid="remember" value=${value} onChange=${(event) => onChange(event.target.value)}>
      <option value="">Ask again next time</option>
      ${inThread && html`<option value="thread">Allow it in this chat</option>`}
      <option value="always">Always allow it</option>
    </select>
  </label>`;
}

function parsed(text) {
  const value = JSON.parse(text);
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  if (!isObject) throw new SyntaxError("an object in braces is needed");
  return value;
}

function inWords(error) {
  if (error instanceof SyntaxError) return `This is no JSON object: ${error.message}.`;
  const details = (error.details ?? []).filter(({ message }) => !error.message.includes(message));
  return [error.message, ...details.map(({ path, message }) => `${path}: ${message}`)].join(" ");
}

/** The card gets the focus, unless that would take it from somebody who is typing. */
function takeFocus(element) {
  if (!isTyping() && !document.querySelector("dialog[open]")) element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest" });
}
