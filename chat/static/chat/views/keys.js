/** Keys as they look on a keyboard, and the dialog that lists them. */
import { html } from "../vendor.js";
import { isApple } from "../lib/browser.js";
import { keyNames, LOCAL_KEYS, SHORTCUTS } from "../lib/shortcuts.js";
import { Dialog } from "./dialog.js";

export function Keys({ told }) {
  const names = keyNames(told, isApple(navigator.userAgent));
  return html`<span class="keys">${names.map((name) => html`<kbd key=${name}>${name}</kbd>`)}</span>`;
}

export function HelpDialog() {
  return html`<${Dialog} title="Keyboard shortcuts" class="small">
    <dl class="shortcuts">
      ${[...SHORTCUTS, ...LOCAL_KEYS].map(({ words, told }) => html`<div key=${words}>
        <dt>${words}</dt><dd><${Keys} told=${told} /></dd>
      </div>`)}
    </dl>
  <//>`;
}
