/** Which model answers in a thread: to choose where there are several, else to read. */
import { html } from "../vendor.js";
import { modelChoices } from "../lib/models.js";
import { modelName } from "../lib/text.js";
import { loadModels, offer } from "../state/models.js";

export function ModelPicker({ thread }) {
  const { models, errors } = offer.value;
  if (models.length < 2) return html`<${ModelChip} name=${thread.model.value} />`;
  const { value, groups } = modelChoices(models, thread.about.value.model);
  const several = groups.filter(([endpoint]) => endpoint).length > 1;
  return html`<select class="model-picker" aria-label="Model" data-testid="model-picker" value=${value}
      title=${["The model that answers in this chat", ...errors].join("\n")} onFocus=${loadModels}
      onChange=${(event) => thread.chooseModel(event.target.value || null)}>
    ${groups.map(([endpoint, choices]) => several && endpoint
      ? html`<optgroup key=${endpoint} label=${endpoint}><${Options} choices=${choices} value=${value} /></optgroup>`
      : html`<${Options} key=${endpoint} choices=${choices} value=${value} />`)}
  </select>`;
}

function Options({ choices, value }) {
  return choices.map((choice) => html`<option key=${choice.value} value=${choice.value}
    selected=${choice.value === value}>${choice.label}</option>`);
}

function ModelChip({ name }) {
  if (!name) return null;
  const words = name === "demo" ? "The built-in demo: a script that needs no key, and no AI" : "The model of this chat";
  return html`<span class="chip" title=${words}>${modelName(name)}</span>`;
}
