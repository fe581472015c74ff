/** What is too long to come with a call: read in pieces, on demand. */

import { request } from "./session.js";

/** The whole text of a `part` of a call, "args", "result" (JSON) or "error"; rejects with a RemotesError. */
export async function readPart(call, part) {
  let text = "";
  let offset = 0;
  for (let more = true; more; ) {
    const reply = await request("call-read", { call, part, offset });
    text += reply.text;
    offset += [...reply.text].length;
    more = reply.more;
  }
  return text;
}
