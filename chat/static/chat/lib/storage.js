/** What this browser remembers between visits; a browser that refuses storage forgets, and nothing else happens. */

const EVERYBODYS = new Set(["theme", "sidebarHidden"]); // all else is kept apart for each user of the browser

/** The JSON value kept under `name`, or `otherwise`. */
export function recall(name, otherwise = null, storage = globalThis.localStorage) {
  try {
    return JSON.parse(storage.getItem(keyOf(name))) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Keep a JSON value under `name`; null forgets it. */
export function remember(name, value, storage = globalThis.localStorage) {
  try {
    if (value === null) storage.removeItem(keyOf(name));
    else storage.setItem(keyOf(name), JSON.stringify(value));
  } catch {
    // full or forbidden: the page works without
  }
}

function keyOf(name) {
  return EVERYBODYS.has(name) ? `remotes.${name}` : `remotes.${document.body.dataset.userId}.${name}`;
}
