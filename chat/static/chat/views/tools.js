/** The panel on the right: every remote with its lamp, what it can do, and whether this chat may use it. */
import { html } from "../vendor.js";
import { duration, whereItRuns } from "../lib/text.js";
import { current } from "../state/chats.js";
import { overlay } from "../state/layout.js";
import { note } from "../state/notices.js";
import {
  disconnectRemote,
  forgetTakeover,
  loadRemotes,
  remoteRows,
  remotesFault,
  takeovers,
} from "../state/remotes.js";
import { connectivity } from "../state/session.js";
import { isThisTab, tab } from "../state/tab.js";
import { OUTCOMES } from "./calls.js";
import { openDialog } from "./dialog.js";
import { Icon, IconButton } from "./icon.js";
import { Functions, Head } from "./remote-parts.js";
import { TabRow } from "./tab-row.js";

const RECENT = 5; // calls listed below the remotes

export function Tools() {
  const thread = current.value;
  const wanted = thread.about.value.remotes;
  const calls = thread.messages.value.flatMap((message) => message.state.value.calls);
  return html`<aside class="tools" aria-labelledby="tools-heading" data-open=${overlay.value === "tools"}>
    <header>
      <h2 id="tools-heading">Tools in this chat</h2>
      <${IconButton} name="close" label="Close" class="only-medium" onClick=${() => (overlay.value = null)} />
    </header>
    ${remotesFault.value && html`<div class="fault-box" role="alert">
      <p class="fault">${remotesFault.value}</p>
      <button type="button" class="button" onClick=${loadRemotes}>Try again</button>
    </div>`}
    <ul class="remotes">
      ${remoteRows(wanted).filter((row) => !isThisTab(row)).map((row) => html`<${RemoteRow} key=${row.name} row=${row}
        thread=${thread} on=${wanted.includes(row.name)} working=${isWorking(row.name, calls)} />`)}
      <${TabRow} key="this tab" thread=${thread} working=${isWorking(tab.value.name, calls)} />
    </ul>
    <button type="button" class="connect-button" data-testid="connect" onClick=${() => openDialog("connect")}>
      <${Icon} name="plus" />Connect something
    </button>
    <${Recent} calls=${calls} />
  </aside>`;
}

function isWorking(name, calls) {
  return calls.some((call) => call.remotename === name && call.status === "running");
}

function RemoteRow({ row: { name, remote, here }, thread, on, working }) {
  const reachable = here && connectivity.value === "open";
  const away = on ? "away; it counts again once it is back" : "away";
  const takenOver = takeovers.value.get(name);
  return html`<li class="remote" data-testid="remote" data-remote=${name} data-here=${String(here)}>
    <${Head} lamp=${reachable ? (working ? "busy" : "live") : "away"} name=${name}
      where=${here ? whereItRuns(remote.client) : away} label=${`Use ${name} in this chat`} on=${on}
      onChange=${(next) => thread.switchRemote(name, next)} />
    ${takenOver && html`<div class="takeover" role="status" data-testid="takeover">
      <p>${takenOver}</p>
      <button type="button" class="button" onClick=${() => forgetTakeover(name)}>All right</button>
    </div>`}
    ${remote && html`<${Functions} functions=${remote.functions} description=${remote.description}>
      ${here && html`<button type="button" class="button" onClick=${() => disconnect(name)}>
        Disconnect ${name}</button>`}
    <//>`}
  </li>`;
}

function disconnect(name) {
  disconnectRemote(name).catch((error) => note(`${name} was not disconnected: ${error.message}`, "fault"));
}

/** The last calls of the thread, newest first; each leads to its place. */
function Recent({ calls }) {
  if (calls.length === 0) return null;
  return html`<section class="recent">
    <h3>Recent calls</h3>
    <ul>${calls.slice(-RECENT).reverse().map((call) => html`<${RecentCall} key=${call.id} call=${call} />`)}</ul>
  </section>`;
}

function RecentCall({ call }) {
  const [lamp, picture, word] = OUTCOMES[call.status];
  return html`<li><button type="button" onClick=${() => showCall(call.id)}>
    <strong>${call.function}</strong>
    <span>${call.status === "done" && call.duration != null ? duration(call.duration) : word}</span>
    <span class="call-outcome" data-state=${lamp}>${picture && html`<${Icon} name=${picture} />`}</span>
  </button></li>`;
}

function showCall(id) {
  overlay.value = null;
  const card = document.querySelector(`.conversation [data-call="${CSS.escape(id)}"]`);
  card.scrollIntoView({ block: "center" });
  card.querySelector("summary, button").focus({ preventScroll: true });
}
