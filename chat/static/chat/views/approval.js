/** The card that asks a person whether a call may happen. */
import { html, useEffect, useRef, useState } from "../vendor.js";
import { whereItRuns } from "../lib/text.js";
import { approve, deny } from "../state/approvals.js";
import { knownRemote } from "../state/remotes.js";
import { Data } from "./data.js";
import { Icon } from "./icon.js";

/** `inThread` is false for a call that some program made outside any chat. */
export function Approval({ call, inThread = false }) {
  const element = useRef(null);
  const [step, setStep] = useState("ask"); // ask, edit, reason or busy
  const [edited, setEdited] = useState(null);
  const [reason, setReason] = useState("");
  const [remembering, setRemembering] = useState("");
  const [fault, setFault] = useState(null);
  useEffect(() => takeFocus(element.current), []);
  useEffect(() => step === "reason" && element.current.querySelector("input").focus(), [step]);

  const act = async (work) => {
    const before = step;
    setStep("busy");
    setFault(null);
    try {
      await work();
    } catch (error) {
      setFault(inWords(error));
      setStep(before);
    }
  };
  const allow = () => act(() => approve(call, {
    args: edited === null ? undefined : parsed(edited),
    remember: remembering || undefined,
  }));
  const refuse = () => act(() => deny(call, reason.trim()));
  const remote = knownRemote(call.remotename);
  const title = `${call.remotename} asks: run ${call.function}?`;

  return html`<section class="approval" tabindex="-1" ref=${element} aria-label=${title} data-testid="approval" data-call=${call.id}>
    <header>
      <${Icon} name="hand" />
      <div><h3>Run <code>${call.function}</code> on ${call.remotename}?</h3>
        <p>${remote ? `It runs in ${whereItRuns(remote.client)}. ` : ""}${inThread ? "The model wants this call" : "A program asks for this call, outside any chat"}; nothing happens until you decide.</p></div>
    </header>
    ${step === "edit" || edited !== null
      ? html`<label class="edit-args"><span>Arguments, as JSON</span><textarea class="field code-field" rows="6" value=${edited}
          onInput=${(event) => setEdited(event.target.value)}></textarea></label>`
      : html`<${Data} label="With these values" value=${call.args ?? {}} cut=${call.argsCut} call=${call} part="args" />`}
    ${step === "reason" && html`<input class="field" value=${reason} maxlength="500"
        aria-label="Reason" placeholder="Why not? The model reads this. (You may leave it empty.)"
        onInput=${(event) => setReason(event.target.value)} onKeyDown=${(event) => event.key === "Enter" && refuse()} />`}
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    <div class="actions">
      ${step === "reason" ? html`
        <button type="button" class="button danger" data-testid="deny" onClick=${refuse}>Deny</button>
        <button type="button" class="button" onClick=${() => setStep("ask")}>Back</button>` : html`
        <button type="button" class="button primary" data-testid="approve" disabled=${step === "busy"} onClick=${allow}>Allow</button>
        <button type="button" class="button" data-testid="deny" disabled=${step === "busy"} onClick=${refuse}>Deny</button>
        <button type="button" class="button quiet-button" data-testid="deny-reason" onClick=${() => setStep("reason")}>Deny, saying why</button>
        ${!call.argsCut && edited === null && html`<button type="button" class="button quiet-button"
          onClick=${() => { setEdited(JSON.stringify(call.args ?? {}, null, 2)); setStep("edit"); }}>Change values</button>`}
        <label class="remembering"><span class="offscreen">From now on</span>
          <select class="field" data-testid="remember" value=${remembering} onChange=${(event) => setRemembering(event.target.value)}>
            <option value="">Ask again next time</option>
            ${inThread && html`<option value="thread">Allow it in this chat</option>`}
            <option value="always">Always allow it</option>
          </select></label>`}
    </div>
  </section>`;
}

function parsed(text) {
  const value = JSON.parse(text);
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new SyntaxError("an object is needed");
  return value;
}

function inWords(error) {
  if (error instanceof SyntaxError) return `This is no JSON object: ${error.message}.`;
  const details = (error.details ?? []).filter(({ message }) => !error.message.includes(message));
  return [error.message, ...details.map(({ path, message }) => `${path}: ${message}`)].join(" ");
}

/** The card gets the focus, unless that would take it from somebody who is typing. */
function takeFocus(element) {
  const typing = document.activeElement?.matches("input, textarea") && document.activeElement.value;
  if (!typing && !document.querySelector("dialog[open]")) element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "nearest" });
}
