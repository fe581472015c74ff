/** What every row of the tools panel is made of. */
import { html, useState } from "../vendor.js";
import { Icon } from "./icon.js";

/** On or off, with the words that say what. */
export function Switch({ label, on, onChange, disabled = false }) {
  return html`<label class="switch"><input type="checkbox" role="switch" aria-label=${label} checked=${on} disabled=${disabled}
    onChange=${(event) => onChange(event.target.checked)} /><span></span></label>`;
}

const FEW = 3; // functions named while the list is closed

/** What a remote can do: names in short, and on demand everything. */
export function Functions({ functions, description, children }) {
  const [open, setOpen] = useState(false);
  const names = functions.slice(0, FEW).map(({ name }) => name).join(", ");
  const rest = functions.length - FEW;
  return html`<details class="functions" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary><span>${open ? "Functions" : functions.length === 0 ? "no functions" : names}${!open && rest > 0 ? ` and ${rest} more` : ""}</span><${Icon} name="chevron" /></summary>
    ${description && html`<p class="quiet">${description}</p>`}
    <ul>${functions.map(({ name, description: words, confirm }) => html`<li key=${name}>
      <code>${name}</code>${confirm && html`<span class="chip" title="A person approves each call">asks</span>`}<p>${words}</p></li>`)}</ul>
    ${children}
  </details>`;
}
