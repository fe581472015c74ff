/** The model's HTML made harmless: a short list of elements, outbound links, no remote images. */

import { DOMPurify } from "../vendor.js";

const ELEMENTS = [
  "a", "b", "blockquote", "br", "code", "del", "details", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i",
  "img", "input", "kbd", "li", "mark", "ol", "p", "pre", "s", "span", "strong", "sub", "summary", "sup", "table",
  "tbody", "td", "th", "thead", "tr", "u", "ul",
];
const ATTRIBUTES = [
  "align", "alt", "checked", "colspan", "disabled", "href", "open", "rowspan", "src", "start", "title", "type",
];
const LINK = /^(https?:\/\/|mailto:)/i;
const IMAGE = /^data:image\/(png|jpeg|gif|webp);/i;

let purifier = null;

function purify() {
  purifier ??= withHooks(DOMPurify(window));
  return purifier;
}

function withHooks(instance) {
  instance.addHook("afterSanitizeAttributes", (node) => {
    if (node.nodeName === "A") makeOutbound(node);
    if (node.nodeName === "IMG" && !IMAGE.test(node.getAttribute("src") ?? "")) dropImage(node);
    if (node.nodeName === "INPUT") onlyTick(node);
  });
  return instance;
}

function makeOutbound(link) {
  if (!LINK.test(link.getAttribute("href") ?? "")) return link.removeAttribute("href");
  link.setAttribute("target", "_blank");
  link.setAttribute("rel", "noopener noreferrer");
}

function dropImage(image) {
  const words = image.getAttribute("alt");
  image.replaceWith(words ? `[image: ${words}]` : "[image]");
}

function onlyTick(input) {
  if (input.getAttribute("type") !== "checkbox") return input.remove();
  input.setAttribute("disabled", "");
}

/** `html` with only what may be shown. */
export function sanitise(html) {
  return purify().sanitize(html, {
    ALLOWED_TAGS: ELEMENTS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}
