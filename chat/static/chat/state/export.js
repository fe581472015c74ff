/** Threads saved as files. */

import { asJson, asMarkdown, fileName } from "../lib/transcript.js";
import { readPart } from "./call-parts.js";
import { isFollowed } from "./chats.js";
import { note } from "./notices.js";
import { request } from "./session.js";

const FORMATS = {
  md: ["text/markdown", asMarkdown],
  json: ["application/json", asJson],
};
const PARTS = ["args", "result", "error"];

/** Save the shown branch of a thread as a file; `extension` is "md" or "json". */
export async function exportThread(id, extension) {
  try {
    const { thread, messages } = await readThread(id);
    const [type, write] = FORMATS[extension];
    save(fileName(thread.title, extension), type, write(thread, messages));
  } catch (error) {
    note(`The chat was not saved: ${error.message}`, "fault");
  }
}

async function readThread(id) {
  const all = [];
  let reply;
  do {
    reply = await request("thread-open", { thread: id, before: all[0]?.id });
    all.unshift(...reply.messages);
  } while (reply.more && reply.messages.length > 0);
  // Opening it had this page follow it.
  if (!isFollowed(id)) await request("thread-close", { thread: id });
  return { thread: reply.thread, messages: await Promise.all(all.map(withWholeCalls)) };
}

async function withWholeCalls(message) {
  return { ...message, calls: await Promise.all(message.calls.map(whole)) };
}

/** A call with the parts that were cut. */
async function whole(call) {
  const read = { ...call };
  for (const part of PARTS.filter((name) => call[`${name}Cut`])) {
    const text = await readPart(call.id, part);
    read[part] = part === "error" ? text : parsed(text);
    delete read[`${part}Cut`];
  }
  return read;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text; // arguments that the model got wrong are no JSON
  }
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
