// "Copy": what a button says it copies, and a word that it did.

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const before = button.dataset.says ?? (button.dataset.says = button.textContent);
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  button.setAttribute("aria-live", "polite");
  setTimeout(() => (button.textContent = before), 1_500);
});
