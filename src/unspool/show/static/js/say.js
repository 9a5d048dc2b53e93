// One sentence for screen readers: the last one wins, and none comes sooner than it can be read out.

const PAUSE_MS = 400;
let timer;

const region = () => {
  const known = document.getElementById("say");
  if (known) return known;
  const made = Object.assign(document.createElement("p"), { id: "say", className: "vh" });
  made.setAttribute("role", "status");
  document.body.append(made);
  return made;
};

/** @param {string} text */
export const say = (text) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    region().textContent = text;
  }, PAUSE_MS);
};

region(); // one that is there before its words is read out
