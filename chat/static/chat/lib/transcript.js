/** A thread as a document that can be kept: Markdown to read, JSON with everything. */

import { withoutBytes } from "./images.js";
import { segments } from "./segments.js";
import { duration, modelName } from "./text.js";

/** The thread and the messages of its shown branch as the protocol has them, as JSON text. */
export function asJson(thread, messages) {
  return `${JSON.stringify({ thread, messages }, null, 2)}\n`;
}

/** The same to read, calls included. */
export function asMarkdown(thread, messages) {
  const parts = messages.map((message) => (message.role === "user" ? question(message) : answer(message)));
  return `${[`# ${thread.title || "New chat"}`, ...parts].join("\n\n")}\n`;
}

function question({ content }) {
  return `## You\n\n${content}`;
}

function answer({ content, calls, model, status, error }) {
  const parts = segments(content, calls).flatMap((part) => part.calls?.map(call) ?? [part.text.trim()]);
  const ending = [status === "done" ? "" : `(${status})`, error].filter(Boolean).join(" ");
  return [`## ${modelName(model) || "Answer"}`, ...parts, ...(ending ? [`*${ending}*`] : [])].join("\n\n");
}

function call({ remotename, function: name, status, args, result, error, duration: seconds }) {
  const time = seconds === undefined ? "" : ` in ${duration(seconds)}`;
  const parts = [`**${remotename} · ${name}** (${status}${time})`, fenced(args)];
  if (status === "done") parts.push(fenced(result));
  if (error) parts.push(fenced(error));
  return parts.join("\n\n");
}

/** A value as a code block whose fence is longer than any inside. */
function fenced(value) {
  const text = withoutBytes(typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2));
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${typeof value === "string" ? "" : "json"}\n${text}\n${fence}`;
}

/** A file's name made of a title: letters, digits and dashes. */
export function fileName(title, extension) {
  const words = title.toLowerCase().match(/[\p{Letter}\p{Number}]+/gu)?.slice(0, 8) ?? ["chat"];
  return `${words.join("-")}.${extension}`;
}
