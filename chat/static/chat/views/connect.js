/** The dialog that shows the line which connects a program, and lights up when one arrives. */
import { html, useEffect, useMemo, useState } from "../vendor.js";
import { isWindows } from "../lib/browser.js";
import { counted, whereItRuns } from "../lib/text.js";
import { current } from "../state/chats.js";
import { fetchConnectLines } from "../state/connect-lines.js";
import { arrivals, liveRemote } from "../state/remotes.js";
import { CopyButton } from "./copy-button.js";
import { closeDialog, Dialog } from "./dialog.js";

export function ConnectDialog() {
  const opened = useMemo(() => Date.now(), []);
  const [lines, setLines] = useState(null);
  const [fault, setFault] = useState(null);
  const load = () => {
    setFault(null);
    fetchConnectLines().then(setLines, (error) => setFault(error.message));
  };
  useEffect(load, []);
  return html`<${Dialog} title="Connect something">
    <p>Run this in a terminal on the computer whose functions the agent may call. It needs Python 3.10 or newer and
      nothing else; it dials out, so no port is opened.</p>
    ${fault && html`<div class="fault-box" role="alert">
      <p>${fault}</p><button type="button" class="button" onClick=${load}>Try again</button>
    </div>`}
    ${!fault && !lines && html`<p class="quiet" role="status">Making a line for you…</p>`}
    ${lines && html`<${Lines} lines=${lines} /><${Arrival} since=${opened} />`}
  <//>`;
}

function Lines({ lines }) {
  const systems = [["posix", "macOS and Linux"], ["windows", "Windows"]];
  if (isWindows(navigator.userAgent)) systems.reverse();
  return html`${systems.map(([system, label]) => html`<section class="line" key=${system}>
      <header><h3>${label}</h3><${CopyButton} text=${lines[system]} what=${`the line for ${label}`} /></header>
      <pre class="line-text" data-testid=${`connect-line-${system}`} tabindex="0">${lines[system]}</pre>
    </section>`)}
    <p class="quiet">The line holds a fresh token: whoever has it can connect programs as you, so treat it like a
      password. The functions are in the file it names, ordinary Python that you can edit; if the file is not there
      yet, a small starter is written.</p>`;
}

/** Waits for the first remote that connects after the dialog was opened. */
function Arrival({ since }) {
  const newest = arrivals.value.find(({ at }) => at >= since);
  const remote = newest && liveRemote(newest.name);
  if (!remote) {
    return html`<div class="arrival" role="status" data-testid="arrival">
      <span class="lamp" data-state="busy"></span><span>Waiting for a program to connect…</span>
    </div>`;
  }
  const on = current.value.about.value.remotes.includes(newest.name);
  const use = async () => {
    if (!on) await current.value.switchRemote(newest.name, true);
    closeDialog();
  };
  return html`<div class="arrival here" role="status" data-testid="arrival">
    <span class="lamp" data-state="live"></span>
    <span><strong>${newest.name}</strong> is connected: ${counted(remote.functions.length, "function")}, from${" "}
      ${whereItRuns(remote.client)}.</span>
    <button type="button" class="button primary" onClick=${use}>${on ? "Done" : "Use it in this chat"}</button>
  </div>`;
}
