/** A button that copies, and says so. */
import { html, useState } from "../vendor.js";
import { copy } from "../lib/copy.js";
import { announce, note } from "../state/notices.js";
import { Icon } from "./icon.js";

const SHOWN = 1_600; // milliseconds

export function CopyButton({ text, label = "Copy", what = "", class: more = "" }) {
  const [copied, setCopied] = useState(false);
  const onClick = async () => {
    if (!(await copy(text))) return note("The browser did not allow copying; select the text instead.", "fault");
    announce("Copied.");
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN);
  };
  return html`<button type="button" class=${`copy ${more}`} aria-label=${what ? `${label} ${what}` : label} onClick=${onClick}>
    <${Icon} name=${copied ? "check" : "copy"} /><span>${copied ? "Copied" : label}</span>
  </button>`;
}
