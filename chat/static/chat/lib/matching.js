/** Finding things by some of their words. */

/** Those of `entries` whose `label` holds every one of the words, whatever their case; all where there are none. */
export function matching(entries, words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ label }) => wanted.every((word) => label.toLowerCase().includes(word)));
}
