/** The arrows between the versions of a message. */
import { html, useEffect, useRef } from "../vendor.js";
import { versions } from "../lib/branch.js";
import { announce } from "../state/notices.js";
import { Icon } from "./icon.js";

const ARROWS = [["before", "back", "Earlier version"], ["after", "chevron", "Later version"]];

export function Versions({ state, thread }) {
  const element = useRef(null);
  const { branches } = thread;
  const place = versions(state);
  useEffect(() => {
    if (branches.arriving?.message !== state.id) return;
    const { direction } = branches.arriving;
    branches.arriving = null;
    focusArrow(element.current, direction);
    announce(`Version ${place.number} of ${place.count}.`);
  }, []);
  if (place.count < 2) return null;
  const [before, after] = ARROWS.map(([direction, icon, label]) => html`<button type="button" class="arrow"
    aria-label=${label} title=${label} data-direction=${direction}
    disabled=${thread.running.value || !place[direction]}
    onClick=${() => branches.select(place[direction], direction)}><${Icon} name=${icon} /></button>`);
  return html`<span class="versions" role="group" aria-label="Versions" data-testid="versions" ref=${element}>
    ${before}<span><span class="offscreen">Version </span>${place.number}/${place.count}</span>${after}
  </span>`;
}

/** The arrow that was pressed, or the other one where it leads no further. */
function focusArrow(element, direction) {
  const arrows = [...element.querySelectorAll("button:not(:disabled)")];
  (arrows.find(({ dataset }) => dataset.direction === direction) ?? arrows[0])?.focus();
}
