// What a page needs and nothing else: a module is fetched once something on the page asks for it.

/** @type {[string, () => Promise<unknown>][]} */
let needs = [
  ["#demo", () => import("./demo.js")],
  ["load-part", () => import("./part.js")],
  ["live-feed", () => import("./feed.js")],
  ["#passages", () => import("./place.js")],
  ["#read #passages", () => import("./follow.js")],
  ["#palette", () => import("./palette.js")],
  ["main", () => import("./keys.js")],
  ["[data-copy]", () => import("./copy.js")],
  ["[data-mark]", () => import("./marks.js")],
  ["[data-reveal]", () => import("./reveal.js")],
  ["[data-filter], table[data-sort]", () => import("./filter.js")],
  ["live-feed, [data-notify]", () => import("./notify.js")],
  ["figure svg", () => import("./hover.js")],
];

const look = async () => {
  const isAsked = ([selector]) => document.querySelector(selector);
  const asked = needs.filter(isAsked);
  needs = needs.filter((one) => !asked.includes(one));
  await Promise.all(asked.map(([, load]) => load()));
  document.documentElement.dataset.ready = "";
};

document.documentElement.classList.add("js");
document.addEventListener("changed", look);
await look();
