/** The one error type of this library, and how any thrown value becomes words. */

/** A request that failed: `code` is the protocol's, or `disconnected` when the connection was lost or absent. */
export class RemotesError extends Error {
  constructor(code, message, details = []) {
    super(message);
    this.name = "RemotesError";
    this.code = code;
    this.details = details;
  }
}

/** Words for whatever a handler threw; never blank, since a blank error counts as success on the wire. */
export function describe(thrown) {
  const text = thrown instanceof Error ? thrown.message || thrown.name : asText(thrown);
  return text.trim() || "The function failed without saying why.";
}

function asText(value) {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
