/** A button with a short list of actions below it; an action with `data-closes` closes it. */
import { html, useEffect, useRef, useState } from "../vendor.js";

const GAP = 4; // pixels

export function Menu({ label, button, class: more = "", children }) {
  const [open, setOpen] = useState(false);
  const root = useRef(null);
  const panel = useRef(null);
  useEffect(() => (open ? closeOutside(root.current, () => setOpen(false)) : undefined), [open]);
  useEffect(() => {
    if (!open) return;
    place(panel.current, root.current.getBoundingClientRect());
    panel.current.querySelector("button, a, :checked").focus();
  }, [open]);
  const onKeyDown = (event) => {
    if (event.key !== "Escape" || !open) return;
    event.stopPropagation();
    setOpen(false);
    root.current.querySelector("button").focus();
  };
  const onClick = (event) => event.target.closest("[data-closes]") && setOpen(false);
  return html`<div class=${`menu ${more}`} ref=${root} onKeyDown=${onKeyDown}>
    <button type="button" class="menu-button" aria-label=${label} title=${label} aria-expanded=${String(open)}
      onClick=${() => setOpen(!open)}>${button}</button>
    ${open && html`<div class="menu-panel" ref=${panel} onClick=${onClick}>${children}</div>`}
  </div>`;
}

function closeOutside(root, close) {
  const check = (event) => !root.contains(event.target) && close();
  document.addEventListener("pointerdown", check);
  document.addEventListener("focusin", check);
  return () => {
    document.removeEventListener("pointerdown", check);
    document.removeEventListener("focusin", check);
  };
}

/** Put the panel under the button, or above it, wherever it fits on the screen. */
function place(panel, button) {
  const { offsetWidth: width, offsetHeight: height } = panel;
  const below = button.bottom + GAP;
  const top = below + height <= innerHeight ? below : button.top - GAP - height;
  panel.style.top = `${Math.max(GAP, top)}px`;
  panel.style.left = `${Math.max(GAP, Math.min(button.left, innerWidth - width - GAP))}px`;
}
