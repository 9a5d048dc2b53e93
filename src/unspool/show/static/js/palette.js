// Search or jump (⌘K, Ctrl-K or /): opens the row that is selected, which is the first one until
// the reader chooses another; to search in all texts is the last row.

import { commands, found, ordered, pages } from "./palette_items.js";
import { drawn } from "./palette_rows.js";

const palette = /** @type {HTMLDialogElement} */ (document.getElementById("palette"));
const input = palette.querySelector("input");
const list = document.getElementById("palette-list");
const REST = 90;
const PATIENCE = 400;

const say = (text) => {
  palette.querySelector("[data-say]").textContent = text;
};
/** What a command did is read out, and stands in the dialog for a moment; a late answer to what
 * was typed does not replace it. */
const tell = (text) => {
  clearTimeout(timer);
  asked?.abort();
  say(text);
  list.replaceChildren(Object.assign(document.createElement("p"), { className: "pal-said", textContent: text }));
  setTimeout(() => palette.close(), 1_000);
};
const own = [...pages(palette), ...commands(tell)];

let rows = [];
let selected = 0;
let isChosen = false;
let known = [];
let asked;
let timer;
let answer = Promise.resolve();

const select = (n) => {
  selected = (n + rows.length) % rows.length;
  list.querySelectorAll("[role=option]").forEach((one, at) => one.setAttribute("aria-selected", String(at === selected)));
  input.setAttribute("aria-activedescendant", `palette-${selected}`);
  document.getElementById(`palette-${selected}`)?.scrollIntoView({ block: "nearest" });
};

const show = () => {
  const typed = input.value.trim();
  const q = typed.toLowerCase();
  const before = isChosen ? rows[selected] : undefined;
  rows = ordered([...own, ...known], q, q ? 9 : 14);
  const search = { group: "Text", icon: "search", text: `Search all sessions for “${typed}”`, about: "", href: `/search?${new URLSearchParams({ q: typed })}` };
  if (typed) rows.push(search);
  list.replaceChildren(...drawn(rows, q));
  const same = rows.findIndex((row) => before && row.href === before.href && row.text === before.text);
  select(Math.max(same, 0));
  say(`${rows.length} results`);
};

const look = () => {
  asked?.abort();
  asked = new AbortController();
  const { signal } = asked;
  answer = found(input.value.trim().toLowerCase(), signal).then((items) => {
    if (signal.aborted) return;
    known = items;
    show();
  }, () => undefined);
};

const go = async (row) => {
  if (!row) return;
  if (row.href) return location.assign(row.href);
  if (row.closes) palette.close();
  await row.run();
};

const open = (event) => {
  event?.preventDefault();
  if (!palette.open) palette.showModal();
  input.select();
  isChosen = false;
  show();
  look();
};

input.addEventListener("input", () => {
  isChosen = false;
  show();
  clearTimeout(timer);
  timer = setTimeout(look, REST);
});
palette.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  // Only the text is left to search: what was typed may still be the name of something.
  if (rows[selected]?.group === "Text" && !isChosen) {
    clearTimeout(timer);
    look();
    await Promise.race([answer, new Promise((end) => setTimeout(end, PATIENCE))]);
  }
  go(rows[selected]);
});
palette.addEventListener("ask", open);
palette.addEventListener("keydown", (event) => {
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!way || !rows.length) return;
  event.preventDefault();
  isChosen = true;
  select(selected + way);
});
palette.addEventListener("click", (event) => {
  if (event.target === palette) palette.close();
  const option = event.target.closest("[role=option]");
  if (option) go(rows[option.dataset.row]);
});
palette.addEventListener("pointermove", (event) => {
  const option = event.target.closest("[role=option]");
  if (option && Number(option.dataset.row) !== selected) select(Number(option.dataset.row));
});
const link = document.querySelector("[data-palette]");
link?.addEventListener("click", (event) => !event.metaKey && !event.ctrlKey && open(event));
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") open(event);
});
