// Search or jump: pages by their names, sessions by any word of theirs or the beginning of an id.

const palette = /** @type {HTMLDialogElement} */ (document.getElementById("palette"));
const input = palette.querySelector("input");
const list = palette.querySelector("ul");
const pages = [...list.children];
const MOST = 8;

let asked;
let timer;

const open = (event) => {
  event?.preventDefault();
  if (!palette.open) palette.showModal();
  input.select();
  if (!input.value) look();
};

const links = () => [...list.querySelectorAll("li:not([hidden]) a")];

/** @param {{session: object, metrics: object}} row */
const item = ({ session }) => {
  const made = document.createElement("li");
  const link = document.createElement("a");
  const place = document.createElement("span");
  link.href = `/s/${encodeURIComponent(session.projectId)}/${encodeURIComponent(session.id)}`;
  link.textContent = session.title || session.goal || session.id;
  link.className = "clip";
  place.className = "dim";
  place.textContent = [session.projectName, session.gitBranch].filter(Boolean).join(" · ");
  made.append(document.createElement("span"), link, place);
  return made;
};

const sessions = async (text) => {
  asked?.abort();
  asked = new AbortController();
  const query = new URLSearchParams({ q: text, limit: String(MOST) });
  if (!text) query.delete("q");
  const answer = await fetch(`/api/sessions?${query}`, { signal: asked.signal });
  return answer.ok ? (await answer.json()).items : [];
};

const look = async () => {
  const text = input.value.trim();
  for (const page of pages) page.hidden = !page.textContent.toLowerCase().includes(text.toLowerCase());
  try {
    const found = await sessions(text);
    // Nothing moves under a reader who has begun to choose.
    if (!list.contains(document.activeElement)) list.replaceChildren(...pages, ...found.map(item));
  } catch {
    // Asked again meanwhile, or nobody answers: the search below still does.
  }
};

const choose = (way) => {
  const all = [input, ...links()];
  const at = all.indexOf(document.activeElement);
  all[(at + way + all.length) % all.length].focus();
};

input.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(look, 120);
});
palette.addEventListener("ask", open);
palette.addEventListener("keydown", (event) => {
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!way) return;
  event.preventDefault();
  choose(way);
});
palette.addEventListener("click", (event) => {
  if (event.target === palette) palette.close();
});
document.querySelector("[data-palette]")?.addEventListener("click", open);
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "k") open(event);
});
