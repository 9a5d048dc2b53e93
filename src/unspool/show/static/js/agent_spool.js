// The small spool of an agent: as on the large one, hover says the step and a click goes to it.

import { crosshair } from "./crosshair.js";
import { show } from "./place.js";
import { nameOf } from "./range.js";
import { loaded } from "./step_data.js";

const FAR = 8; // steps

/** The page of the agent, at one of its steps. @param {string} page @param {string} id */
const pageAt = (page, id) => {
  const address = new URL(page, location.href);
  address.searchParams.set("at", nameOf(id));
  address.hash = id;
  return address;
};

/** @param {HTMLElement} over */
const bind = (over) => {
  let known;
  const steps = () => (known ??= loaded(over.dataset.src, () => (known = undefined)));
  const hairs = crosshair(over, steps);
  const part = over.closest("load-part");

  over.dataset.loaded = "";
  over.addEventListener("pointermove", (event) => hairs.show(hairs.place(event)));
  over.addEventListener("pointerleave", hairs.hide);
  over.addEventListener("click", async (event) => {
    const x = hairs.place(event);
    const data = await steps();
    if (!data.count) return;
    const shown = new Set([...part.querySelectorAll("[id^='step-']")].map((one) => one.id));
    const wanted = data.under(x, hairs.slack());
    const nearest = data.under(x, hairs.slack(), (id) => shown.has(id));
    // Of a long agent not all is opened in place.
    if (Math.abs(wanted - nearest) > FAR) return location.assign(pageAt(over.dataset.page, data.step(wanted).id));
    show(document.getElementById(data.step(nearest).id));
  });
};

const watch = () => document.querySelectorAll(".over[data-page]:not([data-loaded])").forEach(bind);

document.addEventListener("changed", watch);
watch();
