/** What the page imports as ./vendor.js. */
import htm from "htm";
import { h } from "preact";

export const html = htm.bind(h);
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
export { default as DOMPurify } from "dompurify";
export { Marked } from "marked";
export { Component, Fragment, render } from "preact";
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
