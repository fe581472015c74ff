/** Words and numbers as people read them, and strings counted in code points as the protocol does. */

/** How many code points `text` has. */
export function countPoints(text) {
  let count = 0;
  for (const _point of text) count++;
  return count;
}

/** The string index at which code point number `points` of `text` starts. */
export function indexOfPoint(text, points) {
  let index = 0;
  for (const character of text) {
    if (points-- <= 0) break;
    index += character.length;
  }
  return index;
}

/** `text` on one line of at most `length` characters. */
export function short(text, length) {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line.slice(0, 2 * length + 2)];
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : line;
}

/** Arguments in brief: `path="/" deep=true`. */
export function shortArgs(args) {
  if (args === null || typeof args !== "object") return args === undefined ? "" : short(String(args), 80);
  return Object.entries(args)
    .slice(0, 6)
    .map(([name, value]) => `${short(name, 24)}=${short(JSON.stringify(value) ?? "", 40)}`)
    .join("  ");
}

/** Seconds as a person says them: `0.2 s`, `12 s`, `2 min 5 s`. */
export function duration(seconds) {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const DAY = 86_400_000; // milliseconds

/** The heading under which a thread of this time stands in the list. */
export function dayGroup(time, now = new Date()) {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const day = new Date(time).getTime();
  if (day >= midnight) return "Today";
  if (day >= midnight - DAY) return "Yesterday";
  if (day >= midnight - 6 * DAY) return "This week";
  if (day >= midnight - 29 * DAY) return "This month";
  return String(new Date(time).getFullYear());
}

/** `1 function`, `3 functions`. */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Where a remote's program runs, from what it says of itself: `remotes-client on thinkpad`. */
export function whereItRuns(client) {
  const { program, host, title } = client ?? {};
  const place = [program, host].filter(Boolean).join(" on ");
  return [place, title].filter(Boolean).join(" · ") || "an unnamed program";
}

/** What a model is called on the page; "" where it is not known. */
export function modelName(model) {
  return model === "demo" ? "Demo model" : (model ?? "");
}

/** Tokens in words: `{short: "1,234 tokens", long: "1,000 read, 234 written"}`; null where nothing is known. */
export function tokens({ prompt, completion, total } = {}) {
  const sum = total ?? (prompt ?? 0) + (completion ?? 0);
  if (!sum) return null;
  const parts = [[prompt, "read"], [completion, "written"]].filter(([count]) => count !== undefined);
  return {
    short: `${sum.toLocaleString("en")} tokens`,
    long: parts.map(([count, verb]) => `${count.toLocaleString("en")} ${verb}`).join(", "),
  };
}
