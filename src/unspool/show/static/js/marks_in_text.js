// The words of ?q= are marked where they stand in a session; n and N walk from one to the next.
// The marks are highlights of the browser: the page itself does not change.

import { explain } from "./key_sheet.js";
import "./place.js"; // the step that was linked to is there before its first mark is looked for

const read = document.getElementById("read");
const MOST = 2_000;

/** @type {Range[]} */
let marks = [];
let at = -1;

/** What is searched for, word by word, as the index does: case and accents do not matter. */
const wanted = () => {
  const typed = new URLSearchParams(location.search).get("q") ?? "";
  const parts = typed.matchAll(/"([^"]*)"?(\*?)|([^\s"]+)/g);
  return [...parts].flatMap(([, phrase, star, word]) => {
    const words = plain(phrase ?? word).match(/[\p{L}\p{N}]+/gu);
    if (!words) return [];
    const end = star || word?.endsWith("*") ? "" : "(?![\\p{L}\\p{N}])";
    return [`(?<![\\p{L}\\p{N}])${words.join("[^\\p{L}\\p{N}]+")}${end}`];
  });
};

/** Letter for letter: a place in the result is a place in the text. @param {string} text */
const plain = (text) =>
  text.replace(/\P{ASCII}/gu, (one) => {
    const bare = one.normalize("NFD").replace(/\p{M}+/gu, "").toLowerCase();
    return bare.length === one.length ? bare : one;
  }).toLowerCase();

const isRead = (node) => !node.parentElement.closest("script, style, .vh, button, nav");

const look = () => {
  const parts = wanted();
  const here = marks[at];
  marks = [];
  if (!globalThis.Highlight || !parts.length) return;
  const pattern = new RegExp(parts.join("|"), "giu");
  const texts = document.createTreeWalker(read, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && marks.length < MOST; node = texts.nextNode()) {
    if (!node.data.trim() || !isRead(node)) continue;
    for (const found of plain(node.data).matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      marks.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...marks));
  at = here ? marks.findIndex((one) => one.compareBoundaryPoints(Range.START_TO_START, here) >= 0) : -1;
};

/** @param {number} n */
const show = (n) => {
  if (!marks.length) return;
  at = (n + marks.length) % marks.length;
  const place = marks[at].startContainer.parentElement;
  for (let one = place.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
  CSS.highlights.set("found-here", new Highlight(marks[at]));
  place.scrollIntoView({ block: "center", behavior: "instant" });
};

/** The first mark of the step that was linked to, or after it: a link may lead to its heading. */
const arrive = () => {
  const target = read.querySelector("[data-target]");
  const isThere = (one) => target.compareDocumentPosition(one.startContainer) & Node.DOCUMENT_POSITION_FOLLOWING;
  const first = target ? marks.findIndex(isThere) : -1;
  if (first >= 0) show(first);
};

/** @param {1 | -1} way */
const walk = (way) => show(at < 0 && way < 0 ? marks.length - 1 : at + way);

const isTyping = (target) => target.closest?.("input, textarea, select, [contenteditable]");

explain({ "n N": "next or previous hit" });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "n") walk(1);
  else if (event.key === "N") walk(-1);
});
document.addEventListener("changed", look);
addEventListener("hashchange", () => setTimeout(arrive, 100));
look();
arrive();
