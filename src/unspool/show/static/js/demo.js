// A page of made-up sessions -> the reader's own, once the server has them.

const EVERY = 2_000;

const look = async () => {
  if (document.hidden) return;
  const answer = await fetch("/api/health").catch(() => null);
  if (!answer?.ok || (await answer.json()).demo) return;
  // A session that was made up is no more: its page would only say so.
  if (location.pathname.startsWith("/s/")) location.replace("/");
  else location.reload();
};

setInterval(look, EVERY);
document.addEventListener("visibilitychange", look);
