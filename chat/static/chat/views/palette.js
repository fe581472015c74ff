/** One field that finds chats and commands. */
import { html, useEffect, useState } from "../vendor.js";
import { matching } from "../lib/matching.js";
import { SHORTCUTS } from "../lib/shortcuts.js";
import { goTo } from "../state/chats.js";
import { findThreads, threads } from "../state/threads.js";
import { commands } from "./commands.js";
import { closeDialog, useModal } from "./dialog.js";
import { Icon } from "./icon.js";
import { Keys } from "./keys.js";

const TYPING_PAUSE = 120; // milliseconds
const RECENT = 5; // chats that are offered before a word is typed

export function Palette() {
  const modal = useModal();
  const [words, setWords] = useState("");
  const [place, setPlace] = useState(0);
  const found = useFound(words);
  const groups = grouped(words, found);
  const entries = groups.flatMap(([, members]) => members);
  const chosen = entries[Math.min(place, entries.length - 1)];
  const run = (entry) => {
    closeDialog();
    entry.run();
  };
  const onKeyDown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && entries.length) setPlace((entries.indexOf(chosen) + step + entries.length) % entries.length);
    else if (event.key === "Enter" && chosen && !event.isComposing) run(chosen);
    else return;
    event.preventDefault();
  };
  useEffect(() => document.getElementById(optionId(chosen))?.scrollIntoView({ block: "nearest" }), [chosen?.id]);
  return html`<dialog class="dialog palette" aria-label="Search and commands" ...${modal}>
    <label class="palette-field"><${Icon} name="search" />
      <input role="combobox" aria-label="Search chats and commands" aria-expanded="true" aria-controls="palette-list"
        aria-autocomplete="list" aria-activedescendant=${optionId(chosen)} autofocus placeholder="Find a chat or a command"
        value=${words} onKeyDown=${onKeyDown} onInput=${(event) => {
          setWords(event.target.value);
          setPlace(0);
        }} />
    </label>
    <div class="palette-list" id="palette-list" role="listbox" aria-label="Found">
      ${groups.map(([heading, members]) => html`<div role="group" aria-label=${heading} key=${heading}>
        <h3 aria-hidden="true">${heading}</h3>
        ${members.map((entry) => html`<${Option} key=${entry.id} entry=${entry} chosen=${entry === chosen}
          onClick=${() => run(entry)} />`)}
      </div>`)}
      ${entries.length === 0 && html`<p class="quiet">Nothing has “${words}”.</p>`}
    </div>
  </dialog>`;
}

function Option({ entry: { id, label, icon, shortcut }, chosen, onClick }) {
  const told = SHORTCUTS.find((each) => each.id === shortcut)?.told;
  return html`<div class="palette-option" role="option" id=${optionId({ id })} aria-selected=${String(chosen)}
      onClick=${onClick}>
    <${Icon} name=${icon} /><span dir="auto">${label}</span>${told && html`<${Keys} told=${told} />`}
  </div>`;
}

function optionId(entry) {
  return entry && `found ${entry.id}`.replaceAll(" ", "-");
}

/** Chats come first until something is typed; from then on they come late, and nothing may move what is chosen. */
function grouped(words, found) {
  const chats = ["Chats", found.map(asEntry)];
  const acts = ["Commands", matching(commands(), words)];
  return (words.trim() ? [acts, chats] : [chats, acts]).filter(([, members]) => members.length > 0);
}

function asEntry({ id, title }) {
  return { id: `chat ${id}`, label: title || "New chat", icon: "chat", run: () => goTo(id) };
}

/** The chats that fit some words, once typing pauses. */
function useFound(words) {
  const [found, setFound] = useState(threads.peek().slice(0, RECENT));
  useEffect(() => {
    if (!words.trim()) {
      setFound(threads.peek().slice(0, RECENT));
      return undefined;
    }
    let wanted = true;
    const timer = setTimeout(async () => {
      const list = await findThreads(words);
      if (wanted) setFound(list);
    }, TYPING_PAUSE);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [words]);
  return found;
}
