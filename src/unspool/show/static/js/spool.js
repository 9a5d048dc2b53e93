// The spool as an instrument: a crosshair that tells, a click that goes there, a range that filters.
// The drawing is the server's; this only lays things over it.

import { crosshair, made, putAt } from "./crosshair.js";
import { nameOf, narrow, shownRange } from "./range.js";
import { steps } from "./step_data.js";

const NEAR = 5; // pixels: a press that moves less is a click

const over = document.getElementById("over");
const brush = made("brush");
let press;

/** The range that the page shows, drawn. */
const shown = async () => {
  const { first, last } = shownRange();
  if (!first) return (brush.hidden = true);
  const data = await steps();
  const [a, b] = [data.step(first - 1), data.step(last - 1)];
  putAt(brush, a.x, Math.max(b.end - a.x, 20));
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
  if (found) await narrow(...found.map((at) => nameOf(data.step(at).id)));
};

over.dataset.loaded = ""; // the server's copy of it is empty
over.append(brush);
const { hide, place, show, slack } = crosshair(over, steps);
over.addEventListener("pointermove", (event) => {
  const x = place(event);
  if (press && Math.abs(event.clientX - press.clientX) > NEAR) putAt(brush, Math.min(press.x, x), Math.abs(x - press.x));
  show(x);
});
over.addEventListener("pointerleave", () => press || hide());
over.addEventListener("pointerdown", (event) => {
  if (event.button) return;
  press = { x: place(event), clientX: event.clientX };
  over.setPointerCapture(event.pointerId);
});
over.addEventListener("pointerup", released);
over.addEventListener("pointercancel", () => (press = undefined) ?? shown());
document.addEventListener("changed", () => press || shown()); // a session that grows moves its steps
await shown();
