// What a bar of days says under the pointer, and which model the legend shows alone.

const LEAST = 0.005; // dollars: what is less than half a cent is not named

/** @param {string} name @param {string} [text] @param {string} [kind] */
const made = (name, text = "", kind = "") => Object.assign(document.createElement(name), { textContent: text, className: kind });

const dollars = (text) => Number.parseFloat(text.replace(/[^0-9.-]/g, "")) || 0;

/** The tone of a column of the chart's table. */
const swatch = (column) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const rect = svg.appendChild(document.createElementNS(svg.namespaceURI, "rect"));
  svg.setAttribute("class", "sw");
  for (const [name, value] of Object.entries({ class: `p${Math.min(column, 8)}`, width: "100%", height: "100%" })) rect.setAttribute(name, value);
  return svg;
};

/** @param {SVGElement} plot @param {number} at */
export const showTip = (plot, at) => {
  const [box, tip] = [plot.parentElement, document.getElementById("tip")];
  const table = plot.closest("figure")?.querySelector("details table");
  const row = table?.tBodies[0]?.rows[at];
  if (!row) return;
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const cells = [...row.cells].map((cell) => cell.textContent.trim());
  const sum = heads.indexOf("Sum");
  const models = cells.map((text, n) => [n, heads[n], text]).slice(1, sum).filter(([, , text]) => dollars(text) >= LEAST);
  const list = made("dl");
  for (const [n, name, text] of models.sort((a, b) => dollars(b[2]) - dollars(a[2]))) {
    const term = made("dt", name);
    term.prepend(swatch(n));
    list.append(term, made("dd", text, "num"));
  }
  const parts = [made("b", `${cells[0]} ${cells[sum]}`), list];
  if (cells[sum + 1]) {
    const more = dollars(cells[sum]) - dollars(cells[sum + 1]);
    const sign = more < 0 ? "−" : "+";
    parts.splice(1, 0, made("span", `${sign}$${Math.abs(more).toFixed(2)} compared with four weeks earlier`));
  }
  tip.replaceChildren(...parts);
  tip.hidden = false;
  const [wide, count] = [box.clientWidth, table.tBodies[0].rows.length];
  const right = ((at + 1) / count) * wide + 8;
  const left = right + tip.offsetWidth > wide ? (at / count) * wide - tip.offsetWidth - 8 : right;
  tip.style.left = `${Math.max(0, left)}px`;
};

export const hideTip = () => {
  const tip = document.getElementById("tip");
  if (tip) tip.hidden = true;
};

/** Show one model of the legend alone, or all. */
const isolate = (entry) => {
  const plot = document.getElementById("dayplot");
  plot?.classList.toggle("solo", Boolean(entry));
  for (const part of plot?.querySelectorAll(".seg") ?? []) part.classList.toggle("on", part.dataset.m === entry?.dataset.m);
};

const entryOf = (element) => element?.closest?.("#models [data-m]");
for (const kind of ["pointerover", "focusin"])
  document.addEventListener(kind, (event) => entryOf(event.target) && isolate(entryOf(event.target)));
for (const kind of ["pointerout", "focusout"])
  document.addEventListener(kind, (event) => entryOf(event.target) && !entryOf(event.relatedTarget) && isolate());
