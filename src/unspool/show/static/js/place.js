// A link to a step: what encloses it is opened, it is scrolled to and marked; where the page does
// not have it, the passages around it are fetched in place of those that stand here.

import { changed, fetched } from "./html.js";
import { replaced } from "./window.js";

const read = document.getElementById("read");

/** Open what encloses an element; an agent's steps are fetched. The element, which may be another then.
 * @param {Element} found @returns {Promise<Element>} */
const opened = async (found) => {
  for (let one = found; one; one = one.parentElement?.closest("details"))
    if (one.matches("details")) one.open = true;
  const part = found.closest("load-part[data-unfolds]:not([data-loaded])");
  if (!part?.load) return found;
  await part.load();
  const fresh = document.getElementById(found.id);
  return fresh && fresh !== found ? opened(fresh) : found;
};

/** Go to an element, opening what hides it. @param {Element} target */
export const show = async (target) => {
  document.querySelectorAll("[data-target]").forEach((one) => delete one.dataset.target);
  const found = await opened(target);
  const own = found.querySelector(":scope > details");
  if (own) own.open = true;
  if (!found.checkVisibility()) document.dispatchEvent(new Event("hidden-step"));
  // An anchor has no looks of its own, and is as far above what it names as the deck needs.
  const isAnchor = found.matches(".anchor");
  (isAnchor ? found.parentElement : found).dataset.target = "";
  // Heights of what was never on screen are guesses: each look makes them better, unless the
  // reader has gone on meanwhile.
  const { hash } = location;
  for (let n = 0; n < 4 && location.hash === hash; n += 1) {
    found.scrollIntoView({ block: isAnchor ? "start" : "center", behavior: "instant" });
    await new Promise(requestAnimationFrame);
  }
};

/** @param {string} step */
const bring = async (step) => {
  const [, , project, session] = location.pathname.split("/");
  const agent = new URLSearchParams(location.search).get("agent");
  const asked = agent ? `?agent=${encodeURIComponent(agent)}` : "";
  try {
    const part = await fetched(`/part/at/${project}/${session}/${encodeURIComponent(step)}${asked}`);
    replaced(part);
    changed();
  } catch (error) {
    const said = document.createElement("p");
    said.className = "bar-note";
    said.setAttribute("role", "alert");
    said.textContent = `The linked step was not found. ${error.message}`;
    read.prepend(said);
  }
};

/** The id that an address names; none where it is malformed. @param {string} hash */
const idOf = (hash) => {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return "";
  }
};

const arrive = async () => {
  const id = idOf(location.hash);
  if (!id) return;
  const [, named] = id.match(/^(?:step|chunk)-(.+)$/) ?? [];
  if (named && !document.getElementById(id)) await bring(named);
  const found = document.getElementById(id);
  if (found && read.contains(found)) await show(found);
};

addEventListener("hashchange", arrive);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="#"], a[data-at]');
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  if ("at" in link.dataset) {
    if (!document.getElementById(idOf(link.hash))) return; // its page is loaded
    event.preventDefault();
  }
  // The same link once more is no change of the address, but the reader wants to go there again.
  if (link.hash === location.hash) arrive();
  else if (event.defaultPrevented) location.hash = link.hash;
});
await arrive();
