// Lists without a reload: a filter asks the server for the part, a table that is whole sorts itself.

import { fetched, put } from "./html.js";

const REST = 150;
let asked;
let timer;

/** @param {string} part @param {URLSearchParams} query @param {string} [address] */
const show = async (part, query, address = location.pathname) => {
  for (const [name, value] of [...query]) if (!value) query.delete(name);
  asked?.abort();
  asked = new AbortController();
  const search = query.size ? `?${query}` : "";
  try {
    put(await fetched(part + search, asked.signal));
  } catch (error) {
    if (error.name !== "AbortError") location.assign(address + search);
    return;
  }
  history.replaceState(null, "", address + search);
  const feed = document.querySelector("live-feed");
  if (feed) feed.dataset.part = part + search;
};

const form = () => document.querySelector("form[data-filter]");
const submit = () => show(form().dataset.filter, new URLSearchParams(new FormData(form())));

document.addEventListener("submit", (event) => {
  if (event.target !== form()) return;
  event.preventDefault();
  submit();
});
for (const kind of ["input", "change"])
  document.addEventListener(kind, (event) => {
    if (!form() || event.target.form !== form()) return;
    clearTimeout(timer);
    timer = setTimeout(submit, REST);
  });
// Where every figure of a page changes, the page is loaded again.
document.addEventListener("change", (event) => event.target.form?.matches("[data-submits]") && event.target.form.requestSubmit());
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-filter]");
  if (!link || !form() || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  show(form().dataset.filter, new URLSearchParams(link.search), link.pathname);
});

const worth = (row, n) => {
  const cell = row.cells[n];
  const text = cell?.dataset.value ?? cell?.textContent.trim() ?? "";
  const number = Number.parseFloat(text.replace(/[$,\s]/g, ""));
  return Number.isNaN(number) ? text.toLowerCase() : number;
};

const compared = (a, b) => (typeof a === typeof b ? (a < b ? -1 : Number(a > b)) : typeof a < typeof b ? -1 : 1);

/** @param {HTMLTableCellElement} head */
const sort = (head) => {
  const table = head.closest("table");
  const way = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
  for (const one of head.parentElement.cells) one.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
  for (const body of table.tBodies) {
    const rows = [...body.rows].map((row) => [worth(row, head.cellIndex), row]);
    rows.sort(([a], [b]) => way * compared(a, b));
    body.append(...rows.map(([, row]) => row));
  }
};

const bind = () => {
  for (const head of document.querySelectorAll("table[data-sort] thead th:not(:has(button))")) {
    if (!head.textContent.trim()) continue;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "sorter" });
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head));
    head.append(button);
  }
};
document.addEventListener("changed", bind);
bind();
