// The printed address carries the token in its fragment, which no server and no log ever sees.
// It is swapped for a cookie that no script can read, and wiped from the address.

const enter = async () => {
  const token = new URLSearchParams(location.hash.slice(1)).get("t");
  if (!token) return;
  const here = location.pathname + location.search;
  history.replaceState(null, "", here);
  const answer = await fetch("/api/enter", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  await answer.text();
  // Only the page of those who are not yet in has something to say and somewhere to go.
  const said = document.getElementById("enter");
  if (!said) return;
  if (answer.ok) location.replace(here);
  else said.textContent = "That token is an old one. Open the address that unspool printed last.";
};

addEventListener("hashchange", enter);
await enter();
