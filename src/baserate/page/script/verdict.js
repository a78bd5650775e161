// The sentence at the top.

import { area, between, logit, oddsAgainst, precisionOf, reaches, share } from "./arithmetic.js";
import { $, about, content, names } from "./content.js";
import { here, state } from "./state.js";
import { whoLeads } from "./versus.js";
import { amount, isolated, oneIn, percent, sentences, short } from "./words.js";

/** Average precision of each model at the prevalence that is chosen. */
function values() { return content.models.map((model) => area(model.average_precision, here())); }

/** The best of the models at a prevalence. */
export function leader() { return values().indexOf(Math.max(...values())); }

/** @param {number} m */
function rightOf(m) {
  const { points: { tpr, fpr }, right } = content.models[m];
  const [k, x] = [reaches(tpr, content.recall), oddsAgainst(state.logOdds)];
  // An interval of TPR/FPR serves every prevalence; null is infinity.
  const ends = (right ?? [NaN, NaN]).map((ratio) => (ratio === null ? 1 : ratio / (ratio + x)));
  const value = precisionOf(tpr[k], fpr[k], x);
  return { value, sure: sentences.sure(percent(ends[0]), percent(ends[1]), Number.isFinite(ends[0] + ends[1])) };
}

/** As asked where it was asked, with the intervals of the library; elsewhere with interpolated ones. */
export function showVerdict() {
  if (Math.abs(state.logOdds - logit(content.prevalence)) < 1e-9) { $("verdict").textContent = content.verdict; return; }
  const areas = values();
  const found = whoLeads(content.pairs, areas, state.logOdds);
  const [first] = found.ahead;
  const { low, high } = content.models[first].bands.average_precision;
  const ends = [low, high].map((end) => Math.min(1, areas[first] * between(end, state.logOdds, content.grid)));
  const rights = found.ahead.map(rightOf);
  $("verdict").textContent = sentences.verdict({
    where: oneIn(share(state.logOdds)), together: content.broken,
    ahead: found.ahead.map((m) => isolated(names[m])), behind: found.behind.map((m) => isolated(names[m])),
    sure: found.sure, paired: found.paired, more: found.more === null ? null : amount(Number(found.more.toPrecision(1))),
    area: short(areas[first]) + sentences.sure(about(state.logOdds) + short(ends[0]), short(ends[1]), Number.isFinite(ends[0] + ends[1])),
    areas: found.ahead.map((m) => areas[m]), sureRight: rights[0].sure, rights: rights.map(({ value }) => value),
  });
}
