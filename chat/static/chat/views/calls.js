/** The calls of an answer: one line each, open to arguments and result. */
import { html, useState } from "../vendor.js";
import { duration, shortArgs, whereItRuns } from "../lib/text.js";
import { current } from "../state/chats.js";
import { knownRemote } from "../state/remotes.js";
import { Approval } from "./approval.js";
import { Data } from "./data.js";
import { Icon } from "./icon.js";
import { Pictures } from "./pictures.js";
import { useSeconds } from "./seconds.js";

const PATIENCE = 10; // seconds after which a running call offers a way out

/** Per status: the lamp, the picture, the word. */
export const OUTCOMES = {
  "awaiting-approval": ["warn", "hand", "waits for you"],
  running: ["busy", null, "running"],
  done: ["live", "check", "done"],
  error: ["fault", "cross", "failed"],
  denied: ["away", "denied", "denied"],
  stopped: ["away", "stop", "stopped"],
  interrupted: ["fault", "cross", "interrupted"],
};

export function Calls({ calls }) {
  return html`<div class="calls" role="group" aria-label="Calls">
    ${calls.map((call) => call.status === "awaiting-approval"
      ? html`<${Approval} key=${call.id} call=${call} inThread />`
      : html`<${Call} key=${call.id} call=${call} onStop=${() => current.value.stop()} />`)}
  </div>`;
}

/** `onStop` ends it while it runs, where the page can. */
export function Call({ call, onStop = null }) {
  const [open, setOpen] = useState(false);
  const running = call.status === "running";
  const seconds = useSeconds(call.id, running);
  return html`<div class="call" data-testid="call" data-call=${call.id} data-status=${call.status}>
    <details onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <${Summary} call=${call} seconds=${seconds} />
      ${open && html`<${Detail} call=${call} />`}
    </details>
    ${call.status === "done" && html`<${Pictures} call=${call} />`}
    ${running && call.progress && html`<${Progress} progress=${call.progress} />`}
    ${call.error && call.status !== "done" && html`<p class="call-error" data-testid="call-error">${call.error}</p>`}
    ${running && onStop && seconds >= PATIENCE && html`<p class="call-patience">
      ${call.function} is still running.
      <button type="button" class="button quiet-button" onClick=${onStop}>Stop it</button>
    </p>`}
  </div>`;
}

function Summary({ call, seconds }) {
  const [lamp, picture, word] = OUTCOMES[call.status];
  const time = call.duration ?? (call.status === "running" && seconds > 0 ? seconds : null);
  return html`<summary>
    <span class="lamp" data-state=${lamp}></span>
    <span class="call-name">
      <span class="call-remote">${call.remotename}</span> · <strong>${call.function}</strong>
    </span>
    <code class="call-args">${shortArgs(call.args)}</code>
    <span class="call-time">${time === null ? "" : call.duration == null ? `${time} s` : duration(time)}</span>
    <span class="call-outcome" data-state=${lamp}>
      ${picture && html`<${Icon} name=${picture} />`}
      <span class=${call.status === "done" ? "offscreen" : ""}>${word}</span>
    </span>
    <${Icon} name="chevron" />
  </summary>`;
}

function Progress({ progress: { progress, total, message } }) {
  const known = typeof progress === "number" && typeof total === "number" && total > 0;
  return html`<div class="call-progress">
    <progress max=${known ? total : undefined} value=${known ? progress : undefined}
      aria-label=${message || "Progress"}></progress>
    <span>${message || (known ? `${progress} of ${total}` : "")}</span>
  </div>`;
}

function Detail({ call }) {
  const remote = knownRemote(call.remotename);
  const where = remote ? `: ${whereItRuns(remote.client)}` : " is not connected now";
  const { argsCut, resultCut, errorCut, args = {}, result = null, error, code } = call;
  return html`<div class="call-detail">
    <${Data} label="Arguments" value=${args} cut=${argsCut} call=${call} part="args" />
    ${call.status === "done" && html`<${Data} label="Result" value=${result} cut=${resultCut} call=${call}
      part="result" />`}
    ${errorCut && html`<${Data} label="Error" value=${error} cut call=${call} part="error" />`}
    <p class="quiet">${call.remotename}${where}.${code ? ` Error code: ${code}.` : ""}</p>
  </div>`;
}
