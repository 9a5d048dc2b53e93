// Story, normal, everything: one attribute on the column; the server draws the same from ?level=.

const read = document.getElementById("read");
const YEAR = 31_536_000;
const LEVELS = ["story", "normal", "everything"];

/** Everything is open; on any other level, what failed or was asked of the reader. */
const fold = () => {
  const isAll = read.dataset.level === "everything";
  for (const one of read.querySelectorAll(".step > details"))
    one.open = isAll || one.parentElement.matches(".stays, [data-target]");
};

/** @param {string} level */
export const show = (level) => {
  if (!LEVELS.includes(level) || read.dataset.level === level) return;
  const one = [...read.querySelectorAll("article")].find((turn) => turn.getBoundingClientRect().bottom > 80);
  const before = one?.getBoundingClientRect().top;
  const wasAll = read.dataset.level === "everything";
  read.dataset.level = level;
  if (wasAll || level === "everything") fold();
  for (const link of document.querySelectorAll("#levels [data-show]"))
    if (link.dataset.show === level) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  document.cookie = `unspool-level=${level}; path=/s; max-age=${YEAR}; samesite=strict`;
  const here = new URL(location.href);
  if (here.searchParams.has("level")) {
    here.searchParams.set("level", level);
    history.replaceState(history.state, "", here);
  }
  // The turn that is read stays where it is, however much of the page above it came or went.
  if (one && scrollY) scrollBy({ top: one.getBoundingClientRect().top - before, behavior: "instant" });
};

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#levels [data-show]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  show(link.dataset.show);
});
// A link leads to a step that the story leaves out.
document.addEventListener("hidden-step", () => show("normal"));
// What came to the page since is open too.
document.addEventListener("changed", () => {
  if (read.dataset.level === "everything") fold();
});
