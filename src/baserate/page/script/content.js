// What Python has put into the page, and the readings of it.

/** @import { Axis, Content } from "./types.js" */
import { logit, share } from "./arithmetic.js";
import { oneIn } from "./words.js";

/** The element with this id, which the page has. @param {string} id @returns {any} */
export function $(id) { return document.getElementById(id); }

/** The content of a large page is compressed. @param {string} packed */
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

/** @type {HTMLScriptElement} */
const kept = $("content");
/** @type {Content} */
export const content = JSON.parse(kept.type === "application/json" ? kept.text : await unpacked(kept.text));
export const names = content.models.map((model) => model.name);

/** The sign of intervals that are interpolated, as they are where none was computed. @param {number} logOdds */
export function about(logOdds) { return content.grid.some((place) => Math.abs(place - logOdds) < 1e-9) ? "" : "≈\u00a0"; }

/** The axis of prevalences, in log-odds. */
export const prevalences = (() => {
  const [lowest, highest] = content.range;
  const marks = [1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9, 0.99, 0.999];
  /** @type {[number, string][]} */
  const ticks = marks.map((p) => [logit(p), p < 1e-3 ? p.toExponential() : `${p}`]);
  return {
    /** @type {[number, number]} */
    range: [lowest, highest],
    ticks: ticks.filter(([place]) => place >= lowest - 1e-9 && place <= highest + 1e-9),
    places: Array.from({ length: 121 }, (_, k) => lowest + ((highest - lowest) * k) / 120),
    /** @param {number} place */
    read: (place) => oneIn(share(place)),
  };
})();

/** Shares from 0 to 1. @type {Axis} */
export const unit = { range: [0, 1], ticks: [[0, "0"], [0.25, ".25"], [0.5, ".5"], [0.75, ".75"], [1, "1"]] };
