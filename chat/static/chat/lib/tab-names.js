/** The names that browser tabs take as remotes: `this-tab`, and with a number where that is taken. */

const BASE = "this-tab";

/** The first name that is not `taken`. */
export function freeTabName(taken) {
  for (let number = 1; ; number++) {
    const name = number === 1 ? BASE : `${BASE}-${number}`;
    if (!taken(name)) return name;
  }
}

/** Whether some tab, this or another, would be called so. */
export function isTabName(name) {
  return /^this-tab(-\d+)?$/.test(name);
}
