/** The shown branch of a thread as a list, and how a new message changes it. */

/**
 * `shown` (oldest first, each with an `id`) with `message` after its parent, and without what stood there;
 * null where its parent is not shown.
 */
export function withMessage(shown, message, parent) {
  if (parent === null) return [message];
  const place = shown.findLastIndex(({ id }) => id === parent);
  return place < 0 ? null : [...shown.slice(0, place + 1), message];
}

/** Where `id` stands among its `siblings`: `{number (from 1), count, before, after}` with the ids beside it or null. */
export function versions({ id, siblings }) {
  const place = siblings.indexOf(id);
  return {
    number: place + 1,
    count: siblings.length,
    before: siblings[place - 1] ?? null,
    after: siblings[place + 1] ?? null,
  };
}
