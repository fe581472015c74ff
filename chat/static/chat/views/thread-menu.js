/** What can be done with a thread. */
import { html } from "../vendor.js";
import { exportThread } from "../state/export.js";
import { openDialog } from "./dialog.js";
import { Icon } from "./icon.js";
import { Menu } from "./menu.js";

export function ThreadMenu({ thread }) {
  const label = `More about ${thread.title || "this chat"}`;
  return html`<${Menu} label=${label} button=${html`<${Icon} name="more" />`}>
    <button type="button" data-closes onClick=${() => openDialog("rename", { thread })}>
      <${Icon} name="edit" />Rename
    </button>
    <button type="button" data-closes onClick=${() => exportThread(thread.id, "md")}>
      <${Icon} name="save" />Export as Markdown
    </button>
    <button type="button" data-closes onClick=${() => exportThread(thread.id, "json")}>
      <${Icon} name="save" />Export as JSON
    </button>
    <button type="button" class="danger-text" data-closes onClick=${() => openDialog("delete", { thread })}>
      <${Icon} name="bin" />Delete
    </button>
  <//>`;
}
