// The passages of a session that the page has: what comes before, what comes after, and their end.

import { changed, fetched, morph } from "./html.js";

const by = (id) => document.getElementById(id);

/** Whether the page reaches the end of its session. */
export const isWhole = () => Boolean(by("passages")) && !by("later")?.childElementCount;

export const isFollowed = () => by("read")?.dataset.following !== undefined;

/** @returns {HTMLElement[]} */
export const articles = () => [...(by("passages")?.querySelectorAll(":scope > article") ?? [])];

/** Say in an address which passages the page has. @param {URL} address */
export const having = (address) => {
  const shown = articles();
  if (shown.length) {
    address.searchParams.set("begin", shown[0].dataset.n);
    address.searchParams.set("chunk", shown.at(-1).dataset.n);
    // Where the end is not on the page, no more is taken than how much there is of it.
    if (!isWhole()) address.searchParams.set("limit", "1");
  }
  return address;
};

/** Take the new passages of a tail: put at the end of those on the page. Of one that the page
 * does not reach, none are taken. Whether there are still more.
 * @param {DocumentFragment} part */
export const grown = (part) => {
  const passages = part.getElementById("passages");
  const chip = by("range");
  // A range stays until the reader clears it.
  if (chip?.dataset.first) part.getElementById("range")?.replaceWith(chip.cloneNode(true));
  if (!passages) return false;
  document.dispatchEvent(new Event("grown"));
  passages.remove();
  if (chip?.dataset.first) {
    // What the range left out stays out until it is cleared.
    for (const id of ["outline", "instruments", "later"]) part.getElementById(id)?.remove();
    return false;
  }
  if (!isWhole()) return false;
  const more = part.getElementById("later");
  more?.remove();
  by("passages").querySelector(":scope > .empty")?.remove();
  for (const fresh of [...passages.children]) {
    const old = by(fresh.id);
    if (old) morph(old, fresh, !isFollowed());
    else by("passages").append(fresh);
  }
  by("passages").dataset.total = passages.dataset.total ?? "";
  return Boolean(more?.childElementCount);
};

/** Other passages in the place of all, or more around those that stay.
 * @param {DocumentFragment} part @param {(old: Element, fresh: Element) => void} [swap] */
export const replaced = (part, swap = (old, fresh) => old.replaceWith(fresh)) => {
  for (const id of ["earlier", "passages", "later"]) {
    const [old, fresh] = [by(id), part.getElementById(id)];
    if (old && fresh) swap(old, fresh);
    part.getElementById(id)?.remove();
  }
  document.dispatchEvent(new Event("replaced"));
};

const frame = () => new Promise(requestAnimationFrame);

/** Add passages while what is on the screen stays where it is.
 * @param {HTMLElement[]} fresh @param {() => void} add */
const around = async (fresh, add) => {
  const one = articles().find((article) => article.getBoundingClientRect().bottom > 0);
  const before = one?.getBoundingClientRect().top;
  // The height of what was never seen is a guess: it is drawn once, so that it is known.
  for (const article of fresh) article.style.contentVisibility = "visible";
  document.documentElement.style.overflowAnchor = "none"; // or the browser holds on to it too
  add();
  if (one) scrollBy({ top: one.getBoundingClientRect().top - before, behavior: "instant" });
  await frame();
  await frame();
  for (const article of fresh) article.style.contentVisibility = "";
  document.documentElement.style.overflowAnchor = "";
};

/** More of them on one side. @param {HTMLAnchorElement} link */
const more = async (link) => {
  const side = link.closest("#earlier") ? "earlier" : "later";
  link.setAttribute("aria-busy", "true");
  try {
    const part = await fetched(link.dataset.window);
    const fresh = [...part.getElementById("passages").children].filter((one) => !by(one.id));
    await around(fresh, () => {
      if (side === "earlier") by("passages").prepend(...fresh);
      else by("passages").append(...fresh);
      by(side).replaceWith(part.getElementById(side));
    });
    changed();
  } catch {
    location.assign(link.href);
  }
};

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-window]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  more(link);
});
