/** This browser tab among the remotes: switched on by the user, with what the browser lets it do. */
import { html, useState } from "../vendor.js";
import { note } from "../state/notices.js";
import { connectivity } from "../state/session.js";
import {
  allowNotifications,
  askUser,
  location as locationFunction,
  locationPossible,
  notify,
  notifying,
  timezoneAndLocale,
} from "../state/tab-functions.js";
import { offerTab, shareLocation, sharesLocation, tab, withdrawTab } from "../state/tab.js";
import { Functions, Head } from "./remote-parts.js";

const LAMPS = { off: "away", connecting: "busy", on: "live", replaced: "away" };

const WHERE = {
  off: (_, wanted) => (wanted ? "switched on for this chat, but not connected" : "let the agent ask you things"),
  connecting: () => "connecting…",
  on: ({ name }) => `connected as ${name}`,
  replaced: () => "lost its name",
};

export function TabRow({ thread, working }) {
  const [connecting, setConnecting] = useState(false);
  const { name } = tab.value;
  const serving = tab.value.status === "on";
  const status = serving && connectivity.value !== "open" ? "connecting" : tab.value.status;
  const wanted = thread.about.value.remotes.includes(name);
  const connect = async () => {
    if (connecting) return;
    setConnecting(true);
    try {
      await thread.switchRemote(await offerTab(), true);
    } catch (error) {
      note(`This tab is not connected: ${error.message}`, "fault");
    }
    setConnecting(false);
  };
  return html`<li class="remote" data-testid="this-tab" data-remote=${name} data-here=${String(status === "on")}>
    <${Head} lamp=${status === "on" && working ? "busy" : LAMPS[status]} name="This tab"
      where=${WHERE[status](tab.value, wanted)} label="Use this tab in this chat"
      on=${connecting || (wanted && serving)}
      onChange=${(next) => (next ? connect() : thread.switchRemote(name, false))} />
    ${status === "replaced" && html`<${Replaced} onTakeBack=${connect} />`}
    <${Functions} functions=${offered()}>
      <${Permissions} />
      ${serving && html`<button type="button" class="button" onClick=${withdrawTab}>Disconnect this tab</button>`}
    <//>
  </li>`;
}

function Replaced({ onTakeBack }) {
  const { name, by } = tab.value;
  return html`<div class="takeover" role="alert" data-testid="replaced">
    <p>The name ${name} was taken over by ${by}. Two owners can't share a name, so this tab let go.</p>
    <button type="button" class="button" data-testid="take-back" onClick=${onTakeBack}>Take it back</button>
  </div>`;
}

function offered() {
  const functions = [askUser, notify, timezoneAndLocale, ...(sharesLocation.value ? [locationFunction] : [])];
  return functions.map(({ definition }) => definition);
}

/** What the browser could let this tab do, and what it can't here. */
function Permissions() {
  const share = () => shareLocation().catch((error) => note(`The location is not shared: ${error.message}`, "fault"));
  return html`<div class="permissions">
    ${notifying.value === "default" && html`<button type="button" class="button" onClick=${allowNotifications}>
      Allow system notifications</button>`}
    ${notifying.value === "denied" && html`<p class="quiet">The browser blocks notifications of this page, so they are
      shown inside it.</p>`}
    ${locationPossible && !sharesLocation.value && html`<button type="button" class="button" onClick=${share}>
      Share my location too</button>`}
    ${!isSecureContext && html`<p class="quiet">This page came over plain HTTP, where browsers allow neither system
      notifications nor the location.</p>`}
  </div>`;
}
