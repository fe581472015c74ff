/** What browsers are called. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { browserName, isWindows } from "../../chat/static/chat/lib/browser.js";

const AGENTS = {
  "Chrome on Windows": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
  "Edge on Windows": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0",
  "Firefox on Linux": "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",
  "Safari on iOS": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
  "Chrome on Android": "Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36",
};

for (const [name, agent] of Object.entries(AGENTS)) {
  test(`${name} is recognised`, () => assert.equal(browserName(agent), name));
}

test("an unknown program is still something", () => {
  assert.equal(browserName("curl/8"), "A browser");
});

test("Windows is told from the rest", () => {
  assert.equal(isWindows(AGENTS["Edge on Windows"]), true);
  assert.equal(isWindows(AGENTS["Firefox on Linux"]), false);
});
