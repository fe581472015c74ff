/** The model's text as a page: one element per top-level block, re-rendered only where it changed. */
import { Component, html, useEffect, useMemo, useState } from "../vendor.js";
import { blocksOf, unsafeHtml } from "../lib/blocks.js";
import { sanitise } from "../lib/sanitise.js";
import { CopyButton } from "./copy-button.js";

export function Markdown({ text }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return html`<div class="prose">${blocks.map((block, index) => html`<${Block} key=${index} block=${block} />`)}</div>`;
}

class Block extends Component {
  shouldComponentUpdate({ block }) {
    return block.raw !== this.props.block.raw;
  }

  render({ block }) {
    if (block.code) return html`<${CodeBlock} ...${block.code} />`;
    return html`<div class="block" dangerouslySetInnerHTML=${{ __html: sanitise(unsafeHtml(block)) }} />`;
  }
}

function CodeBlock({ language, text, closed }) {
  const [coloured, setColoured] = useState(null);
  useEffect(() => {
    let current = true;
    setColoured(null);
    if (closed && language) colour(text, language).then((markup) => current && setColoured(markup));
    return () => (current = false);
  }, [closed, language, text]);
  const code = coloured ? html`<code dangerouslySetInnerHTML=${{ __html: coloured }} />` : html`<code>${text}</code>`;
  return html`<figure class="code">
    <figcaption><span>${language || "text"}</span><${CopyButton} text=${text} what="the code" /></figcaption>
    <pre tabindex="0">${code}</pre>
  </figure>`;
}

async function colour(text, language) {
  const { highlight } = await import("../vendor-highlight.js");
  return highlight(text, language);
}
