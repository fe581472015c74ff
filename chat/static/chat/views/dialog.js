/** The frame of every dialog. */
import { html, useEffect, useRef } from "../vendor.js";
import { focusComposer, isFocusLost } from "../lib/focus.js";
import { dialog } from "../state/layout.js";
import { IconButton } from "./icon.js";

export function openDialog(kind, more = {}) {
  dialog.value = { kind, ...more };
}

export function closeDialog() {
  dialog.value = null;
}

/** The frame of every dialog: a heading, a way out, and what is inside. */
export function Dialog({ title, class: more = "", children }) {
  const element = useRef(null);
  useEffect(() => {
    const box = element.current;
    box.showModal();
    return () => {
      box.close(); // gives the focus back where it was, if that still is
      if (isFocusLost(box)) focusComposer();
    };
  }, []);
  const onClick = (event) => event.target === element.current && element.current.close();
  return html`<dialog class=${`dialog ${more}`} ref=${element} aria-labelledby="dialog-title"
    onClose=${closeDialog} onClick=${onClick}>
    <div class="dialog-body">
      <header class="dialog-head">
        <h2 id="dialog-title">${title}</h2>
        <${IconButton} name="close" label="Close" onClick=${() => element.current.close()} />
      </header>
      ${children}
    </div>
  </dialog>`;
}
