/** A picture from the sprite. */
import { html } from "../vendor.js";

const sprite = document.body.dataset.icons;

export function Icon({ name }) {
  return html`<svg class="icon" aria-hidden="true"><use href=${`${sprite}#${name}`} /></svg>`;
}

/** A button that is only a picture; `label` is its name. */
export function IconButton({ name, label, class: more = "", ...rest }) {
  return html`<button type="button" class=${`icon-button ${more}`} aria-label=${label} title=${label} ...${rest}>
    <${Icon} name=${name} />
  </button>`;
}

/** A small button, such as those below a message; `words` are shown beside its picture. */
export function SmallButton({ name, label, words = "", ...rest }) {
  return html`<button type="button" class="small-button" aria-label=${label} title=${label} ...${rest}>
    <${Icon} name=${name} />${words && html`<span>${words}</span>`}
  </button>`;
}
