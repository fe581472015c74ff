/** What to call this browser and its system. */

// The first that fits counts: browsers and systems also name those that they descend from.
const BROWSERS = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const SYSTEMS = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

function first(list, text) {
  return list.find(([pattern]) => pattern.test(text))?.[1];
}

/** `Firefox on Linux`. */
export function browserName(userAgent) {
  const browser = first(BROWSERS, userAgent) ?? "A browser";
  const system = first(SYSTEMS, userAgent);
  return system ? `${browser} on ${system}` : browser;
}

/** Whether programs on this system are started the Windows way. */
export function isWindows(userAgent) {
  return /Windows/.test(userAgent);
}

/** Whether this system's keyboard has a ⌘ where others have Ctrl. */
export function isApple(userAgent) {
  return /Mac OS X|iPhone|iPad/.test(userAgent);
}
