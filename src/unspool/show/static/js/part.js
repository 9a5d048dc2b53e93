// A part of the page that is fetched when it is asked for; without this file its link opens it.

import { changed, fetched } from "./html.js";

// One that lies folded away is fetched when it is unfolded and near the screen, if it says so.
const near = new IntersectionObserver(
  (entries) => entries.filter((one) => one.isIntersecting).forEach(({ target }) => target.load()),
  { rootMargin: "400px" },
);

class LoadPart extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", this);
    if ("unfolds" in this.dataset && !("loaded" in this.dataset)) near.observe(this);
    // In a list that scrolls by itself, what is just below its edge is not near the screen.
    if (this.dataset.unfolds === "now") this.closest("details").addEventListener("toggle", () => this.load());
  }

  disconnectedCallback() {
    near.unobserve(this);
  }

  /** @param {Event} event */
  handleEvent(event) {
    const link = event.target.closest("a");
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button > 0;
    const isOurs = link?.getAttribute("href") === this.dataset.src;
    if (elsewhere || !isOurs || "loaded" in this.dataset) return;
    event.preventDefault();
    this.load();
  }

  /** Once it is here, or could not be fetched. @returns {Promise<void>} */
  load() {
    near.unobserve(this);
    if ("loaded" in this.dataset) return Promise.resolve();
    return (this.loading ??= this.fetch().finally(() => delete this.loading));
  }

  async fetch() {
    this.setAttribute("aria-busy", "true");
    this.querySelector(":scope > .part-said")?.remove();
    try {
      this.show(await fetched(this.dataset.src));
    } catch (error) {
      const said = document.createElement("span");
      said.className = "part-said";
      said.setAttribute("role", "alert");
      said.textContent = error instanceof TypeError ? "The server is not responding." : error.message;
      this.append(said);
    }
    this.removeAttribute("aria-busy");
  }

  /** What is on the page already, folded or out of date, is replaced; all else goes in here.
   * @param {DocumentFragment} part */
  show(part) {
    const hadFocus = this.contains(document.activeElement);
    const first = part.firstElementChild;
    const same = first?.id ? document.getElementById(first.id) : null;
    if (same) same.replaceWith(part);
    else this.replaceChildren(part);
    this.dataset.loaded = "";
    if (hadFocus && first) {
      first.tabIndex = -1;
      first.focus({ preventScroll: true });
    }
    changed();
  }
}

customElements.define("load-part", LoadPart);
