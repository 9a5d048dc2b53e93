// The board: ages that go on, what waits in the title and in a sentence, keys, and "Tidy".
// Rows are changed in place by html.js; nothing but "Tidy" moves one.

import { explain } from "./key_sheet.js";
import { say } from "./say.js";

const board = () => document.getElementById("board");
const rows = () => [...document.querySelectorAll("#board .slot")];
const waiting = () => rows().filter((row) => row.matches(".is-wait"));
const drift = Date.now() - Number(board().dataset.at); // between the server's clock and ours

/** As the server writes it. @param {number} past */
const age = (past) => {
  if (past < 60_000) return `${Math.floor(Math.max(past, 0) / 1_000)} s`;
  const minutes = Math.round(past / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
};

const tick = () => {
  if (document.hidden) return;
  const now = Date.now() - drift;
  for (const one of document.querySelectorAll("#slots .slot:not([data-rest]) time[datetime]")) {
    const past = now - Date.parse(one.dateTime);
    if (past < 86_400_000 && one.textContent !== age(past)) one.textContent = age(past);
  }
};

let begun = false;
let told = document.getElementById("pin").dataset.waiting;

/** What waits: said once for each change, and counted in the title. */
const count = () => {
  const { count, waiting, say: text } = document.getElementById("pin").dataset;
  document.title = document.title.replace(/^(\(\d+\) )?/, Number(count) ? `(${count}) ` : "");
  if (waiting !== told) say(text);
  told = waiting;
};

/** @param {Element | undefined} row */
const go = (row) => {
  row?.querySelector(".title").focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
};

const here = () => document.activeElement?.closest(".slot");

const next = () => {
  const all = rows();
  const waits = waiting();
  const at = all.indexOf(here());
  go(waits.find((row) => all.indexOf(row) > at) ?? waits[0]);
  if (!waits.length) say("Nothing is waiting for you");
};

/** Rows and their lanes that are done go below the others; the rest stay in their order. */
const tidy = () => {
  for (const list of document.querySelectorAll("#board [data-slots]"))
    list.append(...list.querySelectorAll(":scope > [data-rest]"));
  say("Done sessions moved down");
};

/** Whose session was hidden or forgotten has no row. @param {string} session */
const remove = (session) => {
  for (const link of document.querySelectorAll("#board [data-slots] > li a"))
    if (link.pathname.endsWith(`/${encodeURIComponent(session)}`) && link.pathname.startsWith("/s/"))
      link.closest("li").remove();
};

const keys = { w: next, c: () => here()?.querySelector(".cp, [data-copy]")?.click() };

explain({ w: "next waiting session", c: "copy what the session is asking" });
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
  if (event.target.closest?.("input, textarea, select") || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  keys[event.key]();
});
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-slot]");
  if (link) go(document.getElementById(link.hash.slice(1)));
  if (link) event.preventDefault();
  if (event.target.closest?.("[data-tidy]")) tidy();
});
let isBack = false; // after a connection was lost: what was taken away meanwhile was not told
document.addEventListener("told", ({ detail }) => {
  if (detail.type === "session_removed") remove(detail.sessionId);
  if (detail.type === "init") isBack = begun;
  begun = true;
});
document.addEventListener("changed", () => {
  if (isBack) document.querySelectorAll("#board [data-absent]").forEach((row) => row.remove());
  isBack = false;
  count();
});
setInterval(tick, 1_000);
