/** The list of chats, the search, and the account. */
import { html, useEffect, useRef } from "../vendor.js";
import { dayGroup } from "../lib/text.js";
import { activityOf, current, goTo } from "../state/chats.js";
import { overlay } from "../state/layout.js";
import { listState, loadMoreThreads, loadThreads, moreThreads, query, search, threads } from "../state/threads.js";
import { Account } from "./account.js";
import { Icon, IconButton } from "./icon.js";
import { ThreadMenu } from "./thread-menu.js";

const TYPING_PAUSE = 150; // milliseconds

export function Sidebar() {
  return html`<nav class="sidebar" aria-label="Chats" data-open=${overlay.value === "threads"}>
    <div class="sidebar-head">
      <a class="brand" href="/" onClick=${(event) => visit(event, null)}><${Icon} name="mark" /><span>Remotes</span></a>
      <${IconButton} name="close" label="Close" class="only-narrow" onClick=${() => (overlay.value = null)} />
    </div>
    <button type="button" class="new-chat" data-testid="new-chat" title="New chat (Ctrl+Shift+O)"
      onClick=${(event) => visit(event, null)}><${Icon} name="plus" />New chat</button>
    <${Search} />
    <div class="threads"><${ThreadList} /></div>
    <${Account} />
  </nav>`;
}

/** Go there in this page, unless the user wants another tab. */
function visit(event, id) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
  event.preventDefault();
  overlay.value = null;
  goTo(id);
}

function Search() {
  const timer = useRef(null);
  const onInput = (event) => {
    const words = event.target.value;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(words), TYPING_PAUSE);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return html`<label class="search"><${Icon} name="search" /><span class="offscreen">Search chats</span>
    <input type="search" id="search" placeholder="Search" onInput=${onInput} /></label>`;
}

function ThreadList() {
  if (listState.value === "loading") return html`<p class="quiet">Reading your chats…</p>`;
  if (listState.value !== "ready") {
    return html`<div class="fault-box" role="alert">
      <p class="fault">${listState.value}</p>
      <button type="button" class="button" onClick=${loadThreads}>Try again</button>
    </div>`;
  }
  if (threads.value.length === 0) {
    const words = query.value ? `No chat has “${query.value}”.` : "Your chats will be listed here.";
    return html`<p class="quiet">${words}</p>`;
  }
  return html`${groups(threads.value).map(([heading, members]) => html`<section key=${heading}>
      <h2>${heading}</h2>
      <ul>${members.map((thread) => html`<${Item} key=${thread.id} thread=${thread} />`)}</ul>
    </section>`)}
    ${moreThreads.value && html`<button type="button" class="button more" onClick=${loadMoreThreads}>
      Older chats</button>`}`;
}

function groups(list) {
  const found = new Map();
  for (const thread of list) {
    const heading = dayGroup(thread.updatedAt);
    found.set(heading, [...(found.get(heading) ?? []), thread]);
  }
  return [...found];
}

const ACTIVITIES = { answering: ["busy", "is answering"], asking: ["warn", "waits for you"] };

function Item({ thread }) {
  const shown = current.value.about.value.id === thread.id;
  const [lamp, words] = ACTIVITIES[activityOf(thread.id)] ?? [];
  return html`<li class="thread-item" data-testid="thread" data-current=${shown}>
    <a href=${`/t/${encodeURIComponent(thread.id)}`} aria-current=${shown ? "page" : undefined}
      onClick=${(event) => visit(event, thread.id)}>
      ${lamp && html`<span class="lamp" data-state=${lamp}></span>`}
      <span class="thread-title" dir="auto">${thread.title || "New chat"}</span>
      ${words && html`<span class="offscreen">${words}</span>`}
    </a>
    <${ThreadMenu} thread=${thread} />
  </li>`;
}
