// Rows of the palette -> groups of options.

const LEAD = 32;

const made = (name, attributes, ...children) => {
  const one = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  one.append(...children);
  return one;
};

const icon = (name) => {
  const [svg, use] = ["svg", "use"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
};

const marked = (text, q) => {
  const at = q ? text.toLowerCase().indexOf(q) : -1;
  if (at < 0) return [text];
  // Cut before a word near the match, so that it is visible.
  const from = at > LEAD ? text.indexOf(" ", at - LEAD) + 1 : 0;
  const start = from > at ? at : from;
  return [(start ? "…" : "") + text.slice(start, at), made("mark", {}, text.slice(at, at + q.length)), text.slice(at + q.length)];
};

/** @param {import("./palette_items.js").Item} row @param {number} n @param {string} q */
const option = (row, n, q) => {
  const text = made("span", { class: row.group === "Files" ? "clip mono" : "clip" }, ...marked(row.text, q));
  const about = made("small", { class: "clip" }, row.about);
  const attributes = { role: "option", id: `palette-${n}`, "data-row": String(n), "aria-selected": "false" };
  return made("div", attributes, icon(row.icon), text, about);
};

/** @param {import("./palette_items.js").Item[]} rows @param {string} q in lower case */
export const drawn = (rows, q) =>
  [...new Set(rows.map((row) => row.group))].map((name) => {
    const head = made("div", { class: "pal-head", "aria-hidden": "true" }, name);
    const options = rows.flatMap((row, n) => (row.group === name ? [option(row, n, q)] : []));
    return made("div", { role: "group", "aria-label": name }, head, ...options);
  });
