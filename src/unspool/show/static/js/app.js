// What a page needs and nothing else: a module is fetched once something on the page asks for it.

/** @type {[string, () => Promise<unknown>][]} */
let needs = [
  ["#demo", () => import("./demo.js")],
  ["load-part", () => import("./part.js")],
  ["live-feed", () => import("./feed.js")],
  ["#levels", () => import("./levels.js")],
  ["[data-copies]", () => import("./blocks.js")],
  ["#outline", () => import("./outline.js")],
  ["#passages", () => import("./place.js")],
  ["#read #passages", () => import("./follow.js")],
  ["#over", () => import("./spool.js").then(() => import("./playhead.js"))],
  [".over[data-page]", () => import("./agent_spool.js")],
  ["#found", () => import("./hits.js")],
  [".hits", () => import("./marks_in_text.js")],
  ["#palette", () => import("./palette.js")],
  ["main", () => import("./keys.js")],
  ["#board", () => import("./board.js")],
  ["[data-copy], [data-copies]", () => import("./copy.js")],
  ["[data-mark]", () => import("./marks.js")],
  ["[data-reveal]", () => import("./reveal.js")],
  ["[data-filter], [data-submits], table[data-sort]", () => import("./filter.js")],
  ["live-feed, [data-notify]", () => import("./notify.js")],
  ["figure svg", () => import("./hover.js")],
  ["#spend #dayplot", () => import("./spend.js")],
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
