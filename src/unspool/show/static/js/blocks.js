// Buttons beside a block copy what it shows; its link marks it without loading the page again.

const SUBJECT = ":scope > .row .what, :scope > details > summary .what";
const TEXT = ":scope > .prose, :scope > .note, :scope > .cmd, :scope > .summary > .prose";
// What nobody said is folded to a line: the line is not what is wanted.
const NOISE = ":scope > details > .body :is(.prose, .told, .ansi)";

/** @param {Element} one an element whose text is wanted without chips and buttons */
const words = (one) => {
  const chips = [...one.querySelectorAll(":scope > .chip")].map((chip) => chip.textContent);
  const text = (one.checkVisibility() ? one.innerText : one.textContent).trim(); // what is folded has no lines
  return chips.reduce((left, chip) => left.replace(chip, "").trim(), text);
};

/** @param {Element} diff */
const lines = (diff) =>
  [...diff.querySelectorAll("tr")].map((row) => {
    const [sign, text] = [...row.cells].slice(-2).map((cell) => cell.textContent);
    return `${sign.replace("−", "-") || " "}${text}`;
  });

/** What a block shows: an output, a diff, a message, or the subject of a call.
 * @param {Element} button */
export const textOf = (button) => {
  const block = button.closest(".block, .step, .ask, .you, .printed, .compacted");
  const inner = block.matches(".block") ? block.firstElementChild : null;
  if (inner) return inner.matches(".diff") ? lines(inner).join("\n") : inner.textContent;
  const found = block.querySelectorAll(block.matches(".noise") ? NOISE : TEXT);
  if (found.length) return [...found].map(words).join("\n");
  const subject = block.querySelector(SUBJECT);
  return subject ? words(subject) : block.innerText.trim();
};

// Before copy.js hears of it, which copies what a button has in data-copy.
document.addEventListener(
  "click",
  (event) => {
    const button = event.target.closest?.("[data-copies]");
    if (button) button.dataset.copy = textOf(button);
  },
  true,
);

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("[data-permalink]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  const place = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (!place || link.hash === location.hash) return;
  event.preventDefault();
  document.querySelectorAll("[data-target]").forEach((one) => delete one.dataset.target);
  place.dataset.target = "";
  history.pushState(null, "", link.href);
});
