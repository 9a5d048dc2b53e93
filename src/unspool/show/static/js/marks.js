// Pin, hide, rename: what the reader decides about a session, kept by the server.

/** @param {HTMLElement} button @param {object} given */
const keep = async (button, given) => {
  const { session, project } = button.dataset;
  const asked = project ? `?project=${encodeURIComponent(project)}` : "";
  const answer = await fetch(`/api/sessions/${encodeURIComponent(session)}${asked}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(given),
  });
  if (!answer.ok) throw new Error((await answer.json()).detail ?? "It could not be saved.");
  document.querySelector("live-feed")?.refresh?.();
};

const press = async (button) => {
  const is = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(is));
  try {
    await keep(button, { [button.dataset.mark]: is });
  } catch (error) {
    button.setAttribute("aria-pressed", String(!is));
    button.title = error.message;
  }
};

/** A field in the place of the button, until it is kept or left. @param {HTMLElement} button */
const rename = (button) => {
  const form = document.createElement("form");
  const field = document.createElement("input");
  form.className = "rename";
  field.value = button.dataset.value ?? "";
  field.setAttribute("aria-label", "Title");
  field.maxLength = 200;
  const leave = () => form.replaceWith(button);
  form.append(field);
  form.addEventListener("keydown", (event) => event.key === "Escape" && leave());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await keep(button, { title: field.value.trim() });
      button.dataset.value = field.value.trim();
      leave();
      button.focus();
    } catch (error) {
      field.setCustomValidity(error.message);
      field.reportValidity();
    }
  });
  field.addEventListener("input", () => field.setCustomValidity(""));
  button.replaceWith(form);
  field.select();
};

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-mark]");
  if (!button) return;
  event.preventDefault();
  if (button.dataset.mark === "title") rename(button);
  else press(button);
});
