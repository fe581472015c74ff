/** Markdown cut into its top-level blocks, so that a growing text re-renders only what changed. */

import { Marked } from "../vendor.js";

// HTML of the model is shown as text, but for these elements without attributes. That also keeps the
// sanitiser's parser from reporting every inline handler and style to the Content-Security-Policy.
const BARE_ELEMENT = /&lt;(\/?(?:b|br|code|del|details|em|i|kbd|mark|s|strong|sub|summary|sup|u)) ?\/?&gt;/gi;

const marked = new Marked({ gfm: true, renderer: { html: ({ text }) => escaped(text).replace(BARE_ELEMENT, "<$1>") } });
const HEADINGS_ABOVE = 2;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * The blocks of `text`: `{raw, code: {language, text, closed}}` for code, else `{raw, token}`.
 * `definitions` tells two texts apart whose link definitions differ, since those change other blocks.
 */
export function blocksOf(text) {
  const tokens = marked.lexer(text);
  const definitions = JSON.stringify(tokens.links);
  return tokens
    .filter((token) => token.type !== "space" && token.type !== "def")
    .map((token) => (token.type === "code" ? codeBlock(token) : textBlock(token, definitions)));
}

function textBlock(token, definitions) {
  return { raw: token.raw + definitions, token: placed(token) };
}

/** Headings go below those of the page. */
function placed(token) {
  return token.type === "heading" ? { ...token, depth: Math.min(6, token.depth + HEADINGS_ABOVE) } : token;
}

function codeBlock({ raw, lang, text, codeBlockStyle }) {
  const closed = codeBlockStyle === "indented" || isClosed(raw);
  const language = (lang ?? "").match(/^\S*/)[0].toLowerCase();
  return { raw: `${closed}${raw}`, code: { language, text, closed } };
}

/** Whether the last line ends the fence that the first one began: of the same kind, and at least as long. */
function isClosed(raw) {
  const lines = raw.trimEnd().split("\n");
  const [, opening] = lines[0].match(FENCE);
  const closing = lines.length > 1 && lines.at(-1).match(FENCE)?.[1];
  return Boolean(closing) && closing.startsWith(opening);
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A block's HTML, which is not safe yet. */
export function unsafeHtml(block) {
  return marked.parser([block.token]);
}
