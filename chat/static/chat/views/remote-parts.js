/** What every row of the tools panel is made of. */
import { html, useState } from "../vendor.js";
import { Icon } from "./icon.js";

const FEW = 3; // functions named while the list is closed

/** The line of a remote: its lamp, its name, where it runs, and whether this chat may use it. */
export function Head({ lamp, name, where, label, on, onChange }) {
  return html`<div class="remote-head">
    <span class="lamp" data-state=${lamp}></span>
    <span class="remote-words">
      <span class="remote-name" title=${name}>${name}</span><span class="remote-where">${where}</span>
    </span>
    <label class="switch">
      <input type="checkbox" role="switch" data-testid="switch" aria-label=${label} checked=${on}
        onChange=${(event) => onChange(event.target.checked)} /><span></span>
    </label>
  </div>`;
}

/** What a remote can do: names in short, and on demand everything. */
export function Functions({ functions, description, children }) {
  const [open, setOpen] = useState(false);
  return html`<details class="functions" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary><span>${open ? "Functions" : inShort(functions)}</span><${Icon} name="chevron" /></summary>
    ${description && html`<p class="quiet">${description}</p>`}
    <ul>${functions.map(({ name, description: words, confirm }) => html`<li key=${name}>
      <code>${name}</code>${confirm && html`<span class="chip" title="A person approves each call">asks</span>`}
      <p>${words}</p>
    </li>`)}</ul>
    ${children}
  </details>`;
}

function inShort(functions) {
  if (functions.length === 0) return "no functions";
  const names = functions.slice(0, FEW).map(({ name }) => name).join(", ");
  return functions.length > FEW ? `${names} and ${functions.length - FEW} more` : names;
}
