// What the crosshair of a spool says: the step, when it ran, what it cost and why.

import { lasting, usd } from "./step_data.js";

const text = (tag, words, name = "") => Object.assign(document.createElement(tag), { textContent: words, className: name });

/** What a step cost by cause, as a thin bar. */
const bar = (cost) => {
  const names = ["read", "write", "input", "output", "rewrite", "searches", "agents"];
  const make = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
  const whole = cost.reduce((sum, one) => sum + one, 0);
  const svg = make("svg");
  let x = 0;
  cost.forEach((one, at) => {
    const rect = make("rect");
    const width = (one / whole) * 100;
    for (const [name, value] of Object.entries({ class: `s-cost-${names[at]}`, x: `${x}%`, width: `${width}%`, height: "100%" }))
      rect.setAttribute(name, value);
    if (width) svg.append(rect);
    x += width;
  });
  return svg;
};

/** What stands under a place of the spool. @param {number} x @param {number} slack */
export const told = (data, x, slack) => {
  const fold = data.folds.find(([left, right]) => x > left && x < right);
  if (fold) return [text("b", `Nothing ran for ${lasting(fold[2])}`), text("span", "folded")];
  const one = data.step(data.under(x, slack));
  const named = document.getElementById(one.id)?.querySelector(".row .what, .what")?.textContent?.trim();
  const nums = text("span", "", "nums");
  nums.append(text("span", `step ${one.at + 1}`), text("span", one.clock), text("span", lasting(one.took)));
  if (one.usd) nums.append(text("span", usd(one.usd)));
  if (one.failed) nums.append(text("span", one.exit === undefined ? "failed" : `exit ${one.exit}`, "bad"));
  return [text("b", named ? `${one.label} ${named}` : one.label), nums, ...(one.usd ? [bar(one.cost)] : [])];
};
