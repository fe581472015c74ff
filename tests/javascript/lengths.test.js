/** Which messages are told to be too long before they are sent. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { tooLong } from "../../chat/static/chat/lib/lengths.js";

const limits = { content: 2048 };

test("a message may be as long as the server says, in bytes", () => {
  assert.equal(tooLong("é".repeat(1024), limits), null);
  assert.match(tooLong(`${"é".repeat(1024)}x`, limits), /^It has 3 KiB, and a message may have 2;/);
});

test("while the server's limits are not known nothing is too long", () => {
  assert.equal(tooLong("x".repeat(1_000_000), undefined), null);
});
