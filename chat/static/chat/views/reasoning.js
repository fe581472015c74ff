/** What a model thought aloud before its answer: in view while nothing else comes, folded from then on. */
import { html, useLayoutEffect, useRef, useState } from "../vendor.js";
import { Icon } from "./icon.js";

export function Reasoning({ text, thinking }) {
  const [chosen, setChosen] = useState(null); // whether the reader opened it, null before a choice
  const element = useRef(null);
  const open = chosen ?? thinking;
  useLayoutEffect(() => {
    if (thinking && element.current) element.current.scrollTop = element.current.scrollHeight;
  }, [text, thinking]);
  const onClick = (event) => {
    event.preventDefault();
    setChosen(!open);
  };
  return html`<details class="reasoning" open=${open} data-testid="reasoning">
    <summary onClick=${onClick}>${thinking ? "Thinking…" : "Thought for a while"}<${Icon} name="chevron" /></summary>
    ${open && html`<div class="reasoning-text" dir="auto" tabindex="0" ref=${element}>${text}</div>`}
  </details>`;
}
