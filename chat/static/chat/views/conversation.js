/** The middle of the page: the shown thread, what waits outside of it, and where one types. */
import { html, useEffect, useRef } from "../vendor.js";
import { current } from "../state/chats.js";
import { Composer } from "./composer.js";
import { Header } from "./header.js";
import { Icon } from "./icon.js";
import { Message, Outgoing } from "./message.js";
import { useStickToEnd } from "./stick.js";
import { Tray } from "./tray.js";
import { Welcome } from "./welcome.js";

export function Conversation() {
  const thread = current.value;
  return html`<main class="conversation">
    <${Header} thread=${thread} />
    <${Messages} thread=${thread} />
  </main>`;
}

function Messages({ thread }) {
  const box = useRef(null);
  const content = useRef(null);
  const [away, toEnd] = useStickToEnd(box, content, thread);
  const sent = thread.outbox.outgoing.value?.key;
  useEffect(() => sent && toEnd(), [sent]);
  return html`
    <div class="scroller" ref=${box} tabindex="-1">
      <div class="column" ref=${content}><${Body} thread=${thread} box=${box} /></div>
    </div>
    <div class="foot">
      ${away && html`<button type="button" class="latest" onClick=${toEnd}><${Icon} name="down" />Latest</button>`}
      <${Tray} />
      <${Composer} thread=${thread} />
    </div>`;
}

function Body({ thread, box }) {
  const phase = thread.phase.value;
  if (phase === "loading") {
    return html`<div class="skeleton" role="status" aria-label="Opening the chat">
      <span></span><span></span><span></span>
    </div>`;
  }
  if (phase !== "ready") return html`<${Unopened} thread=${thread} words=${phase} />`;
  const messages = thread.messages.value;
  if (messages.length === 0 && !thread.outbox.outgoing.value) return html`<${Welcome} thread=${thread} />`;
  return html`<h2 class="offscreen">Messages</h2>
    ${thread.more.value && html`<${Earlier} thread=${thread} box=${box} />`}
    ${messages.map((message) => html`<${Message} key=${message.id} message=${message} thread=${thread} />`)}
    <${Outgoing} thread=${thread} />`;
}

function Unopened({ thread, words }) {
  const again = () => {
    thread.phase.value = "loading";
    thread.open();
  };
  return html`<div class="unopened" role="alert"><h2>This chat could not be opened</h2><p>${words}</p>
    <button type="button" class="button" onClick=${again}>Try again</button></div>`;
}

function Earlier({ thread, box }) {
  const load = async () => {
    const fromEnd = box.current.scrollHeight - box.current.scrollTop;
    await thread.loadEarlier();
    requestAnimationFrame(() => (box.current.scrollTop = box.current.scrollHeight - fromEnd));
  };
  return html`<button type="button" class="button earlier" onClick=${load}>Earlier messages</button>`;
}
