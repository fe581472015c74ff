/** The pictures that a call brought back. */
import { html, useMemo, useState } from "../vendor.js";
import { imagesOf, mayHoldImages } from "../lib/images.js";
import { readPart } from "../state/call-parts.js";

/** Small ones are shown at once, those too large to come with the call once they are asked for. */
export function Pictures({ call: { id, result, resultCut, function: name } }) {
  const [whole, setWhole] = useState(null);
  const [fault, setFault] = useState(null);
  const images = useMemo(() => imagesOf(resultCut ? whole : result), [resultCut, whole, result]);
  const read = async () => {
    setFault(null);
    try {
      setWhole(JSON.parse(await readPart(id, "result")));
    } catch (error) {
      setFault(error.message);
    }
  };
  const hidden = resultCut && whole === null && mayHoldImages(result);
  if (images.length === 0 && !hidden) return null;
  return html`<div class="pictures">
    ${hidden && html`<button type="button" class="button" onClick=${read}>Show the picture</button>`}
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    ${images.map((source, index) => html`<${Picture} key=${index} source=${source}
      label=${`Picture ${index + 1} from ${name}`} />`)}
  </div>`;
}

/** Of limited height until it is clicked. */
function Picture({ source, label }) {
  const [large, setLarge] = useState(false);
  const [broken, setBroken] = useState(false);
  if (broken) return html`<p class="quiet">${label} can't be shown: its bytes are no picture.</p>`;
  return html`<button type="button" class="picture" aria-expanded=${String(large)}
      title=${large ? "Show it smaller" : "Show it larger"} onClick=${() => setLarge(!large)}>
    <img src=${source} alt=${label} decoding="async" onError=${() => setBroken(true)} />
  </button>`;
}
