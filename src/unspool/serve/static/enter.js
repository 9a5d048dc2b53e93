// An address carries a one-time code, or the token, in its fragment, which no server and no log ever
// sees. It is exchanged for a cookie that no script can read, and removed from the address.

const said = document.getElementById("enter"); // only the sign-in page has something to say
const home = document.querySelector("main")?.dataset.home; // only where no browser is signed in

/** Go on to a place on this server, also if that is only another fragment. */
const goTo = (place) => {
  history.replaceState(null, "", "/enter");
  location.replace(location.origin + place);
};

/** A sentence, with its `commands` as such. */
const say = (sentence) => {
  const code = (textContent) => Object.assign(document.createElement("code"), { textContent });
  said.replaceChildren(...sentence.split("`").map((part, at) => (at % 2 ? code(part) : part)));
};

const enter = async () => {
  const here = location.pathname + location.search;
  const place = location.pathname === "/enter" ? "/" : here; // to see, once signed in
  const fragment = location.hash.slice(1);
  const given = new URLSearchParams(fragment);
  const token = given.get("t");
  if (!token) {
    // From localhost on to where this browser was sent the last time; and there, into the page.
    const url = home && localStorage.getItem(home);
    if (url) location.replace(`${url}${here}#h=${encodeURIComponent(fragment)}`);
    else if (said && given.has("h")) goTo(`${place}#${given.get("h")}`);
    return;
  }
  history.replaceState(null, "", location.origin + here);
  const answer = await fetch("/api/enter", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const text = await answer.text();
  if (!said) return;
  if (answer.status === 200) {
    const { url, code } = JSON.parse(text);
    localStorage.setItem(home, url);
    location.replace(`${url}${here}#t=${code}`);
  } else if (answer.ok) goTo(place);
  else say(JSON.parse(text).detail);
};

addEventListener("hashchange", enter);
await enter();
