// The sheet of keys ("?"): every module that listens to keys says here what they do.

/** @type {Record<string, string>} */
const sheet = {};

/** Keys that are pressed one after the other, or that belong together, are apart by a space.
 * @param {Record<string, string>} keys what each does */
export const explain = (keys) => Object.assign(sheet, keys);

/** The dialog, with the keys of this page. @returns {HTMLDialogElement} */
export const keySheet = () => {
  document.getElementById("keys")?.remove();
  const dialog = Object.assign(document.createElement("dialog"), { id: "keys", className: "pal keys" });
  dialog.setAttribute("aria-label", "Keyboard shortcuts");
  const list = document.createElement("dl");
  for (const [keys, text] of Object.entries(sheet)) {
    const name = document.createElement("dt");
    for (const key of keys.split(" "))
      name.append(Object.assign(document.createElement("kbd"), { textContent: key }), " ");
    list.append(name, Object.assign(document.createElement("dd"), { textContent: text }));
  }
  dialog.append(list);
  dialog.addEventListener("click", () => dialog.close());
  document.body.append(dialog);
  return dialog;
};
