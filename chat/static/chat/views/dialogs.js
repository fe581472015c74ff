/** Whichever dialog is open. */
import { html, useState } from "../vendor.js";
import { deleteThread, renameThread } from "../state/chats.js";
import { dialog } from "../state/layout.js";
import { ConnectDialog } from "./connect.js";
import { closeDialog, Dialog } from "./dialog.js";
import { HelpDialog } from "./keys.js";
import { Palette } from "./palette.js";

function RenameDialog({ thread }) {
  const [title, setTitle] = useState(thread.title);
  const onSubmit = (event) => {
    event.preventDefault();
    closeDialog();
    if (title.trim()) renameThread(thread.id, title.trim());
  };
  return html`<${Dialog} title="Rename chat" class="small">
    <form class="stack" onSubmit=${onSubmit}>
      <input class="field" aria-label="Title" autofocus maxlength="200" value=${title}
        onFocus=${(event) => event.target.select()} onInput=${(event) => setTitle(event.target.value)} />
      <div class="actions">
        <button type="button" class="button" onClick=${closeDialog}>Cancel</button>
        <button class="button primary">Rename</button>
      </div>
    </form>
  <//>`;
}

function DeleteDialog({ thread }) {
  const onClick = async () => {
    if (await deleteThread(thread.id)) closeDialog();
  };
  return html`<${Dialog} title="Delete this chat?" class="small">
    <p>“${thread.title || "New chat"}” and everything in it will be gone for good. An answer that is being written
      stops.</p>
    <div class="actions">
      <button type="button" class="button" autofocus onClick=${closeDialog}>Keep it</button>
      <button type="button" class="button danger" onClick=${onClick}>Delete</button>
    </div>
  <//>`;
}

const DIALOGS = {
  rename: RenameDialog,
  delete: DeleteDialog,
  connect: ConnectDialog,
  help: HelpDialog,
  palette: Palette,
};

export function Dialogs() {
  if (!dialog.value) return null;
  const { kind, ...more } = dialog.value;
  return html`<${DIALOGS[kind]} ...${more} />`;
}
