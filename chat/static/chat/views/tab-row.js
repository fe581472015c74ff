/** This browser tab among the remotes: switched on by the user, with what the browser lets it do. */
import { html, useState } from "../vendor.js";
import { note } from "../state/notices.js";
import { connectivity } from "../state/session.js";
import { allowNotifications, askUser, location as locationFunction, locationPossible, notify, notifying, timezoneAndLocale } from "../state/tab-functions.js";
import { offerTab, shareLocation, sharesLocation, tab, withdrawTab } from "../state/tab.js";
import { Functions, Switch } from "./remote-parts.js";

export function TabRow({ thread }) {
  const [busy, setBusy] = useState(false);
  const { status: said, name } = tab.value;
  const status = said === "on" && connectivity.value !== "open" ? "connecting" : said;
  const wanted = thread.about.value.remotes.includes(name);
  const on = busy || (wanted && said === "on");
  const act = (work) => async () => {
    setBusy(true);
    await work().catch((error) => note(`This tab is not connected: ${error.message}`, "fault"));
    setBusy(false);
  };
  const connect = act(async () => thread.switchRemote(await offerTab(), true));
  const onChange = (next) => (next ? connect() : thread.switchRemote(name, false));
  return html`<li class="remote" data-testid="this-tab" data-remote=${name} data-here=${String(status === "on")}>
    <div class="remote-head">
      <span class="lamp" data-state=${status === "on" ? "live" : status === "connecting" ? "busy" : "away"}></span>
      <span class="remote-words"><span class="remote-name">This tab</span><span class="remote-where">${WHERE[status](tab.value, wanted)}</span></span>
      <${Switch} label="Use this tab in this chat" on=${on} disabled=${busy} onChange=${onChange} />
    </div>
    ${status === "replaced" && html`<div class="takeover" role="alert" data-testid="replaced"><p>The name ${name} was taken over by ${tab.value.by}. Two owners can't share a name, so this tab let go.</p>
      <button type="button" class="button" data-testid="take-back" onClick=${connect}>Take it back</button></div>`}
    <${Functions} functions=${offered()}>
      <${Permissions} />
      ${status === "on" && html`<button type="button" class="button" onClick=${act(withdrawTab)}>Disconnect this tab</button>`}
    <//>
  </li>`;
}

const WHERE = {
  off: (_, wanted) => (wanted ? "switched on for this chat, but not connected" : "let the agent ask you things"),
  connecting: () => "connecting…",
  on: ({ name }) => `connected as ${name}`,
  replaced: () => "lost its name",
};

function offered() {
  const functions = [askUser, notify, timezoneAndLocale, ...(sharesLocation.value ? [locationFunction] : [])];
  return functions.map(({ definition }) => definition);
}

function Permissions() {
  const share = () => shareLocation().catch((error) => note(`The location is not shared: ${error.message}`, "fault"));
  return html`<div class="permissions">
    ${notifying.value === "default" && html`<button type="button" class="button" onClick=${allowNotifications}>Allow system notifications</button>`}
    ${notifying.value === "denied" && html`<p class="quiet">The browser blocks notifications of this page, so they are shown inside it.</p>`}
    ${locationPossible && !sharesLocation.value && html`<button type="button" class="button" onClick=${share}>Share my location too</button>`}
    ${!isSecureContext && html`<p class="quiet">This page came over plain HTTP, where browsers allow neither system notifications nor the location.</p>`}
  </div>`;
}
