/** How long to wait before the next attempt to connect. */

const SHORTEST = 0.5; // seconds
const LONGEST = 30; // seconds

/** Seconds to wait before attempt `attempt` (0 is the first), spread so that clients do not come back in step. */
export function delay(attempt, random = Math.random) {
  const ceiling = Math.min(LONGEST, 2 * SHORTEST * 2 ** attempt);
  return SHORTEST + random() * (ceiling - SHORTEST);
}
