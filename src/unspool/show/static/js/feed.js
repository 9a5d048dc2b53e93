// One live channel for a page: told that something changed, it fetches its part and puts it in.

import { fetched, put } from "./html.js";
import { KEY, isOn } from "./notify.js";
import { grown, having } from "./window.js";

const GONE = "session_removed";
const LISTS = new Set(["session_update", "session_ended", GONE]);
const ONES = new Set(["event_added", "session_updated", "session_ended", "timeline_invalidation", GONE]);
const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;
const REFUSED = "Signed out, or the server was restarted: open the address that unspool serve status prints.";

class LiveFeed extends HTMLElement {
  connectedCallback() {
    this.seq = this.dataset.seq ? Number(this.dataset.seq) : null;
    this.isStale = this.seq === null; // without a number nobody knows what came in between
    this.isBusy = false;
    this.tries = 0;
    this.setAttribute("role", "status");
    for (const name of ["visibilitychange", "online", "storage"]) addEventListener(name, this);
    this.connect();
  }

  handleEvent(event) {
    if (event.key === KEY) this.socket.close(); // another page asked to be told, or not to be
    if (document.hidden) return;
    if (this.socket.readyState === WebSocket.CLOSED) this.connect();
    else if (this.isStale) this.refresh();
  }

  connect() {
    clearTimeout(this.timer);
    const address = new URL("/api/dashboard", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    if (this.seq !== null) address.searchParams.set("after", String(this.seq));
    // A page of one session needs no rows of others, but for a word when one of them waits.
    if (this.dataset.session && !isOn()) address.searchParams.set("lists", "false");
    const socket = (this.socket = new WebSocket(address));
    socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    socket.onclose = () => socket === this.socket && this.lost();
  }

  /** @param {{type: string, seq: number, sessionId: string?, data: object}} message */
  hear(message) {
    if (message.type === "init") this.begin();
    const mine = this.dataset.session;
    const isNews = mine
      ? message.sessionId === mine && ONES.has(message.type)
      : LISTS.has(message.type) || message.type === "timeline_invalidation";
    this.seq = message.seq;
    const isOver = message.data.reason === "restarted" || (mine && message.type === GONE);
    if (isNews && isOver) location.reload(); // nothing is as it was
    else if (isNews) this.refresh();
    this.dispatchEvent(new CustomEvent("told", { detail: message, bubbles: true }));
  }

  begin() {
    const { session } = this.dataset;
    const seq = this.seq ?? undefined;
    const asked = { type: "subscribe", sessionId: session, seq, events: false };
    if (session) this.socket.send(JSON.stringify(asked));
    // What a row says is not told again from a number on.
    if (this.isStale || this.tries) this.refresh();
    this.tries = 0;
    this.say("");
  }

  async lost() {
    const most = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.tries);
    this.timer = setTimeout(() => this.connect(), most * (0.5 + Math.random() / 2));
    this.tries += 1;
    if (this.tries < 3) return;
    const answer = await fetch("/static/icon.svg", { cache: "no-store" }).catch(() => null);
    if (this.tries) this.say(answer?.status === 401 ? REFUSED : "Disconnected, reconnecting …");
  }

  /** Fetch one after the other, however much was told meanwhile; nobody looks at a hidden page. */
  async refresh() {
    this.isStale = true;
    if (this.isBusy || document.hidden) return;
    this.isBusy = true;
    while (this.isStale && !document.hidden) {
      this.isStale = false;
      const begun = performance.now();
      await this.draw().catch((error) => this.failed(error));
      const took = performance.now() - begun;
      const rest = this.dataset.session ? Math.min(took, 50) : Math.min(4 * took + 100, 2_000);
      await new Promise((resume) => setTimeout(resume, rest));
    }
    this.isBusy = false;
  }

  async draw() {
    const address = this.address();
    const part = await fetched(address);
    // Meanwhile the reader may have gone on to other sessions.
    const isOld = address.href !== this.address().href;
    if (isOld || grown(part)) this.isStale = true;
    if (!isOld) put(part);
  }

  /** @param {Error} error */
  failed(error) {
    if (!(error instanceof TypeError)) this.say(error.message);
    setTimeout(() => this.refresh(), 2_000);
  }

  /** The part to fetch: of a session, what follows the last passage on the page. */
  address() {
    return having(new URL(this.dataset.part, location.href));
  }

  /** @param {string} text */
  say(text) {
    if (this.textContent !== text) this.textContent = text;
  }
}

customElements.define("live-feed", LiveFeed);
