// HTML of the server -> the page: the one place that turns text into elements, and the one that
// changes what is already there without taking anything out of the reader's hands.

// The server's HTML is escaped and cleaned there: one policy says so, and nothing else makes any.
const policy = globalThis.trustedTypes?.createPolicy("unspool", { createHTML: (text) => text });

/** What the reader did to an element, or a script for them: the server does not know of it. */
const OURS = new Set(["open", "tabindex", "data-target", "data-loaded", "data-copied", "aria-busy"]);

/** @param {string} text @returns {DocumentFragment} */
export const parsed = (text) => {
  const made = document.createElement("template");
  made.innerHTML = policy ? policy.createHTML(text) : text;
  return made.content;
};

/** A part of a page; what went wrong is an Error that says so in words.
 * @param {string | URL} address @param {AbortSignal} [signal]
 * @param {string} [version] that the page has; of the same one there is no part */
export const fetched = async (address, signal, version) => {
  const headers = { accept: "text/html", "x-requested-with": "part" };
  if (version) headers["if-none-match"] = version;
  const answer = await fetch(address, { headers, signal });
  if (answer.status === 304) return null;
  if (answer.ok) return parsed(await answer.text());
  const said = { 401: "Open the address that unspool serve status prints.", 404: "Not found." };
  throw new Error(said[answer.status] ?? `The server returned an error (${answer.status}).`);
};

/** Say that the page has changed, to whoever counts, binds or measures. */
export const changed = () => document.dispatchEvent(new Event("changed"));

/** Put a part's elements in the place of those with the same ids.
 * @param {DocumentFragment} part */
export const put = (part) => {
  for (const fresh of [...part.children]) {
    const old = document.getElementById(fresh.id);
    if (old) morph(old, fresh);
  }
  changed();
};

/** Make `old` what `fresh` is, touching only what differs.
 * @param {Node} old @param {Node} fresh
 * @param {boolean} [keeps] whether what the new one leaves out or folds away stays */
export const morph = (old, fresh, keeps = false) => {
  if (old.isEqualNode(fresh)) return;
  if (!(old instanceof Element)) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  if ("loaded" in (old.dataset ?? {}) && old.dataset.src === fresh.dataset.src) return;
  if (keeps && isFolded(fresh) && !isFolded(old)) return;
  for (const { name } of [...old.attributes])
    if (!OURS.has(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes)
    if (!OURS.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  if ("slots" in (old.dataset ?? {})) slots(old, fresh);
  else children(old, fresh, keeps);
};

/** A list whose rows keep their places: they change where they are, new ones are added below, and
 * none is taken away. What rests already when it is first told of is nothing new. */
const slots = (old, fresh) => {
  const known = new Map([...old.children].map((one) => [one.id, one]));
  const wanted = new Set([...fresh.children].map((one) => one.id));
  for (const row of old.children) row.toggleAttribute("data-absent", !wanted.has(row.id));
  for (const row of [...fresh.children])
    if (known.has(row.id)) morph(known.get(row.id), row);
    else if (!("rest" in row.dataset)) old.append(row);
};

const children = (old, fresh, keeps) => {
  const known = new Map([...old.children].map((one) => [one.id, one]));
  const wanted = new Set([...fresh.children].map((one) => one.id));
  let at = old.firstChild;
  const pass = (next) => {
    while (at && at !== next && isPassed(at, next, wanted)) {
      const one = at;
      at = at.nextSibling;
      if (!(keeps && one.id)) one.remove();
    }
  };
  for (const child of [...fresh.childNodes]) {
    const match = child.id ? known.get(child.id) : undefined;
    pass(match);
    const same = match ?? (at && !at.id && !child.id && at.nodeName === child.nodeName ? at : undefined);
    if (same?.nodeName === child.nodeName) {
      if (same === at) at = at.nextSibling;
      else moved(old, same, at);
      morph(same, child, keeps);
    } else {
      old.insertBefore(child, at);
      if (match && match === at) at = at.nextSibling;
      match?.remove();
    }
  }
  while (at) {
    const one = at;
    at = at.nextSibling;
    if (!(keeps && one.id)) one.remove();
  }
};

/** Whether a child is not in the new list, or only the space before the one that comes next. */
const isPassed = (one, next, wanted) =>
  one.id ? !wanted.has(one.id) : Boolean(next) && one.nodeType === Node.TEXT_NODE && !one.data.trim();

const isFolded = (one) => "folded" in (one.dataset ?? {});

const moved = (parent, child, before) =>
  parent.moveBefore && child instanceof Element
    ? parent.moveBefore(child, before)
    : parent.insertBefore(child, before);
