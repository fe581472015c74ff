/** How Markdown is cut into blocks that render on their own. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { blocksOf, unsafeHtml } from "../../chat/static/chat/lib/blocks.js";

const raws = (text) => blocksOf(text).map(({ raw }) => raw);

test("text that grows at its end leaves the earlier blocks as they are", () => {
  const before = raws("# Title\n\nFirst paragraph.\n\nSecond beg");
  const after = raws("# Title\n\nFirst paragraph.\n\nSecond begins to grow");
  assert.deepEqual(after.slice(0, 2), before.slice(0, 2));
  assert.notEqual(after[2], before[2]);
});

test("a code block is open until its fence closes", () => {
  const [open] = blocksOf("```python\nprint(1)");
  assert.deepEqual(open.code, { language: "python", text: "print(1)", closed: false });
  const [closed] = blocksOf("```python\nprint(1)\n```\n");
  assert.deepEqual(closed.code, { language: "python", text: "print(1)", closed: true });
  assert.notEqual(open.raw, closed.raw);
});

test("a fence inside of longer fences does not close them", () => {
  assert.equal(blocksOf("````\n```\ninner\n```").at(0).code.closed, false);
});

test("a link definition that comes later renders the block that uses it again", () => {
  const [before] = blocksOf("See [it][1].");
  const [after] = blocksOf("See [it][1].\n\n[1]: https://example.org/");
  assert.notEqual(before.raw, after.raw);
  assert.match(unsafeHtml(after), /href="https:\/\/example.org\/"/);
});

test("headings of an answer stand below those of the page", () => {
  assert.match(unsafeHtml(blocksOf("# Top")[0]), /<h3>Top<\/h3>/);
  assert.match(unsafeHtml(blocksOf("###### Deep")[0]), /<h6>Deep<\/h6>/);
});

test("the model's HTML is shown as text, but for plain elements of prose", () => {
  const html = unsafeHtml(blocksOf('a<br>b H<sub>2</sub>O <img src=x onerror="x()"> <b onclick="x()">c</b>')[0]);
  assert.match(html, /a<br>b H<sub>2<\/sub>O/);
  assert.match(html, /&lt;img src=x onerror="x\(\)"&gt; &lt;b onclick="x\(\)"&gt;c/);
  assert.match(unsafeHtml(blocksOf("<script>x()</script>")[0]), /^&lt;script&gt;x\(\)&lt;\/script&gt;/);
});
