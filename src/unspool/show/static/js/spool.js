// The spool as an instrument: a crosshair that tells, a click that goes there, a range that filters.
// The drawing is the server's; this only lays things over it.

import { fetched, morph, put } from "./html.js";
import { say } from "./say.js";
import { steps } from "./step_data.js";
import { told } from "./step_tip.js";
import { articles, replaced } from "./window.js";

const WIDTH = 10_000;
const NEAR = 5; // pixels: a press that moves less is a click

const over = document.getElementById("over");
const made = (name) => Object.assign(document.createElement("div"), { className: name, hidden: true });
const [hair, tip, brush] = ["hair", "tip", "brush"].map(made);
let press;
let turn = 0; // grows with every range that is asked for, and with other passages

const put_at = (node, x, width) => {
  node.style.setProperty("--x", x);
  if (width !== undefined) node.style.setProperty("--w", width);
  node.hidden = false;
};
const place = (event) => {
  const box = over.getBoundingClientRect();
  return Math.max(0, Math.min(WIDTH, ((event.clientX - box.left) / box.width) * WIDTH));
};
/** Three pixels. */
const slack = () => (WIDTH / over.clientWidth) * 3;

const hover = async (x) => {
  put_at(hair, x);
  const data = await steps();
  if (hair.hidden || !data.count) return;
  tip.replaceChildren(...told(data, x, slack()));
  tip.hidden = false;
  const [wide, own] = [over.clientWidth, tip.offsetWidth];
  put_at(tip, (Math.max(0, Math.min(wide - own, (x / WIDTH) * wide - own / 2)) / wide) * WIDTH);
};
const leave = () => (hair.hidden = tip.hidden = true);

const take = (part, swap) => {
  replaced(part, swap);
  put(part);
};

/** After the first screen of a range has been drawn: all of it, and its figures. */
const rest = async (part, asked) => {
  await new Promise(requestAnimationFrame);
  if (asked !== turn) return;
  const [start] = articles();
  if (start?.getBoundingClientRect().top < 0) start.scrollIntoView({ behavior: "instant" });
  const whole = await fetched(part).catch(() => say("The rest of the range could not be loaded."));
  if (whole && asked === turn) take(whole, morph);
};

/** Show these steps alone, or all. @param {string} range "12-46", or "" */
export const narrow = async (range) => {
  const [, , project, session] = location.pathname.split("/");
  const address = new URL(location.href);
  for (const name of ["steps", "at", "from"]) address.searchParams.delete(name);
  if (range) address.searchParams.set("steps", range);
  address.hash = "";
  const part = `/part/range/${project}/${session}${address.search}`;
  const asked = (turn += 1);
  const first = await fetched(range ? `${part}&short=true` : part);
  if (asked !== turn) return;
  history.replaceState(history.state, "", address);
  take(first);
  if (range) rest(part, turn);
  say(range ? `${document.getElementById("range").textContent.trim()}. Press Escape to clear.` : "Showing the whole session");
};

/** The range that the page shows, drawn. */
const shown = async () => {
  const { first, last } = document.getElementById("range").dataset;
  if (!first) return (brush.hidden = true);
  const data = await steps();
  const [a, b] = [data.step(first - 1), data.step(last - 1)];
  put_at(brush, a.x, Math.max(b.end - a.x, 20));
};

const released = async (event) => {
  const begun = press;
  press = undefined;
  if (!begun) return;
  const [x, data] = [place(event), await steps()];
  if (Math.abs(event.clientX - begun.clientX) <= NEAR) {
    await shown();
    location.hash = data.step(data.under(x, slack())).id;
    return;
  }
  const found = data.between(Math.min(begun.x, x), Math.max(begun.x, x));
  if (found) await narrow(`${found[0] + 1}-${found[1] + 1}`);
};

over.dataset.loaded = ""; // the server's copy of it is empty
over.append(brush, hair, tip);
over.addEventListener("pointermove", (event) => {
  const x = place(event);
  if (press && Math.abs(event.clientX - press.clientX) > NEAR) put_at(brush, Math.min(press.x, x), Math.abs(x - press.x));
  hover(x);
});
over.addEventListener("pointerleave", () => press || leave());
over.addEventListener("pointerdown", (event) => {
  if (event.button) return;
  press = { x: place(event), clientX: event.clientX };
  over.setPointerCapture(event.pointerId);
});
over.addEventListener("pointerup", released);
over.addEventListener("pointercancel", () => (press = undefined) ?? shown());
document.addEventListener("replaced", () => (turn += 1));
document.addEventListener("changed", () => press || shown()); // a session that grows moves its steps
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-range]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  narrow(link.dataset.range);
});
await shown();
