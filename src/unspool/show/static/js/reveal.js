// A line as it was written, secrets and all: for a page on this machine, and noted by the server.

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-reveal]");
  if (!button) return;
  const shown = button.nextElementSibling;
  if (!shown?.matches(".revealed")) return;
  const isOpen = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!isOpen));
  shown.hidden = isOpen;
  if (isOpen) {
    shown.textContent = ""; // folded away is gone
    return;
  }
  try {
    const headers = { "content-type": "application/json" };
    const place = `/api/reveal/${encodeURIComponent(button.dataset.reveal)}`;
    const answer = await fetch(place, { method: "POST", headers, body: "{}" });
    const said = await answer.json();
    shown.textContent = answer.ok ? said.text : (said.detail ?? "This cannot be shown.");
  } catch {
    shown.textContent = "The server is not responding.";
  }
});
