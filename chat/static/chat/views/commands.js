/** What can be done from the keyboard: the shortcuts' actions, and the commands of the palette. */
import { copy } from "../lib/copy.js";
import { current, goTo } from "../state/chats.js";
import { exportThread } from "../state/export.js";
import { chooseTheme, theme, toggleSidebar } from "../state/layout.js";
import { announce, note } from "../state/notices.js";
import { remoteRows } from "../state/remotes.js";
import { isThisTab, offerTab, tab } from "../state/tab.js";
import { openDialog } from "./dialog.js";

/** What each shortcut does, by its id. */
export const ACTIONS = {
  palette: () => openDialog("palette"),
  "new-chat": () => goTo(null),
  focus: () => document.getElementById("composer").focus(),
  sidebar: toggleSidebar,
  "copy-code": copyLastCode,
  help: () => openDialog("help"),
};

async function copyLastCode() {
  const code = [...document.querySelectorAll(".conversation .code code")].at(-1);
  if (!code) return note("There is no code in this chat yet.");
  if (!(await copy(code.textContent))) return note("The browser did not allow copying.", "fault");
  return announce("Copied the last code.");
}

/** The palette's commands as of now, `{id, label, icon, shortcut?, run}`. */
export function commands() {
  const thread = current.value;
  return [
    { id: "new-chat", label: "New chat", icon: "plus", shortcut: "new-chat", run: ACTIONS["new-chat"] },
    ...(thread.running.value ? [{ id: "stop", label: "Stop the answer", icon: "stop", run: () => thread.stop() }] : []),
    ...switches(thread),
    { id: "connect", label: "Connect something", icon: "laptop", run: () => openDialog("connect") },
    ...(thread.id ? aboutThread(thread.about.value) : []),
    { id: "copy-code", label: "Copy the last code", icon: "copy", shortcut: "copy-code", run: copyLastCode },
    { id: "sidebar", label: "Show or hide the chats", icon: "menu", shortcut: "sidebar", run: toggleSidebar },
    ...themes(),
    { id: "help", label: "Keyboard shortcuts", icon: "keyboard", shortcut: "help", run: ACTIONS.help },
  ];
}

function switches(thread) {
  const wanted = thread.about.value.remotes;
  const rows = remoteRows(wanted).filter((row) => !isThisTab(row));
  const own = wanted.includes(tab.value.name) && tab.value.status === "on";
  return [
    ...rows.map(({ name, here }) => {
      const on = wanted.includes(name);
      const label = `Switch ${name} ${on ? "off" : "on"} in this chat${here ? "" : " (away)"}`;
      return { id: `remote ${name}`, label, icon: "tools", run: () => thread.switchRemote(name, !on) };
    }),
    own
      ? { id: "tab", label: "Switch this tab off in this chat", icon: "tab",
          run: () => thread.switchRemote(tab.value.name, false) }
      : { id: "tab", label: "Switch this tab on in this chat", icon: "tab", run: () => useTab(thread) },
  ];
}

async function useTab(thread) {
  try {
    await thread.switchRemote(await offerTab(), true);
  } catch (error) {
    note(`This tab is not connected: ${error.message}`, "fault");
  }
}

function aboutThread(thread) {
  return [
    { id: "rename", label: "Rename this chat", icon: "edit", run: () => openDialog("rename", { thread }) },
    { id: "md", label: "Export this chat as Markdown", icon: "save", run: () => exportThread(thread.id, "md") },
    { id: "json", label: "Export this chat as JSON", icon: "save", run: () => exportThread(thread.id, "json") },
    { id: "delete", label: "Delete this chat", icon: "bin", run: () => openDialog("delete", { thread }) },
  ];
}

const THEMES = [["light", "Light theme", "sun"], ["dark", "Dark theme", "moon"], ["system", "Theme of the system", "screen"]];

function themes() {
  return THEMES.filter(([choice]) => choice !== theme.value)
    .map(([choice, label, icon]) => ({ id: choice, label, icon, run: () => chooseTheme(choice) }));
}
