// What the palette finds: pages, sessions, turns, files and commands, each with a score.

const LIFT = { Pages: 8, Sessions: 6, Turns: 2, Files: 0, Commands: 0 };
const MOST = 6;
const STATES = {
  waiting_for_approval: "waiting for your approval", waiting_for_input: "waiting for your prompt",
  working: "working", idle: "idle", ended: "ended", failed: "failed", limited: "usage limit",
};

/** @typedef {{group: string, icon: string, text: string, about: string, href?: string, run?: () => unknown}} Item */

/** How well a text fits: its start 100, the start of a word 80, inside 60, letters in order at most 30.
 * @param {string} text @param {string} q in lower case */
export const score = (text, q) => {
  const low = text.toLowerCase();
  const at = low.indexOf(q);
  if (at === 0) return 100 - low.length / 50;
  if (at > 0) return (/[\s/\\._-]/.test(low[at - 1]) ? 80 : 60) - Math.min(low.length / 50, 9);
  let place = 0;
  let left = 30;
  for (const letter of q) {
    const next = low.indexOf(letter, place);
    if (next < 0) return 0;
    left -= Math.min(next - place, 6);
    place = next + 1;
  }
  return Math.max(left, 0);
};

/** The best first, those of a group together; what the server found for other words counts by its
 * texts alone. @param {Item[]} items @param {string} q @param {number} most */
export const ordered = (items, q, most) => {
  const worth = (one) => Math.max(score(one.text, q), score(one.about, q) * 0.6, one.q === q ? one.score : 0);
  const lifted = (one) => (worth(one) > 20 ? worth(one) + LIFT[one.group] : 0);
  const scored = q ? items.map((one) => [lifted(one), one]).filter(([n]) => n > 0) : items.map((one) => [0, one]);
  if (q) scored.sort(([a], [b]) => b - a);
  const best = scored.slice(0, most).map(([, one]) => one);
  const groups = [...new Set(best.map((one) => one.group))];
  return groups.flatMap((group) => best.filter((one) => one.group === group));
};

/** @param {Element} dialog @returns {Item[]} */
export const pages = (dialog) =>
  [...dialog.querySelectorAll("li a")].map((link) => ({
    group: "Pages", icon: "dot", text: link.textContent, about: link.dataset.about, href: link.href,
  }));

const asked = async (place, query, signal) => {
  const answer = await fetch(`${place}?${new URLSearchParams({ limit: String(MOST), ...query })}`, { signal });
  return answer.ok ? (await answer.json()).items : [];
};

const address = (project, session, query = {}) => {
  const search = new URLSearchParams(query).toString();
  return `/s/${encodeURIComponent(project)}/${encodeURIComponent(session)}${search && `?${search}`}`;
};

const day = (iso) =>
  iso ? new Date(iso).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" }) : "";

const session = ({ session: one, lastActivity }) => ({
  group: "Sessions",
  score: 40, // the server found it: by its id, its branch or its goal
  icon: { waiting_for_approval: "wait", working: "work" }[one.status.state] ?? "turn",
  text: one.title || one.goal || one.id,
  about: [one.projectName, STATES[one.status.state], day(lastActivity)].filter(Boolean).join(", "),
  href: address(one.projectId, one.id),
});

const turn = (q) => (one) => ({
  group: "Turns", icon: "dot", score: 60,
  text: one.snippet.split("\n").find((line) => line.toLowerCase().includes(q)) ?? one.snippet.split("\n")[0],
  about: `turn ${one.turn} of ${one.title}`,
  href: address(one.projectId, one.sessionId, { at: one.eventId, q }),
});

const file = (one) => ({
  group: "Files", icon: "file", score: 40, text: one.name,
  about: `${one.edits} ${one.edits === 1 ? "edit" : "edits"}`,
  href: `/files?${new URLSearchParams({ path: one.path })}`,
});

/** What the server knows; a question that fails finds nothing. @param {string} q @returns {Promise<Item[]>} */
export const found = async (q, signal) => {
  const word = /["*]$/.test(q) ? q : `${q}*`;
  const asks = [
    asked("/api/sessions", q ? { q } : {}, signal).then((items) => items.map(session)),
    q ? asked("/api/search", { q: word, kind: "prompt" }, signal).then((items) => items.map(turn(q))) : [],
    q ? asked("/api/files", { path: q }, signal).then((items) => items.map(file)) : [],
  ];
  const answers = await Promise.allSettled(asks);
  return answers.flatMap((one) => one.value ?? []).map((one) => ({ ...one, q }));
};

const newest = async (query) => (await asked("/api/sessions", { limit: "1", ...query }))[0]?.session;

/** @param {(text: string) => void} say @returns {Item[]} */
export const commands = (say) => [
  { text: "Copy the resume command", about: "of this session, or the newest", run: async () => {
    const [, , , here] = location.pathname.startsWith("/s/") ? location.pathname.split("/") : [];
    const id = here ? decodeURIComponent(here) : (await newest({}))?.id;
    if (id) await navigator.clipboard.writeText(`claude --resume ${id}`);
    say(id ? "Copied" : "No sessions yet");
  } },
  { text: "Next waiting session", about: "waiting for your approval", run: async () => {
    const one = await newest({ status: "waiting_for_approval" });
    if (one) location.assign(address(one.projectId, one.id));
    else say("No session is waiting for your approval");
  } },
  { text: "Switch between light and dark", about: "theme", closes: true, run: () => document.querySelector('a[href^="/theme"]')?.click() },
  { text: "Spend in the last 7 days", about: "", href: "/spend?range=7" },
  { text: "Keyboard shortcuts", about: "key ?", closes: true, run: () => dispatchEvent(new Event("ask-keys")) },
].map((one) => ({ group: "Commands", icon: "shell", ...one }));
