/** What this browser remembers between visits; a browser that refuses storage forgets, and nothing else happens. */

/** The JSON value kept under `name`, or `otherwise`. */
export function recall(name, otherwise = null, storage = globalThis.localStorage) {
  try {
    return JSON.parse(storage.getItem(`remotes.${name}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Keep a JSON value under `name`; null forgets it. */
export function remember(name, value, storage = globalThis.localStorage) {
  try {
    if (value === null) storage.removeItem(`remotes.${name}`);
    else storage.setItem(`remotes.${name}`, JSON.stringify(value));
  } catch {
    // full or forbidden: the page works without
  }
}
