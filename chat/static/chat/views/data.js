/** A JSON value shown as data: indented, coloured by kind, and read to its end on demand. */
import { html, useState } from "../vendor.js";
import { withoutBytes } from "../lib/images.js";
import { readPart } from "../state/call-parts.js";
import { CopyButton } from "./copy-button.js";

const COLOURED_LENGTH = 20_000; // characters; longer data is shown plainly
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** `cut`: `value` is only the beginning of `part` of `call`. */
export function Data({ label, value, cut, call, part }) {
  const [whole, setWhole] = useState(null);
  const [fault, setFault] = useState(null);
  const text = whole ?? asText(value);
  const shown = withoutBytes(text);
  const readAll = async () => {
    setFault(null);
    try {
      const read = await readPart(call.id, part);
      setWhole(part === "error" ? read : indented(read));
    } catch (error) {
      setFault(error.message);
    }
  };
  return html`<section class="data" aria-label=${label}>
    <header><h3>${label}</h3><${CopyButton} text=${text} what=${label.toLowerCase()} /></header>
    <pre tabindex="0">${shown.length > COLOURED_LENGTH ? shown : coloured(shown)}${cut && !whole && "…"}</pre>
    ${cut && !whole && html`<button type="button" class="button" onClick=${readAll}>Show all</button>`}
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
  </section>`;
}

function asText(value) {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "null");
}

/** JSON text with line breaks; text that is none, such as arguments a model got wrong, as it is. */
function indented(text) {
  try {
    return asText(JSON.parse(text));
  } catch {
    return text;
  }
}

function coloured(text) {
  const parts = [];
  let start = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    parts.push(text.slice(start, match.index));
    const kind = colon ? "key" : string ? "string" : match[3] ? "word" : "number";
    parts.push(html`<span class=${`data-${kind}`}>${string ?? whole}</span>${colon ?? ""}`);
    start = match.index + whole.length;
  }
  return [...parts, text.slice(start)];
}
