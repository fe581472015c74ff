/** A message as what is shown one below the other: stretches of text, and groups of calls between them. */

import { indexOfPoint } from "./text.js";

/** `[{text} | {calls}]`; calls with only white space between them are one group. */
export function segments(content, calls) {
  const parts = [];
  let start = 0;
  for (const call of [...calls].sort((a, b) => a.offset - b.offset)) {
    const end = indexOfPoint(content, call.offset);
    pushText(parts, content, start, end);
    start = Math.max(start, end);
    if (parts.at(-1)?.calls) parts.at(-1).calls.push(call);
    else parts.push({ calls: [call] });
  }
  pushText(parts, content, start, content.length);
  return parts;
}

function pushText(parts, content, start, end) {
  const text = content.slice(start, end);
  if (text.trim()) parts.push({ text });
}
