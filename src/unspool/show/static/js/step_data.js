// The steps behind a spool, fetched once and again when the session has grown: columns of numbers.

import { say } from "./say.js";

const over = () => document.getElementById("over");

let known;
let from = "";

/** The steps of one spool. @param {string} address @param {() => void} failed */
export const loaded = (address, failed) =>
  fetch(address, { headers: { "x-requested-with": "part" } })
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
    .then(made)
    .catch(() => {
      failed();
      say("The steps could not be loaded.");
      return made({ id: [] });
    });

/** @returns {Promise<ReturnType<typeof made>>} */
export const steps = async () => {
  const address = over()?.dataset.src;
  if (!address) return made({ id: [] });
  if (!known || from !== address) {
    from = address;
    known = loaded(address, () => (known = undefined));
  }
  return known;
};

document.addEventListener("grown", () => (known = undefined));

const made = (columns) => {
  const exits = new Map(columns.exits);
  const sets = Object.fromEntries(["opens", "failed", "waits"].map((name) => [name, new Set(columns[name])]));
  return {
    count: columns.id.length,
    folds: columns.folds ?? [],
    causes: columns.causes,
    numbers: new Map(columns.id.map((id, at) => [id, at])),
    /** @param {number} at */
    step: (at) => ({
      at,
      id: columns.id[at],
      label: columns.labels[columns.label[at]],
      turn: columns.turn[at],
      x: columns.x[at],
      end: columns.end[at],
      clock: new Date(columns.at[at] + columns.offset * 60_000).toISOString().slice(11, 19),
      took: columns.took[at],
      cost: columns.cost[at],
      usd: columns.cost[at].reduce((sum, one) => sum + one, 0) / 1e6,
      opens: sets.opens.has(at),
      failed: sets.failed.has(at),
      exit: exits.get(at),
      waits: sets.waits.has(at),
    }),
    /** The shortest step that covers a place, else the nearest.
     * @param {number} x @param {number} slack @param {(id: string) => boolean} [fits] */
    under: (x, slack, fits = () => true) => {
      let best = 0;
      let least = Infinity;
      for (let at = 0; at < columns.id.length; at += 1) {
        const [begin, end] = [columns.x[at] - slack, columns.end[at] + slack];
        const isOver = x >= begin && x <= end;
        const score = isOver ? (end - begin) / 1e6 : 1 + Math.min(Math.abs(x - begin), Math.abs(x - end));
        if (score < least && fits(columns.id[at])) [best, least] = [at, score];
      }
      return best;
    },
    /** The steps that touch a stretch. @param {number} begin @param {number} end */
    between: (begin, end) => {
      const touched = columns.id.flatMap((_, at) => (columns.end[at] >= begin && columns.x[at] <= end ? [at] : []));
      return touched.length ? [Math.min(...touched.slice(0, 1)), touched.at(-1)] : null;
    },
  };
};

/** @param {number} dollars */
export const usd = (dollars) => (dollars && dollars < 0.005 ? "<$0.01" : `$${dollars.toFixed(2)}`);

/** @param {number} ms */
export const lasting = (ms) => {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, "0")}`;
};

/** A step in one sentence, for a screen reader. */
export const described = (one, count) =>
  [`Step ${one.at + 1} of ${count}`, `turn ${one.turn}`, one.label, one.failed ? "failed" : "", one.clock, lasting(one.took), usd(one.usd)]
    .filter(Boolean)
    .join(", ");
