// "Copy": what a button has in data-copy goes to the clipboard. What it did is a mark on the button
// that styles show over it, so its icon and its label stay, and a sentence that is read out.

import { say } from "./say.js";

const SHOWN_MS = 1_500;
const timers = new WeakMap();

const tell = (button, isCopied) => {
  clearTimeout(timers.get(button));
  button.dataset.copied = isCopied ? "yes" : "no";
  say(isCopied ? "Copied" : "The browser blocked copying");
  timers.set(button, setTimeout(() => delete button.dataset.copied, SHOWN_MS));
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    tell(button, true);
  } catch {
    tell(button, false);
  }
});
