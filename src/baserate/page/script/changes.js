// Is it the model or the base rate? Each model over its periods, with the change since the first ones in its parts.

/** @import { Axis, Series, SeriesPeriod } from "./types.js" */
import { picture, upTo } from "./charts.js";
import { $, content, names, unit } from "./content.js";
import { amount, digits, oneIn, range, sentences, shortened } from "./words.js";

/** The parts of a change that are drawn. @type {("prior" | "model" | "threshold")[]} */
const parts = ["prior", "model", "threshold"];

export function showChanges() {
  content.series.forEach((series, s) => {
    if (!$(`change-${s}`)) return;
    showParts(series, s);
    showTimeline(series, s);
  });
  if ($("moving")) showPrevalences(content.series[0]);
}

/** @param {Series} series @param {string} holder @returns {Axis} */
function periods(series, holder) {
  const every = Math.ceil(series.periods.length / Math.max(1, Math.floor($(holder).clientWidth / 90)));
  return {
    range: [-0.5, series.periods.length - 0.5],
    ticks: series.periods.flatMap(({ key }, k) => (k % every ? [] : [/** @type {[number, string]} */ ([k, shortened(key, 10)])])),
  };
}

/** @param {number} most @returns {Axis} */
function around(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  const end = ([1, 2, 4, 6, 8].find((one) => most <= one * power * (1 + 1e-9)) ?? 10) * power;
  /** @param {number} value @returns {[number, string]} */
  const tick = (value) => [value, `${value > 0 ? "+" : ""}${Number(value.toPrecision(2))}`];
  return { range: [-end, end], ticks: [tick(-end), tick(-end / 2), [0, "0"], tick(end / 2), tick(end)] };
}

/** @param {Series} series @param {number} s */
function showParts(series, s) {
  const known = series.periods.flatMap(({ change }) => (change ? parts.flatMap((part) => change[part].map((end) => Math.abs(end ?? 0))) : []));
  const chart = picture(`change-${s}`, {
    x: periods(series, `change-${s}`), y: around(Math.max(0.01, ...known)), label: "", described: sentences.changeChart(series.name), height: 240,
  });
  chart.chance([[-0.5, 0], [series.periods.length - 0.5, 0]]);
  const there = parts.filter((part) => part !== "threshold" || series.periods.some(({ change }) => change?.threshold[0]));
  const width = 0.8 / there.length;
  series.periods.forEach(({ change }, k) => {
    if (!change) return;
    there.forEach((part, i) => {
      const [value, low, high] = change[part];
      if (value === null) return;
      const left = k - 0.4 + i * width;
      chart.column([left, left + width], value, `part ${part}`);
      chart.whisker([left + width / 2, low ?? NaN, high ?? NaN], null);
    });
  });
  chart.reads((place) => {
    const one = series.periods[place];
    return one ? { at: place, title: one.key, rows: there.map((part) => rowOf(one, part)) } : null;
  }, { places: series.periods.map((_, k) => k), start: series.periods.length - 1 });
}

/** @param {SeriesPeriod} one @param {"prior" | "model" | "threshold"} part */
function rowOf({ change }, part) {
  const [value, low, high] = change?.[part] ?? [null, null, null];
  const text = value === null ? sentences.referencePeriod : `${signed(value)} (${signed(low)} – ${signed(high)})`;
  return { model: -1, name: sentences.parts[part], up: value ?? NaN, text };
}

/** @param {number | null} value */
function signed(value) { return value === null ? "–" : `${value > 0 ? "+" : ""}${value.toFixed(3)}`; }

/** @param {Series} series @param {number} s */
function showTimeline(series, s) {
  const model = Math.max(names.indexOf(series.name), 0);
  const chart = picture(`timeline-${s}`, {
    x: periods(series, `timeline-${s}`), y: unit, label: "", described: sentences.timelineChart(series.name), height: 240,
  });
  chart.line(series.periods.map(({ common }, k) => [k, common?.[0] ?? NaN]), model);
  series.periods.forEach(({ common, alarm }, k) => {
    const [value, low, high] = common ?? [null, null, null];
    chart.whisker([k, low ?? NaN, high ?? NaN], model);
    if (alarm) chart.upright(k, "alarm");
    chart.dot([k, value ?? NaN], model, { hollow: series.reference.includes(series.periods[k].key) });
  });
  chart.reads((place) => {
    const one = series.periods[place];
    const [value, low, high] = one?.common ?? [null, null, null];
    const alarm = one?.alarm ? `; ${sentences.alarm}` : "";
    return one ? {
      at: place, title: one.key,
      rows: [{ model, name: series.name, up: value ?? NaN, text: `${digits(value ?? NaN)} (${range(low ?? NaN, high ?? NaN, 2)})${alarm}` }],
    } : null;
  }, { places: series.periods.map((_, k) => k), start: series.periods.length - 1 });
}

/** @param {Series} series */
function showPrevalences(series) {
  const most = Math.max(1e-9, ...series.periods.map(({ prevalence }) => prevalence ?? 0));
  const cases = series.periods.map(({ rows }) => (rows[0] ?? 0) + (rows[1] ?? 0));
  const chart = picture("moving", {
    x: periods(series, "moving"), label: "", described: sentences.prevalenceChart, height: 200,
    y: { range: [0, most * 1.1], ticks: upTo(most * 1.1) },
  });
  const largest = Math.max(1, ...cases);
  cases.forEach((n, k) => chart.column([k - 0.4, k + 0.4], (n / largest) * most, "traffic"));
  chart.line(series.periods.map(({ prevalence }, k) => [k, prevalence ?? NaN]), 0);
  series.periods.forEach(({ prevalence }, k) => chart.dot([k, prevalence ?? NaN], 0));
  chart.reads((place) => {
    const one = series.periods[place];
    return one ? {
      at: place, title: one.key,
      rows: [{ model: 0, name: sentences.prevalenceOf, up: one.prevalence ?? NaN, text: `${oneIn(one.prevalence ?? NaN)}; ${sentences.casesOf(amount(cases[place]), amount(one.rows[0] ?? NaN))}` }],
    } : null;
  }, { places: series.periods.map((_, k) => k), start: series.periods.length - 1 });
}
