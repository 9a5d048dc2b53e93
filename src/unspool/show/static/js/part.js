// A part of the page that is fetched when it is asked for; without this file its link opens it.

// The server's HTML is escaped and cleaned there: one policy says so, and nothing else makes any.
const policy = globalThis.trustedTypes?.createPolicy("unspool-part", { createHTML: (text) => text });

const fragment = (text) => {
  const made = document.createElement("template");
  made.innerHTML = policy ? policy.createHTML(text) : text;
  return made.content;
};

class LoadPart extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", this);
  }

  async handleEvent(event) {
    if (!event.target.closest("a") || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    this.removeEventListener("click", this);
    this.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(this.dataset.src, { headers: { accept: "text/html" } });
      if (!answer.ok) throw new Error(String(answer.status));
      this.replaceChildren(fragment(await answer.text()));
    } catch {
      this.append(" It could not be read; try again.");
      this.addEventListener("click", this);
    }
    this.removeAttribute("aria-busy");
  }
}

customElements.define("load-part", LoadPart);
