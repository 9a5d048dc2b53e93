// Where the reader is: the playhead on the spool, keys that walk the steps, and a deck that stays in sight.

import { explain } from "./key_sheet.js";
import { described, steps } from "./step_data.js";
import { clear, shownRange } from "./range.js";
import { say } from "./say.js";

const SMALL = 66; // pixels of its height that the deck loses while the page scrolls
const LINE = 150; // what has passed this line is being read

const over = document.getElementById("over");
const box = document.getElementById("reel");
const head = Object.assign(document.createElement("div"), { className: "head" });
const sight = Object.assign(document.createElement("div"), { className: "sight" });
let at = 0;
let still = 0;
let frame = 0;

const shown = () => [...document.querySelectorAll("#passages [id^='step-'], #passages article[id^='chunk-']:not(.ghost)")];

const mark = async (number) => {
  const data = await steps();
  if (!data.count) return;
  at = Math.max(0, Math.min(number, data.count - 1));
  const one = data.step(at);
  head.style.setProperty("--x", one.x);
  over.setAttribute("aria-valuemax", data.count);
  over.setAttribute("aria-valuenow", at + 1);
  over.setAttribute("aria-valuetext", described(one, data.count));
  document.getElementById("mini-step").textContent = `${one.clock}  step ${at + 1} of ${data.count}`;
};

const follow = async () => {
  const data = await steps();
  let [current, first, last] = [undefined, undefined, undefined];
  for (const node of shown()) {
    const number = data.numbers.get(node.id);
    const { top, bottom, height } = node.getBoundingClientRect();
    if (number === undefined || !height || top > innerHeight) continue;
    if (bottom > LINE - 40) [first, last] = [Math.min(first ?? number, number), Math.max(last ?? number, number)];
    if (top <= LINE) current = number;
  }
  if (first !== undefined) {
    const [a, b] = [data.step(first), data.step(last)];
    sight.style.setProperty("--x", a.x);
    sight.style.setProperty("--w", Math.max(b.end - a.x, 20));
  }
  // Whoever has jumped before the first look still needs a first place.
  if (performance.now() > still || !over.hasAttribute("aria-valuetext")) await mark(current ?? first ?? at);
};

const stick = () => {
  const deck = document.getElementById("deck");
  const gone = Math.max(0, Math.min(SMALL + 1, Math.round(-box.getBoundingClientRect().top)));
  deck?.classList.toggle("stuck", gone > 0);
  deck?.classList.toggle("small", gone > SMALL);
  deck?.style.setProperty("--gone", `${Math.min(gone, SMALL)}px`);
};

const go = async (number) => {
  const data = await steps();
  still = performance.now() + 700;
  const { id } = data.step(number);
  if (location.hash === `#${id}`) dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = id;
  await mark(number);
  say(described(data.step(number), data.count));
};

/** The next step of a kind, before or after this one; inside a range only there. */
const seek = async (way, fits, what) => {
  const data = await steps();
  const { first = 1, last = data.count } = shownRange();
  const begin = way > 0 ? Math.max(at + 1, first - 1) : Math.min(at - 1, last - 1);
  for (let number = begin; number >= first - 1 && number < last; number += way)
    if (fits(data.step(number))) return go(number);
  say(`No ${way > 0 ? "later" : "earlier"} ${what}`);
};

const any = () => true;
const KEYS = {
  ArrowRight: (event) => (event.shiftKey ? seek(1, (one) => one.opens, "turn") : seek(1, any, "step")),
  ArrowLeft: (event) => (event.shiftKey ? seek(-1, (one) => one.opens, "turn") : seek(-1, any, "step")),
  e: () => seek(1, (one) => one.failed, "error"),
  E: () => seek(-1, (one) => one.failed, "error"),
  w: () => seek(1, (one) => one.waits, "wait"),
  Escape: () => shownRange().first && clear(),
};

explain({
  "← →": "previous or next step", "⇧ ← →": "previous or next turn",
  "e E": "next or previous error", w: "next wait", Esc: "show the whole session",
});
document.addEventListener("keydown", (event) => {
  const isElsewhere = event.target.closest?.("input, textarea, select, pre, .diff, [contenteditable]");
  if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere || document.querySelector("dialog[open]")) return;
  if (!KEYS[event.key]) return;
  if (event.key.startsWith("Arrow")) event.preventDefault();
  KEYS[event.key](event);
});
const moved = () => {
  stick();
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    follow();
  });
};
over.append(sight, head);
for (const [name, value] of Object.entries({ role: "slider", tabindex: "0", "aria-label": "Steps of the session", "aria-valuemin": "1", "aria-valuemax": "1", "aria-valuenow": "1" }))
  over.setAttribute(name, value);
addEventListener("scroll", moved, { passive: true });
addEventListener("hashchange", () => (still = performance.now() + 700));
document.addEventListener("changed", moved);
moved();
