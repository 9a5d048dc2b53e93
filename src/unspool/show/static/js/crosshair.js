// What the pointer is over on a spool: a hair where it is, and a tip that says the step there.

import { told } from "./step_tip.js";

const WIDTH = 10_000;

/** Something that is laid over a spool. @param {string} name */
export const made = (name) => Object.assign(document.createElement("div"), { className: name, hidden: true });

/** @param {HTMLElement} node @param {number} x @param {number} [width] */
export const putAt = (node, x, width) => {
  node.style.setProperty("--x", x);
  if (width !== undefined) node.style.setProperty("--w", width);
  node.hidden = false;
};

/** @param {HTMLElement} over @param {() => Promise<object>} steps */
export const crosshair = (over, steps) => {
  const [hair, tip] = ["hair", "tip"].map(made);
  over.append(hair, tip);

  /** Three pixels. */
  const slack = () => (WIDTH / over.clientWidth) * 3;
  /** @param {PointerEvent} event */
  const place = (event) => {
    const box = over.getBoundingClientRect();
    return Math.max(0, Math.min(WIDTH, ((event.clientX - box.left) / box.width) * WIDTH));
  };
  const hide = () => (hair.hidden = tip.hidden = true);
  /** @param {number} x */
  const show = async (x) => {
    putAt(hair, x);
    const data = await steps();
    if (hair.hidden || !data.count) return;
    tip.replaceChildren(...told(data, x, slack()));
    tip.hidden = false;
    const [wide, own] = [over.clientWidth, tip.offsetWidth];
    putAt(tip, (Math.max(0, Math.min(wide - own, (x / WIDTH) * wide - own / 2)) / wide) * WIDTH);
  };
  return { hide, place, show, slack };
};
