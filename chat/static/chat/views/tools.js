/** The panel on the right: every remote with its lamp, what it can do, and whether this chat may use it. */
import { html } from "../vendor.js";
import { whereItRuns } from "../lib/text.js";
import { current } from "../state/chats.js";
import { overlay } from "../state/layout.js";
import { note } from "../state/notices.js";
import { disconnectRemote, forgetTakeover, loadRemotes, remoteRows, remotesFault, takeovers } from "../state/remotes.js";
import { connectivity } from "../state/session.js";
import { tab } from "../state/tab.js";
import { openDialog } from "./dialog.js";
import { Icon, IconButton } from "./icon.js";
import { Functions, Switch } from "./remote-parts.js";
import { TabRow } from "./tab-row.js";

export function Tools() {
  const thread = current.value;
  const wanted = thread.about.value.remotes;
  const rows = remoteRows(wanted).filter(({ name, remote, here }) => !(name === tab.value.name && (!here || remote.own)));
  return html`<aside class="tools" aria-labelledby="tools-heading" data-open=${overlay.value === "tools"}>
    <header><h2 id="tools-heading">Tools in this chat</h2>
      <${IconButton} name="close" label="Close" class="only-medium" onClick=${() => (overlay.value = null)} /></header>
    ${remotesFault.value && html`<div class="fault" role="alert"><p>${remotesFault.value}</p><button type="button" class="button" onClick=${loadRemotes}>Try again</button></div>`}
    <ul class="remotes">
      ${rows.map((row) => html`<${RemoteRow} key=${row.name} row=${row} on=${wanted.includes(row.name)} thread=${thread} />`)}
      <${TabRow} key="this tab" thread=${thread} />
    </ul>
    <button type="button" class="connect-button" data-testid="connect" onClick=${() => openDialog("connect")}><${Icon} name="plus" />Connect something</button>
  </aside>`;
}

function RemoteRow({ row: { name, remote, here }, on, thread }) {
  const working = calls(thread).some((call) => call.remotename === name && call.status === "running");
  const reachable = here && connectivity.value === "open";
  const lamp = reachable ? (working ? "busy" : "live") : "away";
  const where = here ? whereItRuns(remote.client) : on ? "away; it counts again once it is back" : "away";
  const takenOver = takeovers.value.get(name);
  return html`<li class="remote" data-testid="remote" data-remote=${name} data-here=${String(here)}>
    <div class="remote-head">
      <span class="lamp" data-state=${lamp}></span>
      <span class="remote-words"><span class="remote-name" title=${remote?.title || name}>${name}</span><span class="remote-where">${where}</span></span>
      <${Switch} label=${`Use ${name} in this chat`} on=${on} onChange=${(next) => thread.switchRemote(name, next)} />
    </div>
    ${takenOver && html`<div class="takeover" role="status"><p>${takenOver}</p>
      <button type="button" class="button" onClick=${() => forgetTakeover(name)}>All right</button></div>`}
    ${remote && html`<${Functions} functions=${remote.functions} description=${remote.description}>
      ${here && html`<button type="button" class="button" onClick=${() => disconnect(name)}>Disconnect ${name}</button>`}
    <//>`}
  </li>`;
}

function calls(thread) {
  return thread.messages.value.flatMap((message) => message.state.value.calls);
}

function disconnect(name) {
  disconnectRemote(name).catch((error) => note(`${name} was not disconnected: ${error.message}`, "fault"));
}
