/** This browser tab as a remote: what it offers, under which name, and the questions put to its user. */

import { Remote, RemotesError } from "../../client/index.js";
import { signal } from "../vendor.js";
import { browserName } from "../lib/browser.js";
import { keepLocation, keepName, keptLocation, keptName } from "../lib/consent.js";
import { freeTabName } from "../lib/tab-names.js";
import { whereItRuns } from "../lib/text.js";
import { note } from "./notices.js";
import { liveRemote, loadRemotes } from "./remotes.js";
import { connection } from "./session.js";
import {
  askUser,
  location as locationFunction,
  locationPossible,
  notify,
  timezoneAndLocale,
} from "./tab-functions.js";

/** `{status: "off"|"connecting"|"on"|"replaced", name, by?}`. */
export const tab = signal({ status: "off", name: freeTabName(() => false) });

/** Whether the user lets this tab tell where it is. */
export const sharesLocation = signal(locationPossible && keptLocation());

/** Whether a row of the remotes (see `remoteRows`) is this tab, and not somebody who has its name now. */
export function isThisTab({ name, remote: about, here }) {
  return name === tab.value.name && (!here || about.own);
}

let remote = null;

/** Offer this tab; resolves with the name that it has. */
export async function offerTab() {
  if (tab.value.status === "on") return tab.value.name;
  await loadRemotes();
  return serveAs(tab.value.status === "replaced" ? tab.value.name : freeName());
}

/** Stop offering this tab. */
export async function withdrawTab() {
  keepName(null);
  tab.value = { ...tab.value, status: "off" };
  await remote?.disconnect().catch(explain);
}

/** Offer the tab's location too, once the browser's own question is answered with yes. */
export async function shareLocation() {
  await locationFunction.handler();
  sharesLocation.value = true;
  keepLocation();
  remote?.function(locationFunction.definition, locationFunction.handler);
  if (tab.value.status === "on") await remote.connect();
}

/** After a reload: offer it again as before; resolves with its name, or null where it was not offered. */
export async function restoreTab() {
  const kept = keptName();
  if (!kept || tab.value.status !== "off") return null;
  await loadRemotes();
  const [navigation] = performance.getEntriesByType("navigation");
  // A duplicated tab brings a copy of what the first one kept; only a reload surely is the same tab.
  const mine = navigation?.type === "reload" || !liveRemote(kept);
  try {
    return await serveAs(mine ? kept : freeName());
  } catch (error) {
    explain(error);
    return null;
  }
}

function freeName() {
  return freeTabName((name) => liveRemote(name) && !liveRemote(name).own);
}

async function serveAs(name) {
  tab.value = { status: "connecting", name };
  if (remote?.name !== name) remote = build(name);
  try {
    await remote.connect();
  } catch (error) {
    tab.value = { status: "off", name };
    throw error;
  }
  return name;
}

function build(name) {
  const built = new Remote(connection, name, {
    title: "Browser tab",
    description: "A browser tab of the chat, and the person in front of it.",
    client: { program: browserName(navigator.userAgent), title: "a browser tab" },
  });
  for (const { definition, handler } of [askUser, notify, timezoneAndLocale]) built.function(definition, handler);
  if (sharesLocation.value) built.function(locationFunction.definition, locationFunction.handler);
  built.on("connected", () => {
    tab.value = { status: "on", name };
    keepName(name);
  });
  built.on("disconnected", (event) => lost(name, event));
  built.on("failed", (error) => {
    tab.value = { status: "off", name };
    explain(error);
  });
  return built;
}

function lost(name, { reason, by }) {
  keepName(null);
  if (reason !== "replaced") {
    tab.value = { status: "off", name };
    return;
  }
  tab.value = { status: "replaced", name, by: whereItRuns(by?.client) };
  note(`${name} was taken over by ${tab.value.by}.`, "fault");
}

function explain(error) {
  if (error instanceof RemotesError) note(`This tab is not connected: ${error.message}`, "fault");
  else throw error;
}
