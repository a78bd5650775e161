// Slices over their periods, each in a small chart, all at one prevalence.

/** @import { Multiples } from "./types.js" */
import { picture } from "./charts.js";
import { $, content, names, unit } from "./content.js";
import { whenSeen } from "./seen.js";
import { foremost } from "./state.js";
import { digits, sentences, shortened } from "./words.js";

export function showMultiples() {
  content.multiples.forEach((group, g) => group.rows.forEach((_, k) => whenSeen($(`multiple-${g}-${k}`), () => showOne(group, g, k))));
}

/** @param {Multiples} group @param {number} g @param {number} k */
function showOne({ periods, models, rows, name }, g, k) {
  const { key, values } = rows[k];
  const drawn = models.map((_, c) => c).filter((c) => foremost().includes(names.indexOf(models[c])));
  const last = periods.length - 1;
  const chart = picture(`multiple-${g}-${k}`, {
    x: { range: [-0.5, last + 0.5], ticks: [[0, shortened(periods[0], 10)], [last, shortened(periods[last], 10)]] },
    y: { range: unit.range, ticks: [[0, "0"], [0.5, ".5"], [1, "1"]] }, label: "", described: sentences.overPeriods(name, key), height: 130,
  });
  for (const c of drawn) chart.line(values[c].map((value, place) => [place, value ?? NaN]), names.indexOf(models[c]));
  for (const c of drawn) {
    const known = values[c].findLastIndex((value) => value !== null);
    if (known >= 0) chart.dot([known, values[c][known] ?? NaN], names.indexOf(models[c]), { scaled: 0.7 });
  }
  chart.reads((place) => ({
    at: place, title: periods[place],
    rows: drawn.map((c) => ({ model: names.indexOf(models[c]), name: models[c], up: values[c][place] ?? NaN, text: digits(values[c][place] ?? NaN) })),
  }), { places: periods.map((_, place) => place), start: last });
}
