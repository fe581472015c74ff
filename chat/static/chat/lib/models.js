/** The models of a server as choices for a thread. */

import { modelName } from "./text.js";

/**
 * `{value, groups: [[endpoint, [{value, label}]]]}`: what is chosen and what could be, by endpoint; "" stands for the
 * server's default. `chosen` is the thread's model or null.
 */
export function modelChoices(models, chosen) {
  const standard = models.find((model) => model.default);
  const value = !chosen || chosen === standard?.id ? "" : chosen;
  const choices = models.map((model) => choice(model, model === standard));
  if (!standard) choices.unshift({ endpoint: "", value: "", label: "Server’s default" });
  if (!choices.some((each) => each.value === value)) {
    choices.unshift({ endpoint: "", value, label: `${modelName(value)} (not there now)` });
  }
  const groups = new Map();
  for (const { endpoint, ...each } of choices) groups.set(endpoint, [...(groups.get(endpoint) ?? []), each]);
  return { value, groups: [...groups] };
}

function choice({ id, name, endpoint }, isStandard) {
  const label = modelName(name);
  return { endpoint, value: isStandard ? "" : id, label: isStandard ? `${label} (default)` : label };
}
