/** A button that copies, and says so. */
import { html, useState } from "../vendor.js";
import { copy } from "../lib/copy.js";
import { announce, note } from "../state/notices.js";
import { SmallButton } from "./icon.js";

const SHOWN = 1_600; // milliseconds

/** `what` is being copied, for those who hear the button. */
export function CopyButton({ text, what }) {
  const [copied, setCopied] = useState(false);
  const onClick = async () => {
    if (!(await copy(text))) return note("The browser did not allow copying; select the text instead.", "fault");
    announce("Copied.");
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN);
  };
  return html`<${SmallButton} name=${copied ? "check" : "copy"} label=${`Copy ${what}`}
    words=${copied ? "Copied" : "Copy"} onClick=${onClick} />`;
}
