/** A chat without messages yet: what this is, and three ways to begin. */
import { html } from "../vendor.js";
import { focusComposer } from "../lib/focus.js";
import { current } from "../state/chats.js";
import { taught } from "../state/layout.js";
import { note } from "../state/notices.js";
import { offerTab } from "../state/tab.js";
import { openDialog } from "./dialog.js";
import { Icon } from "./icon.js";

const FIRST_CALL = "What is my time zone? Use timezone_and_locale.";
const FIRST_QUESTION = 'Use ask_user question="Which colour do you like best?" and tell me what I answered.';

export function Welcome({ thread }) {
  return html`<section class="welcome">
    <${Icon} name="mark" />
    ${taught.value
      ? html`<h2>What would you like to do?</h2>
          <p>The agent may call the tools that are switched on for this chat.</p>`
      : html`<h2>An agent that reaches your own things</h2>
          <p>Programs on your computer, a device at home, or this very tab: connect them, switch them on, and ask.</p>
          <${Starters} thread=${thread} />`}
  </section>`;
}

function Starters({ thread }) {
  return html`<div class="starters">
    <${Starter} icon="tab" title="Try it with this tab" onClick=${() => begin(thread, FIRST_CALL)}
      words="Connects this browser tab and asks what time it is where you are." />
    <${Starter} icon="laptop" title="Connect your computer" onClick=${() => openDialog("connect")}
      words="One line in a terminal, and the agent can call your own Python functions." />
    <${Starter} icon="question" title="Let it ask you back" onClick=${() => begin(thread, FIRST_QUESTION)}
      words="The agent puts a question into this page and waits for your answer." />
  </div>`;
}

function Starter({ icon, title, words, onClick }) {
  return html`<button type="button" class="starter" onClick=${onClick}>
    <${Icon} name=${icon} /><strong>${title}</strong><span>${words}</span>
  </button>`;
}

/** Connect the tab, switch it on, and put the prompt where the user can send or change it. */
async function begin(thread, prompt) {
  try {
    const name = await offerTab();
    if (!thread.about.value.remotes.includes(name)) await thread.switchRemote(name, true);
    if (current.value === thread) thread.outbox.type(prompt);
    focusComposer();
  } catch (error) {
    note(`This tab is not connected: ${error.message}`, "fault");
  }
}
