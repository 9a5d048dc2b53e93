// Search results: n and N walk the hits, and a hit and its tick on the timeline point at each other.

import { explain } from "./key_sheet.js";

const hits = () => [...document.querySelectorAll("#found .hit")];

const isTyping = (target) => target.closest?.("input, textarea, select, [contenteditable]");

/** @param {Element} hit */
const pick = (hit) => {
  const rest = hit.closest("details");
  if (rest) rest.open = true;
  hit.focus({ preventScroll: true });
  hit.scrollIntoView({ block: "nearest" });
};

/** @param {1 | -1} way */
const walk = (way) => {
  const all = hits();
  const at = all.indexOf(document.activeElement);
  if (all.length) pick(all[at < 0 ? (way > 0 ? 0 : all.length - 1) : (at + way + all.length) % all.length]);
};

/** The other one of a hit and its tick. @param {Element} one */
const other = (one) => {
  const group = one.closest(".hitgroup");
  const id = CSS.escape(one.dataset.hit ?? one.dataset.tick);
  return group?.querySelector(one.dataset.hit ? `[data-tick="${id}"]` : `[data-hit="${id}"]`);
};

const light = (event) => {
  document.querySelectorAll("#found .on").forEach((one) => one.classList.remove("on"));
  const one = event.target.closest?.("[data-hit], [data-tick]");
  if (!one) return;
  one.classList.add("on");
  other(one)?.classList.add("on");
};

document.addEventListener("pointerover", light);
document.addEventListener("focusin", light);
document.addEventListener("click", (event) => {
  const tick = event.target.closest?.("[data-tick]");
  const hit = tick && other(tick);
  if (hit) pick(hit);
});
explain({ "n N": "next or previous hit" });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "n") walk(1);
  else if (event.key === "N") walk(-1);
});
