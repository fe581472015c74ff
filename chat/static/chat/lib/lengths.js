/** Whether a message fits. */

const KIB = 1024; // bytes

/** The sentence that says why `content` is no message for a server with these limits, or null where it is one. */
export function tooLong(content, limits) {
  const most = limits?.content ?? Infinity;
  const size = new TextEncoder().encode(content).length;
  if (size <= most) return null;
  const [has, may] = [Math.ceil(size / KIB), Math.floor(most / KIB)];
  return `It has ${has} KiB, and a message may have ${may}; shorten it or send it in parts.`;
}
