/** Unguessable keys, also where the page came over plain HTTP and `crypto.randomUUID` is missing. */

/** 32 hexadecimal digits. */
export function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
