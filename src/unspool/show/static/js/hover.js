// Charts read out what is under the pointer: a bar's own words, or the row of the chart's table.

/** @param {Element} figure */
const output = (figure) => {
  const known = figure.querySelector(":scope > .readout");
  if (known) return known;
  const made = document.createElement("output");
  made.className = "readout";
  made.setAttribute("aria-hidden", "true"); // the table has it all
  figure.append(made); // drawn over the figure: nothing may move under the pointer
  return made;
};

/** The row of a chart's table that lies at a share of its width. */
const rowAt = (figure, share) => {
  const table = figure.querySelector("details table");
  const rows = table?.tBodies[0]?.rows ?? [];
  const row = rows[Math.min(rows.length - 1, Math.floor(share * rows.length))];
  if (!row) return "";
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const cells = [...row.cells].map((cell) => cell.textContent.trim());
  return cells
    .map((text, n) => (n ? `${heads[n]} ${text}` : text))
    .filter((_, n) => !n || !/^(–|\$?0(\.0*)?|\$0\.00[0-4].*|)$/.test(cells[n]))
    .join(" · ");
};

document.addEventListener("pointermove", (event) => {
  const chart = event.target.closest?.("figure svg.chart, figure svg.heat");
  if (!chart) return;
  const figure = chart.closest("figure");
  const box = chart.getBoundingClientRect();
  const words = (event.target.closest("a.col") ?? event.target).querySelector(":scope > title")?.textContent;
  const share = (event.clientX - box.left) / box.width;
  output(figure).textContent = words || (chart.matches(".heat") ? "" : rowAt(figure, share));
});
document.addEventListener("pointerout", (event) => {
  const figure = event.target.closest?.("figure");
  const said = figure?.querySelector(":scope > .readout");
  if (said && !event.target.closest("svg")?.contains(event.relatedTarget)) said.textContent = "";
});

// One column is in the tab order, arrows walk to the rest; Enter follows its link.
const columns = (chart) => [...chart.querySelectorAll("a.col")];
const reach = () => {
  for (const every of [...document.querySelectorAll("figure svg.chart")].map(columns))
    if (!every.some((one) => one.tabIndex === 0)) every.at(-1)?.setAttribute("tabindex", 0);
};

document.addEventListener("keydown", (event) => {
  const here = event.target.closest?.("a.col");
  const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!here || !way || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation(); // elsewhere they walk the steps
  const every = columns(here.closest("svg.chart"));
  every[every.indexOf(here) + way]?.focus();
}, true);
for (const kind of ["focusin", "focusout"])
  document.addEventListener(kind, ({ target }) => {
    const here = target.closest?.("a.col");
    if (!here) return;
    output(here.closest("figure")).textContent = kind === "focusin" ? here.querySelector("title").textContent : "";
    if (kind === "focusin") for (const one of columns(here.closest("svg.chart"))) one.setAttribute("tabindex", one === here ? 0 : -1);
  });
document.addEventListener("changed", reach);
reach();
