// The sentence at the top.

import { area, between, logit, oddsAgainst, precisionOf, reaches, share } from "./arithmetic.js";
import { $, content, names } from "./content.js";
import { here, state } from "./state.js";
import { isolated, oneIn, percent, sentences, short } from "./words.js";

/** The best of the models at a prevalence. */
export function leader() {
  const values = content.models.map((model) => area(model.average_precision, here()));
  return values.indexOf(Math.max(...values));
}

/** As asked where it was asked, with the intervals of the library; elsewhere with interpolated ones. */
export function showVerdict() {
  if (Math.abs(state.logOdds - logit(content.prevalence)) < 1e-9) { $("verdict").textContent = content.verdict; return; }
  const x = oddsAgainst(state.logOdds);
  const model = content.models[leader()];
  const value = area(model.average_precision, here());
  const { tpr, fpr } = model.points;
  const k = reaches(tpr, content.recall);
  const { low, high } = model.bands.average_precision;
  const ofArea = [low, high].map((end) => Math.min(1, value * between(end, state.logOdds, content.grid)));
  // An interval of TPR/FPR, which chooses the threshold again, serves every prevalence; null is infinity.
  const ofRight = (model.right ?? [NaN, NaN]).map((ratio) => (ratio === null ? 1 : ratio / (ratio + x)));
  const known = (/** @type {number[]} */ [from, to]) => Number.isFinite(from + to);
  $("verdict").textContent = sentences.verdict({
    where: oneIn(share(state.logOdds)), name: isolated(model.name), models: names.length,
    area: short(value) + sentences.sure(`≈\u00a0${short(ofArea[0])}`, short(ofArea[1]), known(ofArea)),
    right: percent(precisionOf(tpr[k], fpr[k], x)),
    sureRight: sentences.sure(percent(ofRight[0]), percent(ofRight[1]), known(ofRight)),
  });
}
