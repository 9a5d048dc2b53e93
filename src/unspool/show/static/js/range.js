// Some steps alone, until they are all shown again around the one that the reader was at.

import { fetched, morph, put } from "./html.js";
import { say } from "./say.js";
import { steps } from "./step_data.js";
import { articles, replaced } from "./window.js";

// Where the step that is being read stands: below the deck, above the line of the playhead.
const [HIGHEST, LOWEST] = [112, 140];

let turn = 0; // grows with every range that is asked for, and with other passages

const chip = () => document.getElementById("range");

/** The numbers of the range's first and last step, if the page shows one. */
export const shownRange = () => chip()?.dataset ?? {};

/** @param {string} place the element of a step */
export const nameOf = (place) => place.replace(/^(?:step|chunk)-/, "");

/** The page's own address, with or without a range. @param {Record<string, string>} ends */
const addressOf = (ends) => {
  const address = new URL(location.href);
  for (const name of ["from", "to", "at", "chunk"]) address.searchParams.delete(name);
  for (const [name, id] of Object.entries(ends)) address.searchParams.set(name, id);
  address.hash = "";
  return address;
};

/** @param {URL} address @param {Record<string, string>} [more] */
const partOf = (address, more = {}) => {
  const [, , project, session] = location.pathname.split("/");
  const asked = new URLSearchParams(address.search);
  for (const [name, value] of Object.entries(more)) asked.set(name, value);
  return `/part/range/${project}/${session}?${asked}`;
};

const load = (part) => fetched(part).catch(() => say("The steps could not be loaded."));

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
  const whole = await load(part);
  if (whole && asked === turn) take(whole, morph);
};

/** Show the steps from one to another alone. @param {string} from @param {string} to */
export const narrow = async (from, to) => {
  const address = addressOf({ from, to });
  const asked = (turn += 1);
  const first = await load(partOf(address, { short: "true" }));
  if (!first || asked !== turn) return;
  history.replaceState(history.state, "", address);
  take(first);
  rest(partOf(address), turn);
  say(`${chip().textContent.trim()}. Press Escape to clear.`);
};

/** What shows a step: itself, or the fold that it lies in. @param {string} place */
const shownBy = (place) => {
  let one = document.getElementById(place);
  while (one && !one.checkVisibility()) one = one.parentElement?.closest(".step, article");
  return one;
};

/** A step stays where it was, however much has come above it. */
const keep = async (place, top) => {
  for (let n = 0; n < 4; n += 1) {
    const one = shownBy(place);
    if (one) scrollBy({ top: one.getBoundingClientRect().top - top, behavior: "instant" });
    await new Promise(requestAnimationFrame); // heights of what was never on screen are guesses
  }
};

/** Show all steps again. */
export const clear = async () => {
  const over = document.getElementById("over");
  const asked = (turn += 1);
  const data = await steps();
  const place = data.count ? data.step(Number(over.getAttribute("aria-valuenow")) - 1).id : "";
  const address = addressOf({});
  const whole = await load(partOf(address, place && { at: nameOf(place) }));
  if (!whole || asked !== turn) return;
  const before = shownBy(place)?.getBoundingClientRect().top ?? HIGHEST;
  const hadFocus = chip().contains(document.activeElement);
  history.replaceState(history.state, "", address);
  take(whole);
  if (hadFocus) over.focus({ preventScroll: true });
  say("Showing the whole session");
  await keep(place, Math.min(Math.max(before, HIGHEST), LOWEST));
};

document.addEventListener("replaced", () => (turn += 1));
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-range]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const asked = new URL(link.href).searchParams;
  if (asked.get("from")) narrow(asked.get("from"), asked.get("to"));
  else clear();
});
