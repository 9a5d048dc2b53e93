// A word from the browser when a session begins to wait for its reader: only where they asked.

export const KEY = "unspool-notify";
const WAITS = "waiting_for_approval";
const known = new Map();

export const isOn = () =>
  globalThis.Notification?.permission === "granted" && localStorage.getItem(KEY) === "on";

const show = () => {
  for (const button of document.querySelectorAll("[data-notify]")) {
    button.hidden = !("Notification" in globalThis);
    button.setAttribute("aria-pressed", String(isOn()));
  }
};

const toggle = async (button) => {
  if (isOn()) localStorage.removeItem(KEY);
  else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(KEY, "on");
  else button.title = "Notifications are blocked in this browser.";
  show();
};

/** @param {{id: string, projectId: string, title: string, status: {state: string}}} session */
const tell = (session) => {
  const before = known.get(session.id);
  known.set(session.id, session.status.state);
  // What already waited when the page opened is on the page.
  if (before === undefined || before === WAITS || session.status.state !== WAITS || !isOn()) return;
  const title = session.title || session.goal || session.id;
  const said = new Notification("Waiting for your approval", { body: title, tag: session.id });
  said.onclick = () => {
    focus();
    location.href = `/s/${encodeURIComponent(session.projectId)}/${encodeURIComponent(session.id)}`;
  };
};

document.addEventListener("told", ({ detail }) => {
  if (detail.type === "init")
    for (const { session } of detail.data.sessions)
      known.has(session.id) ? tell(session) : known.set(session.id, session.status.state);
  else if (detail.type === "session_update") tell(detail.data.session);
});
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-notify]");
  if (button) toggle(button);
});
document.addEventListener("changed", show);
show();
