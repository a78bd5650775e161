// The prevalence: the slider, its box and its buttons.

import { logit, prevalenceFrom, share } from "./arithmetic.js";
import { $, content } from "./content.js";
import { changed, state } from "./state.js";
import { oneIn, sentences } from "./words.js";

/** Beside a box: what was typed, in other words, or why it is refused. @param {string} box @param {string} text @param {boolean} [refused] */
export function say(box, text, refused = false) {
  $(box).setAttribute("aria-invalid", String(refused));
  $(`${box}-text`).textContent = text;
}

/** Four digits, in as few characters as they take. @param {number} prevalence */
function inBox(prevalence) {
  const shown = Number(prevalence.toPrecision(4));
  return shown < 1e-4 ? shown.toExponential() : String(shown);
}

export function showPrevalence() {
  const prevalence = share(state.logOdds);
  $("slider").value = state.logOdds;
  $("slider").setAttribute("aria-valuetext", oneIn(prevalence));
  if (document.activeElement !== $("share")) $("share").value = inBox(prevalence);
  say("share", oneIn(prevalence));
  for (const button of $("places").children) {
    button.setAttribute("aria-pressed", String(Math.abs(logit(Number(button.value)) - state.logOdds) < 1e-6));
  }
}

function readShare() {
  const wanted = prevalenceFrom($("share").value);
  const [low, high] = content.range.map((end) => Number(share(end).toPrecision(6)));
  if (wanted >= low && wanted <= high) { state.logOdds = logit(wanted); changed(); return; }
  say("share", sentences.refusedShare(low, high, oneIn(share(state.logOdds))), true);
}

/** Prevalences worth looking at, as buttons: those of the data, those asked for, and those where models swap places. */
function offerPlaces() {
  /** @type {Map<string, { value: number, why: string[] }>} */
  const places = new Map();
  const offered = [
    ...content.own.map((value) => ({ value, why: sentences.ofData })),
    ...content.asked.map((value) => ({ value, why: sentences.asked })),
    ...content.crossings.map((value) => ({ value, why: sentences.swap })),
  ];
  for (const { value, why } of offered) {
    const known = places.get(oneIn(value));
    if (known && !known.why.includes(why)) known.why.push(why);
    if (!known) places.set(oneIn(value), { value, why: [why] });
  }
  for (const [text, { value, why }] of [...places].sort(([, a], [, b]) => a.value - b.value)) {
    const button = Object.assign(document.createElement("button"), { type: "button", value: String(value), textContent: text });
    button.append(Object.assign(document.createElement("small"), { textContent: ` ${why.join(", ")}` }));
    button.addEventListener("click", () => { state.logOdds = logit(value); changed(); });
    $("places").append(button);
  }
}

export function beginPrevalence() {
  const [min, max] = content.range;
  Object.assign($("slider"), { min, max });
  $("marks").textContent = content.marks;
  offerPlaces();
  $("slider").addEventListener("input", () => { state.logOdds = Number($("slider").value); changed(); });
  $("share").addEventListener("input", readShare);
}
