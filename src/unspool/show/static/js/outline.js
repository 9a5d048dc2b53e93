// The outline says which turn is being read: the last that began above a line near the top.

const ABOVE = "0px 0px -78% 0px";
const TURNS = "#passages > [data-turn]";

const inSight = new Set();
let current = "";

const mark = () => {
  for (const link of document.querySelectorAll("#outline a[aria-current]")) link.removeAttribute("aria-current");
  const link = document.querySelector(`#outline a[href$="#turn-${current}"]`);
  if (!link) return;
  link.setAttribute("aria-current", "true");
  const list = link.closest(".side");
  const [box, around] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  if (box.top < around.top || box.bottom > around.bottom)
    list.scrollTop += box.top - around.top - around.height / 3;
};

/** Above the first turn it is the first. */
const find = () => {
  const turns = [...document.querySelectorAll(TURNS)];
  const turn = (turns.findLast((one) => inSight.has(one)) ?? turns[0])?.dataset.turn ?? "";
  if (turn === current && document.querySelector("#outline a[aria-current]")) return;
  current = turn;
  mark();
};

const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) inSight[isIntersecting ? "add" : "delete"](target);
    find();
  },
  { rootMargin: ABOVE },
);

const watch = () => {
  for (const turn of inSight) if (!turn.isConnected) inSight.delete(turn);
  for (const turn of document.querySelectorAll(TURNS)) seen.observe(turn);
  find();
};

document.addEventListener("changed", watch);
watch();
