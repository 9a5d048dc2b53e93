// The end of a session, followed: only the reader's own way up ends it, and nothing grows for ever.

import { articles, isFollowed, isWhole } from "./window.js";

/** Steps that a followed page holds; older passages are dropped, since they can be fetched again. */
const MOST = 400;
const NEAR = 8;

const read = document.getElementById("read");
const page = document.scrollingElement;
const newer = document.createElement("button");

let top = page.scrollTop;
let height = page.scrollHeight;
let seen = 0;

const isAtEnd = () => page.scrollHeight - page.clientHeight - page.scrollTop <= NEAR;
/** Steps in a step, of an agent or a group, come when the reader opens it: they are not new. */
const STEP = ".step:not(.step .step)";
const steps = () => read.querySelectorAll(STEP).length;

const pin = () => {
  page.scrollTo({ top: page.scrollHeight, behavior: "instant" });
  top = page.scrollTop;
  height = page.scrollHeight;
};

const follow = () => {
  // The end is elsewhere: the page's own link leads there.
  if (!isWhole()) return document.querySelector("a[data-latest]")?.click();
  read.dataset.following = "";
  trim();
  pin();
  told();
};

const stop = () => {
  delete read.dataset.following;
  seen = steps();
  told();
};

/** How much stands below what the reader looks at. */
const told = () => {
  const fresh = isFollowed() ? 0 : steps() - seen;
  newer.hidden = fresh <= 0;
  newer.textContent = `${fresh} new`;
  for (const button of document.querySelectorAll("button[data-follow]")) {
    button.hidden = false;
    button.setAttribute("aria-pressed", String(isFollowed()));
  }
};

const trim = () => {
  const passages = articles();
  let count = steps();
  while (passages.length > 1 && count > MOST) {
    const oldest = passages.shift();
    count -= oldest.querySelectorAll(STEP).length;
    oldest.remove();
    earlier(passages[0].dataset.n);
  }
};

/** Dropped passages are a link away. @param {string} n */
const earlier = (n) => {
  const asked = new URLSearchParams(location.search);
  for (const name of ["at", "from", "to"]) asked.delete(name);
  asked.set("chunk", String(Math.max(0, Number(n) - 20)));
  const link = Object.assign(document.createElement("a"), { className: "btn", href: `?${asked}` });
  link.textContent = "Earlier";
  const bar = Object.assign(document.createElement("p"), { className: "bar-note" });
  bar.append(`${n} earlier`, link);
  document.getElementById("earlier")?.replaceChildren(bar);
};

const scrolled = () => {
  // What was taken away or measured anew moves the page too: that was not the reader.
  const isReader = page.scrollHeight === height;
  const isDown = page.scrollTop > top;
  if (isFollowed() && isReader && page.scrollTop < top - 1) stop();
  else if (!isFollowed() && isDown && isAtEnd() && isWhole()) follow();
  top = page.scrollTop;
  height = page.scrollHeight;
};

newer.type = "button";
newer.className = "newer btn";
newer.addEventListener("click", follow);
newer.hidden = true;
read.after(newer);
addEventListener("scroll", scrolled, { passive: true });
addEventListener("wheel", (event) => event.deltaY < 0 && top > 0 && isFollowed() && stop(), { passive: true });
// Where heights are guesses the end is not where the key leads.
addEventListener("keydown", (event) => event.key === "End" && isWhole() && follow());
document.addEventListener("click", (event) => {
  if (event.target.closest?.("button[data-follow]")) isFollowed() ? stop() : follow();
});
// Other passages in the place of all are not new ones below, nor is the end where the reader goes.
document.addEventListener("replaced", stop);
document.addEventListener("changed", () => {
  if (isFollowed()) trim();
  told();
});
new ResizeObserver(() => (isFollowed() ? pin() : (height = page.scrollHeight))).observe(document.body);

stop();
if (location.hash === "#latest" || (!location.hash && isAtEnd() && isWhole())) follow();
