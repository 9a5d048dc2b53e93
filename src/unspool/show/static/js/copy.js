// "Copy": what a button has in data-copy goes to the clipboard. What it did is a mark on the button
// that styles show over it, so its icon and its label stay, and a sentence that is read out.

const SHOWN_MS = 1_500;
const timers = new WeakMap();
const status = document.createElement("p");
status.className = "vh";
status.setAttribute("role", "status");
document.body.append(status);

const tell = (button, isCopied) => {
  clearTimeout(timers.get(button));
  button.dataset.copied = isCopied ? "yes" : "no";
  status.textContent = isCopied ? "Copied" : "The browser blocked copying";
  const end = () => {
    delete button.dataset.copied;
    status.textContent = "";
  };
  timers.set(button, setTimeout(end, SHOWN_MS));
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
