// Spend: a click chooses a day, a drag some days, arrows walk over them; the server answers for them.

import { fetched, put } from "./html.js";
import { explain } from "./key_sheet.js";
import { hideTip, showTip } from "./spend_tip.js";

const PART = "/part/spend";
let asked;
let press = null; // the bar that a drag began on
let anchor = null; // the bar that ⇧ extends from

const plot = () => document.getElementById("dayplot");
const bars = () => [...plot().querySelectorAll(":scope > a, :scope > .bar-of")];
const barOf = (element) => bars().indexOf(element.closest?.("#dayplot > a"));

/** The bar under a pointer, by its place: a bar of nothing is as wide as any. */
const under = (event) => {
  const box = plot().getBoundingClientRect();
  const count = bars().length;
  return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - box.left) / box.width) * count)));
};

/** @param {URLSearchParams} query @param {"pushState" | "replaceState" | ""} how */
const show = async (query, how) => {
  asked?.abort();
  asked = new AbortController();
  const search = query.size ? `?${query}` : "";
  const open = [...document.querySelectorAll(".dp[open]")].map((one) => one.dataset.p);
  try {
    put(await fetched(PART + search, asked.signal));
  } catch (error) {
    if (error.name !== "AbortError") location.assign(location.pathname + search);
    return;
  }
  for (const one of document.querySelectorAll(".dp")) one.open = open.includes(one.dataset.p);
  if (how) history[how](null, "", location.pathname + search);
};

/** Days from one bar to another; without any, all of them. */
const choose = (one = -1, other = one, how = "pushState") => {
  const query = new URLSearchParams(location.search);
  for (const name of ["day", "from", "to"]) query.delete(name);
  const every = bars();
  const from = every[Math.min(one, other)]?.dataset.from;
  const to = every[Math.max(one, other)]?.dataset.to;
  if (from && from === to) query.set("day", from);
  else if (from && to) for (const [name, day] of Object.entries({ from, to })) query.set(name, day);
  else if (one >= 0) return;
  show(query, how);
};

/** Draw the range of a drag; the server draws it once it is chosen. */
const brush = (one, other) => {
  const svg = "http://www.w3.org/2000/svg";
  const group = plot().querySelector(".brush") ?? plot().insertBefore(document.createElementNS(svg, "g"), plot().firstChild);
  const [left, right] = [Math.min(one, other) * 10, Math.max(one, other) * 10 + 10];
  group.setAttribute("class", "brush");
  const [area, sides] = [0, 1].map((n) => group.children[n] ?? group.appendChild(document.createElementNS(svg, "path")));
  area.setAttribute("d", `M${left} 0H${right}V100H${left}z`);
  sides.setAttribute("d", `M${left} 0v100M${right} 0v100`);
};

const isPlain = (event) => !(event.button || event.metaKey || event.ctrlKey || event.shiftKey);

document.addEventListener("pointerdown", (event) => {
  const box = event.target.closest?.("#daybox");
  if (!box || !isPlain(event) || !plot().querySelector("a")) return;
  press = under(event);
  event.preventDefault(); // no link is dragged
  box.setPointerCapture(event.pointerId);
});
document.addEventListener("pointermove", (event) => {
  if (!event.target.closest?.("#daybox")) return;
  const at = under(event);
  if (press !== null && at !== press) brush(press, at);
  showTip(plot(), at);
});
document.addEventListener("pointerup", (event) => {
  if (press === null) return;
  const from = press;
  press = anchor = null;
  choose(from, under(event));
});
document.addEventListener("pointercancel", () => (press = null));
document.addEventListener("pointerout", (event) => {
  if (event.target.closest?.("#daybox") && !event.relatedTarget?.closest?.("#daybox")) hideTip();
});
document.addEventListener("click", (event) => {
  const at = barOf(event.target);
  if (at < 0 || !isPlain(event)) return;
  event.preventDefault(); // a pointer has chosen already
  if (!event.detail) choose((anchor = at)); // Enter
});
explain({
  "← →": "previous or next day", "⇧ ← →": "more or fewer days", Enter: "choose the day", Esc: "show all days",
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && document.getElementById("range") && !document.querySelector("dialog[open]")) return choose();
  const at = barOf(event.target);
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (at < 0 || !step) return;
  event.preventDefault();
  const every = bars();
  const to = Math.max(0, Math.min(every.length - 1, at + step));
  anchor = event.shiftKey ? (anchor ?? at) : null;
  if (anchor !== null) choose(anchor, to, "replaceState");
  every[to].focus();
});
document.addEventListener("focusin", (event) => {
  const at = barOf(event.target);
  if (at < 0) return;
  for (const [n, bar] of bars().entries()) bar.setAttribute("tabindex", n === at ? 0 : -1);
  showTip(plot(), at);
});
document.addEventListener("focusout", (event) => barOf(event.target) >= 0 && hideTip());
addEventListener("popstate", () => show(new URLSearchParams(location.search), ""));
// One bar is in the tab order, arrows walk to the rest.
for (const [n, bar] of bars().entries()) bar.setAttribute("tabindex", n === bars().length - 1 ? 0 : -1);
