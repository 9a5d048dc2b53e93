// "/" or ctrl-K opens the palette; "g" and a letter goes to a page.

const palette = document.getElementById("palette");
let before = "";

const open = (event) => {
  event.preventDefault();
  palette.showModal();
  palette.querySelector("input").select();
};

const goes = (keys) => palette.querySelector(`a[data-keys="${CSS.escape(keys)}"]`)?.click();

const isTyping = (target) => target.closest?.("input, textarea, select, [contenteditable]");

if (palette) {
  document.querySelector("[data-palette]")?.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const chord = (event.ctrlKey || event.metaKey) && event.key === "k";
    if (chord) return open(event);
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === "/") return open(event);
    if (before === "g") goes(`g ${event.key}`);
    before = event.key;
  });
}
