// The keyboard: rows, turns and pages; "?" shows what there is.

import { explain, keySheet } from "./key_sheet.js";

const ROWS = "#read .step, #read .ask, #read .you, .item, .list tbody tr:not(.dayrow), .hit";
const STEPS = "#read .step, #read .ask, #read .you";
const TURNS = "#read article, .group, .band, .hitgroup, .list tbody";
// What stands beside a block is not what the row is for.
const WITHIN = ":scope > details > summary, a[href]:not(.act), button:not(.act)";

/** @type {Record<string, [string, () => unknown]>} */
const keys = {
  j: ["next row", () => step(ROWS, 1)],
  k: ["previous row", () => step(ROWS, -1)],
  "]": ["next turn or group", () => step(TURNS, 1)],
  "[": ["previous turn or group", () => step(TURNS, -1)],
  o: ["open or close the step", () => toggle()],
  c: ["copy the step", () => current()?.querySelector(":scope > .gut [data-copy], :scope > .gut [data-copies]")?.click()],
  1: ["story", () => level("story")],
  2: ["one line per call", () => level("normal")],
  3: ["everything", () => level("everything")],
  "/": ["search or jump", () => opened("palette")],
  f: ["follow the session, or stop following", () => document.querySelector("button[data-follow]")?.click()],
  s: ["search in this session", () => document.querySelector("[data-find]")?.focus()],
  "g g": ["top of the page", () => scrollTo({ top: 0 })],
  G: ["end of the page", () => scrollTo({ top: document.scrollingElement.scrollHeight })],
  "g b": ["board", () => goes("g b")],
  "g s": ["sessions", () => goes("g s")],
  "g m": ["spend", () => goes("g m")],
  "g p": ["projects", () => goes("g p")],
  "g f": ["files", () => goes("g f")],
  "g t": ["tools", () => goes("g t")],
  "g h": ["health", () => goes("g h")],
  "?": ["keyboard shortcuts", () => help()],
  Escape: ["close", () => document.activeElement?.blur()],
};

let before = "";

const isShown = (one) => one.checkVisibility?.({ contentVisibilityAuto: false }) ?? true;

/** Focus goes to the row's own control, so that enter does what it shows.
 * @param {string} selector @param {1 | -1} way */
const step = (selector, way) => {
  const all = [...document.querySelectorAll(selector)].filter(isShown);
  const now = document.activeElement?.closest(selector);
  const at = now ? all.indexOf(now) : -1;
  const next = at >= 0 ? all[at + way] : all[way > 0 ? firstInSight(all) : 0];
  if (!next) return;
  const control = next.matches("a, button, article") ? next : (next.querySelector(WITHIN) ?? next);
  if (control === next && !next.matches("a, button")) next.tabIndex = -1;
  control.focus({ preventScroll: true });
  next.scrollIntoView({ block: selector === TURNS ? "start" : "nearest" });
};

const firstInSight = (all) => {
  const found = all.findIndex((one) => one.getBoundingClientRect().bottom > 80);
  return Math.max(found, 0);
};

/** The step that has the focus, that a link led to, or the first in sight. */
const current = () => {
  const now = document.activeElement?.closest(STEPS) ?? document.querySelector("#read [data-target]");
  if (now) return now;
  const all = [...document.querySelectorAll(STEPS)].filter(isShown);
  return all[firstInSight(all)];
};

const toggle = () => {
  const fold = current()?.querySelector(":scope > details");
  if (fold) fold.open = !fold.open;
};

/** @param {string} name */
const level = (name) => document.querySelector(`#levels [data-show="${name}"]`)?.click();

/** @param {string} id */
const opened = (id) => document.getElementById(id)?.dispatchEvent(new Event("ask"));

/** The palette knows where pages are. @param {string} chord */
const goes = (chord) => document.querySelector(`#palette a[data-keys="${chord}"]`)?.click();

const help = () => keySheet().showModal();

explain(Object.fromEntries(Object.entries(keys).map(([chord, [text]]) => [chord, text])));
addEventListener("ask-keys", help);

const isTyping = (target) => target.closest?.("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]") || isTyping(event.target)) {
    if (event.key === "Escape" && isTyping(event.target)) event.target.blur();
    return;
  }
  const chord = keys[`${before} ${event.key}`] ?? keys[event.key];
  before = before ? "" : event.key;
  if (!chord) return;
  before = "";
  if (event.key !== "Escape") event.preventDefault();
  chord[1]();
});
