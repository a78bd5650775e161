// Whether scores are probabilities: their errors and bins at the prevalence.

/** @import { Bins, ReadBin } from "./types.js" */
import { calibrationError, debiasedError, mixed, oddsAgainst, readBins, share } from "./arithmetic.js";
import { picture } from "./charts.js";
import { $, content, names, unit } from "./content.js";
import { whenSeen } from "./seen.js";
import { foremost, state, tabled } from "./state.js";
import { modelTable, table } from "./tables.js";
import { amount, digits, percent, range, sentences } from "./words.js";

/** @typedef {{ name: string, m: number, bins: Bins, read: ReadBin[] }} Judged */

export function showProbabilities() {
  const prevalence = share(state.logOdds);
  const x = oddsAgainst(state.logOdds);
  const shown = tabled();
  content.models.forEach((model, m) => {
    const drawn = shown.includes(m) && foremost().includes(m);
    const figure = document.getElementById(`reliability-${m}`)?.closest("figure");
    if (figure) figure.hidden = !drawn;
    $(`probabilities-${m}`).hidden = !drawn;
  });
  if (!content.models.some((model) => model.calibration)) return;
  /** @type {Judged[]} */
  const judged = shown.flatMap((m) => {
    const bins = content.models[m].calibration;
    return bins ? [{ name: names[m], m, bins, read: readBins(bins, x) }] : [];
  });
  /** @param {number} value */
  const loss = (value) => (value === Infinity ? ["∞", sentences.infiniteLoss] : digits(value));
  modelTable("probabilities", judged.map(({ name }) => name), [
    ["ECE", ...judged.map(({ read }) => digits(calibrationError(read)))],
    ["Debiased ECE", ...judged.map(({ read }) => digits(debiasedError(read)))],
    ["Brier score", ...judged.map(({ bins }) => digits(mixed(bins.brier_score, prevalence)))],
    ["Log loss", ...judged.map(({ bins }) => loss(mixed(bins.log_loss, prevalence)))],
    ...content.own_rows.map((name, k) => /** @type {[string[], ...string[][]]} */ ([[name, "at the data's own prevalence"], ...judged.map(({ bins }) => bins.own[k])])),
  ]);
  for (const one of judged) if (foremost().includes(one.m)) whenSeen($(`reliability-${one.m}`), () => showBins(one));
}

/** @param {Judged} judged */
function showBins({ name, m, bins, read }) {
  const titles = read.map((_, k) => `${bins.low[k]} – ${bins.high[k]}`);
  table($(`bins-${m}`), ["Rows", "Mean score", "Event rate", "Scores"], read.map((bin, k) => [
    titles[k], [amount(bins.pos[k] + bins.neg[k]), percent(bin.share)], digits(bin.score),
    [digits(bin.rate), range(bin.low, bin.high)], bin.off ?? "agree",
  ]), { first: "Bin", sortable: true });
  const off = read.filter((bin) => bin.off).length;
  const chart = picture(`reliability-${m}`, { x: unit, y: unit, label: "mean score", described: sentences.bins(name, read.length, off) });
  chart.chance([[0, 0], [1, 1]]);
  read.forEach((bin) => {
    chart.whisker([bin.score, bin.low, bin.high], m);
    chart.dot([bin.score, bin.rate], m, { hollow: !bin.off });
  });
  const places = read.map((bin) => bin.score);
  chart.reads((place) => {
    const bin = read[places.indexOf(place)];
    const text = `event rate ${digits(bin.rate, 3)} (${range(bin.low, bin.high)}), scores ${bin.off ?? "agree"}`;
    return { at: place, title: `mean score ${digits(bin.score, 3)}`, rows: [{ model: m, name: "", up: bin.rate, text }] };
  }, { places, start: places[0] });
  showShares({ name, m, bins, read });
}

/** Bars as high as the logarithm of the share, from the power of ten below the smallest, so that rare bins are seen. @param {Judged} judged */
function showShares({ name, m, bins, read }) {
  const lowest = Math.floor(Math.min(...read.map((bin) => Math.log10(bin.share)))) - 0.5;
  const step = Math.ceil(-lowest / 3);
  const powers = Array.from({ length: Math.floor(-lowest / step) + 1 }, (_, k) => -k * step);
  const chart = picture(`shares-${m}`, {
    x: unit, y: { range: [lowest, 0], ticks: powers.map((power) => [power, power > -3 ? `${10 ** power}` : `1e${power}`]) },
    label: "score", described: sentences.shares(name), height: 130,
  });
  read.forEach((bin, k) => chart.bar([bins.low[k], bins.high[k]], Math.log10(bin.share), m));
  const places = read.map((_, k) => (bins.low[k] + bins.high[k]) / 2);
  chart.reads((place) => {
    const k = places.indexOf(place);
    return {
      at: place, title: `scores ${bins.low[k]} – ${bins.high[k]}`,
      rows: [{ model: m, name: "", up: Math.log10(read[k].share), text: `${percent(read[k].share)} of the rows` }],
    };
  }, { places, start: places[0] });
}
