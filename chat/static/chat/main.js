/** Starts the chat page. */
import { startApprovals, forgetWaiting } from "./state/approvals.js";
import { catchUp, current, startChats } from "./state/chats.js";
import { loadModels } from "./state/models.js";
import { loadRemotes, startRemotes } from "./state/remotes.js";
import { startSession } from "./state/session.js";
import { restoreTab } from "./state/tab.js";
import { startTitle } from "./state/title.js";
import { html, render } from "./vendor.js";
import { App } from "./views/app.js";

startRemotes();
startApprovals();
startChats();
startTitle();
startSession(() => {
  forgetWaiting();
  loadRemotes();
  loadModels();
  catchUp();
  restoreTab().then(useTabInNewChat);
});
/** A reload of a new chat keeps this tab switched on for it. */
function useTabInNewChat(name) {
  const thread = current.value;
  if (name && !thread.id && !thread.about.value.remotes.includes(name)) thread.switchRemote(name, true);
}

render(html`<${App} />`, document.getElementById("app"));
