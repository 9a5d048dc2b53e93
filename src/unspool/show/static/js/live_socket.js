// The socket of the live channel: it connects again whenever it is lost, and says if it cannot.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;
const REFUSED = "Signed out, or the server was restarted: open the address that unspool serve status prints.";

export class LiveSocket {
  /** @param {() => URLSearchParams} query @param {(message: object) => void} hear @param {(text: string) => void} say */
  constructor(query, hear, say) {
    this.query = query;
    this.hear = hear;
    this.say = say;
    this.tries = 0;
    this.connect();
  }

  get isClosed() {
    return this.socket.readyState === WebSocket.CLOSED;
  }

  connect() {
    clearTimeout(this.timer);
    const address = new URL("/api/dashboard", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.search = this.query();
    const socket = (this.socket = new WebSocket(address));
    socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    socket.onclose = () => socket === this.socket && this.lost();
  }

  /** @param {object} message */
  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  /** It connects again at once, with another question. */
  close() {
    this.socket.close();
  }

  async lost() {
    const most = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.tries);
    this.timer = setTimeout(() => this.connect(), most * (0.5 + Math.random() / 2));
    this.tries += 1;
    if (this.tries < 3) return;
    const answer = await fetch("/static/icon.svg", { cache: "no-store" }).catch(() => null);
    if (this.tries) this.say(answer?.status === 401 ? REFUSED : "Disconnected, reconnecting …");
  }
}
