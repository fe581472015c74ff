/** The frame of every dialog. */
import { html, useLayoutEffect, useRef } from "../vendor.js";
import { focusComposer, isFocusLost } from "../lib/focus.js";
import { dialog } from "../state/layout.js";
import { IconButton } from "./icon.js";

export function openDialog(kind, more = {}) {
  dialog.value = { kind, ...more };
}

export function closeDialog() {
  dialog.value = null;
}

/** What a `<dialog>` needs to be open for as long as it is there, and to give the focus back: its attributes. */
export function useModal() {
  const element = useRef(null);
  useLayoutEffect(() => { // open before it is painted, so that no key is lost
    const box = element.current;
    box.showModal();
    return () => {
      box.close(); // gives the focus back where it was, if that still is
      if (isFocusLost(box)) focusComposer();
    };
  }, []);
  return {
    ref: element,
    // Not once it is gone: then another dialog may be there already.
    onClose: () => element.current && closeDialog(),
    onClick: (event) => event.target === element.current && element.current.close(),
  };
}

/** The frame of most dialogs: a heading, a way out, and what is inside. */
export function Dialog({ title, class: more = "", children }) {
  const modal = useModal();
  return html`<dialog class=${`dialog ${more}`} aria-labelledby="dialog-title" ...${modal}>
    <div class="dialog-body">
      <header class="dialog-head">
        <h2 id="dialog-title">${title}</h2>
        <${IconButton} name="close" label="Close" onClick=${() => modal.ref.current.close()} />
      </header>
      ${children}
    </div>
  </dialog>`;
}
