// One live channel for a page: told that something changed, it fetches its part and puts it in.

import { LiveSocket } from "./live_socket.js";
import { fetched, put } from "./html.js";
import { KEY, isOn } from "./notify.js";
import { grown, having } from "./window.js";

const GONE = "session_removed";
const LISTS = new Set(["session_update", "session_ended", "timeline_invalidation", GONE]);
const ONES = new Set(["event_added", "session_updated", "session_ended", "timeline_invalidation", GONE]);
const BOARD = "board_updated";

class LiveFeed extends HTMLElement {
  connectedCallback() {
    this.seq = this.dataset.seq ? Number(this.dataset.seq) : null;
    this.version = this.dataset.version;
    this.isStale = this.seq === null; // without a number nobody knows what came in between
    this.isBusy = false;
    this.setAttribute("role", "status");
    this.later(this.dataset.again);
    for (const name of ["visibilitychange", "online", "storage"]) addEventListener(name, this);
    this.channel = new LiveSocket(() => this.query(), (message) => this.hear(message), (text) => this.say(text));
  }

  handleEvent(event) {
    if (event.key === KEY) this.channel.close(); // another page asked to be told, or not to be
    if (document.hidden) return;
    if (this.channel.isClosed) this.channel.connect();
    else if (this.isStale) this.refresh();
  }

  /** What is asked of the channel: all since a number, and the rows of the list or not. */
  query() {
    const asked = new URLSearchParams();
    if (this.seq !== null) asked.set("after", String(this.seq));
    // A page of one session needs no rows of others, but for a word when one of them waits.
    if (this.dataset.session && !isOn()) asked.set("lists", "false");
    return asked;
  }

  /** @param {{type: string, seq: number, sessionId: string?, data: object}} message */
  hear(message) {
    if (message.type === "init") this.begin();
    const mine = this.dataset.session;
    const isNews = mine
      ? message.sessionId === mine && ONES.has(message.type)
      : LISTS.has(message.type) || (message.type === BOARD && document.getElementById("board") !== null);
    this.seq = message.seq;
    const isOver = message.data.reason === "restarted" || (mine && message.type === GONE);
    if (isNews && isOver) location.reload(); // nothing is as it was
    else if (isNews) this.refresh();
    this.dispatchEvent(new CustomEvent("told", { detail: message, bubbles: true }));
  }

  begin() {
    const { session } = this.dataset;
    const seq = this.seq ?? undefined;
    if (session) this.channel.send({ type: "subscribe", sessionId: session, seq, events: false });
    // What a row says is not told again from a number on.
    if (this.isStale || this.channel.tries) this.refresh();
    this.channel.tries = 0;
    this.say("");
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
    const part = await fetched(address, undefined, this.version);
    if (!part) return;
    const { again, version = "" } = part.getElementById("passages")?.dataset ?? {};
    this.later(again);
    // Meanwhile the reader may have gone on to other sessions.
    const isOld = address.href !== this.address().href;
    if (isOld || grown(part)) this.isStale = true;
    this.version = this.isStale ? "" : version; // if more is to come, there is a part of it
    if (!isOld) put(part);
  }

  /** Fetch again what was not up to date, once it can be. @param {string | undefined} ms */
  later(ms) {
    clearTimeout(this.again);
    if (ms) this.again = setTimeout(() => this.refresh(), Number(ms));
  }

  /** @param {Error} error */
  failed(error) {
    if (!(error instanceof TypeError)) this.say(error.message);
    setTimeout(() => this.refresh(), 2_000);
  }

  /** The part to fetch: of a session, what follows the last passage on the page. */
  address() {
    return having(new URL(document.getElementById("board")?.dataset.part ?? this.dataset.part, location.href));
  }

  /** @param {string} text */
  say(text) {
    if (this.textContent !== text) this.textContent = text;
  }
}

customElements.define("live-feed", LiveFeed);
