/** Which pictures are found in a call's result. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { imagesOf, mayHoldImages, withoutBytes } from "../../chat/static/chat/lib/images.js";

const PNG = "data:image/png;base64,AAAA";
const BLOCK = { type: "image", mimeType: "image/jpeg", data: "BBBB" };
const JPEG = "data:image/jpeg;base64,BBBB";

test("a picture is found alone, in a list, in a field, and in a list of content", () => {
  assert.deepEqual(imagesOf(PNG), [PNG]);
  assert.deepEqual(imagesOf(BLOCK), [JPEG]);
  assert.deepEqual(imagesOf([PNG, "words", BLOCK]), [PNG, JPEG]);
  assert.deepEqual(imagesOf({ screen: PNG, at: 3 }), [PNG]);
  assert.deepEqual(imagesOf({ content: [{ type: "text", text: "Here:" }, BLOCK] }), [JPEG]);
});

test("what is no picture of a known kind is none", () => {
  const others = [
    null, 7, "words", "https://example.com/a.png", "data:image/svg+xml;base64,AAAA", "data:text/html;base64,AAAA",
    { type: "image", mimeType: "image/svg+xml", data: "AAAA" }, { type: "image", mimeType: "image/png", data: 7 },
    { deep: { deeper: PNG } },
  ];
  for (const other of others) assert.deepEqual(imagesOf(other), []);
});

test("the beginning of a result tells that there may be a picture", () => {
  assert.ok(mayHoldImages('{"content":[{"type":"image","mimeType":"image/png","data":"iVBO'));
  assert.ok(mayHoldImages('"data:image/webp;base64,UklG'));
  assert.ok(!mayHoldImages('{"type":"imagination"}'));
});

test("a picture's bytes are cut short where it is read, and nothing else is", () => {
  const bytes = "A".repeat(1000);
  const cut = `${"A".repeat(40)}… (1000 characters)`;
  assert.equal(withoutBytes(`"data:image/png;base64,${bytes}"`), `"data:image/png;base64,${cut}"`);
  assert.equal(withoutBytes(`{"data": "${bytes}"}`), `{"data": "${cut}"}`);
  for (const other of [bytes, "word ".repeat(500)]) assert.equal(withoutBytes(other), other);
});
