/** Markdown cut into its top-level blocks, so that a growing text re-renders only what changed. */

import { Marked } from "../vendor.js";

const marked = new Marked({ gfm: true });
const CLOSED_FENCE = /(^|\n) {0,3}(`{3,}|~{3,})[ \t]*\n*$/;

/**
 * The blocks of `text`: `{raw, code: {language, text, closed}}` for code, else `{raw, tokens}`.
 * `definitions` tells two texts apart whose link definitions differ, since those change other blocks.
 */
export function blocksOf(text) {
  const tokens = marked.lexer(text);
  const definitions = JSON.stringify(tokens.links);
  return tokens
    .filter((token) => token.type !== "space" && token.type !== "def")
    .map((token) => (token.type === "code" ? codeBlock(token) : { raw: token.raw + definitions, token }));
}

function codeBlock({ raw, lang, text, codeBlockStyle }) {
  const closed = codeBlockStyle === "indented" || CLOSED_FENCE.test(raw.slice(raw.indexOf("\n")));
  const language = (lang ?? "").match(/^\S*/)[0].toLowerCase();
  return { raw: `${closed}${raw}`, code: { language, text, closed } };
}

/** A block's HTML, which is not safe yet. */
export function unsafeHtml(block) {
  return marked.parser([block.token]);
}
