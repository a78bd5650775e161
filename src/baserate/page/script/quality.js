// How good the models are at the prevalence: areas, and the curves behind them.

/** @import { CellText, Metric, Model, Reading } from "./types.js" */
import { areaOfGains, areas, between, ends, falseRateAt, fromRecall, precisionOf } from "./arithmetic.js";
import { picture, upTo } from "./charts.js";
import { $, about, content, names, unit } from "./content.js";
import { whenSeen } from "./seen.js";
import { modelTable } from "./tables.js";
import { chosen, foremost, here, others, state, tabled } from "./state.js";
import { digits, isolated, range, sentences, thresholdText } from "./words.js";

/** @param {number} value */
function decimals(value) {
  return (Math.abs(value) > 1 ? value.toPrecision(4) : value.toFixed(4)).replace(/^-(0\.0*)$/, "$1");
}

/** @param {Metric} metric @param {Model} model @param {Reading} at @returns {CellText} */
function valueWithInterval({ of, key, fixed, decimals: many }, model, at) {
  const value = of(model, at);
  if (many) return decimals(value);
  if (fixed) {
    const { low, high } = fixed(model);
    return [digits(value), range(low ?? NaN, high ?? NaN)];
  }
  if (!key) return digits(value);
  const { low, high } = model.bands[key];
  const [from, to] = [low, high].map((end) => Math.min(1, value * between(end, at.logOdds, content.grid)));
  return [digits(value), about(at.logOdds) + range(from, to)];
}

export function showQuality() {
  const at = here();
  const shown = tabled();
  modelTable("headline", shown.map((m) => names[m]), areas.map((metric) =>
    [metric.name, ...shown.map((m) => valueWithInterval(metric, content.models[m], at))]));
  whenSeen($("pr"), () => showPrecision(at));
  whenSeen($("looks"), () => showLooks(at));
}

/** @param {Reading} at */
function showLooks(at) {
  const tab = document.querySelector('#looks [aria-selected="true"]')?.id;
  const all = matchMedia("print").matches;
  if (all || tab === "tab-roc") showRoc();
  if (all || tab === "tab-scores") showScores();
  if (all || tab === "tab-gains") showGains(at);
}

/** @param {Model} model @returns {[number, number][]} */
const path = (model) => model.path ?? [];

/** The stored threshold that first reaches a recall. @param {Model} model @param {number} recall */
function nextTo({ points: { tpr } }, recall) {
  const k = tpr.findIndex((t) => t >= recall - 1e-12);
  return k < 0 ? tpr.length - 1 : k;
}

/** @param {Reading} at */
function showPrecision({ x, prevalence }) {
  const recalls = Array.from({ length: 101 }, (_, k) => k / 100);
  const chart = picture("pr", { x: unit, y: unit, label: "recall", described: sentences.prChart });
  chart.area([...recalls.map((r) => /** @type {[number, number]} */ ([r, precisionOf(r, 1, x) || 0])), [1, 0], [0, 0]]);
  chart.chance([[0, prevalence], [1, prevalence]]);
  /** @param {number} m @returns {[number, number][]} */
  const line = (m) => path(content.models[m]).map(([t, f]) => [t, precisionOf(t, f, x)]);
  for (const m of others()) chart.faint(line(m));
  for (const m of foremost()) {
    const { points } = content.models[m];
    const found = points.tpr.map((_, k) => k).filter((k) => points.tpr[k] > 0);
    const side = (/** @type {0 | 1} */ end) => found.map((k) => /** @type {[number, number]} */ ([points.tpr[k], ends(precisionOf, points, k, x)[end]]));
    chart.band(side(0), side(1), m);
    chart.line(line(m), m);
    const k = state.points[m];
    chart.dot([points.tpr[k], precisionOf(points.tpr[k], points.fpr[k], x)], m);
  }
  chart.reads((recall) => {
    const wanted = Math.max(recall, 0.01);
    return {
      at: wanted, title: `recall ${digits(wanted, 2)}`,
      rows: foremost().map((m) => {
        const { points } = content.models[m];
        const k = nextTo(content.models[m], wanted);
        const value = precisionOf(wanted, falseRateAt(path(content.models[m]), wanted), x);
        const [low, high] = ends(precisionOf, points, k, x);
        return { model: m, name: names[m], up: value, text: `${digits(value, 3)} (${range(low, high)} at ${thresholdText(points.threshold[k])})` };
      }),
    };
  }, { start: content.recall });
}

function showRoc() {
  const chart = picture("roc", { x: unit, y: unit, label: "false positive rate", described: sentences.rocChart });
  chart.chance([[0, 0], [1, 1]]);
  /** @param {number} m @returns {[number, number][]} */
  const line = (m) => path(content.models[m]).map(([t, f]) => [f, t]);
  for (const m of others()) chart.faint(line(m));
  for (const m of foremost()) {
    const { points } = content.models[m];
    chart.band(points.fpr_high.map((f, k) => [f, points.tpr_low[k]]), points.fpr_low.map((f, k) => [f, points.tpr_high[k]]), m);
    chart.line(line(m), m);
    const k = state.points[m];
    chart.dot([points.fpr[k], points.tpr[k]], m);
  }
  chart.reads((rate) => ({
    at: rate, title: `false positive rate ${digits(rate, 3)}`,
    rows: foremost().map((m) => {
      const { points: { tpr, fpr, tpr_low: low, tpr_high: high, threshold } } = content.models[m];
      const after = fpr.findIndex((f) => f > rate);
      const k = after < 0 ? tpr.length - 1 : Math.max(after - 1, 0);
      const [t0, f0] = after > 0 ? [tpr[k], fpr[k]] : after < 0 ? [1, 0] : [0, 0];
      const value = after < 0 ? 1 : t0 + ((tpr[after] - t0) * (rate - f0)) / (fpr[after] - f0);
      return { model: m, name: names[m], up: value, text: `${digits(value, 3)} (${range(low[k], high[k])} at ${thresholdText(threshold[k])})` };
    }),
  }), { start: 0.1 });
}

/** @param {Reading} at */
function showGains({ x, prevalence }) {
  const shown = foremost();
  const flat = shown.every((m) => areaOfGains(content.models[m].gains, x) > 0.98);
  $("prg").hidden = flat;
  $("gains-said").textContent = flat ? sentences.flatGains : "";
  const taken = $("prg").nextElementSibling;
  if (taken) taken.hidden = flat;
  if (flat) return;
  const chart = picture("prg", { x: unit, y: unit, label: "recall gain", described: sentences.gainChart });
  chart.chance([[0, 0], [1, 0]]);
  for (const m of shown) {
    chart.line(fromRecall(path(content.models[m]), prevalence).map(([t, f]) => [1 - (1 - t) / t / x, 1 - f / t]), m);
  }
  chart.reads((gain) => ({
    at: gain, title: `recall gain ${digits(gain, 2)}`,
    rows: shown.map((m) => {
      const recall = 1 / (1 + x * (1 - gain));
      const value = 1 - falseRateAt(path(content.models[m]), recall) / recall;
      return { model: m, name: names[m], up: value, text: `precision gain ${digits(value, 3)}` };
    }),
  }), { start: 0.5 });
}

/** The scores of both classes of one model, as shares of each. */
function showScores() {
  const m = chosen();
  const { histogram, points } = content.models[m];
  $("scores-said").textContent = histogram ? sentences.scores(isolated(names[m])) : sentences.noScores;
  $("scores").hidden = !histogram;
  if (!histogram) return;
  const { edges, pos, neg } = histogram;
  const most = Math.max(...pos, ...neg);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => edges[0] + part * (edges[edges.length - 1] - edges[0]));
  const fine = 10 ** Math.floor(Math.log10(ticks[4] - ticks[0]) - 1.7);
  const chart = picture("scores", {
    x: { range: [edges[0], edges[edges.length - 1]], ticks: ticks.map((tick) => [tick, String(Number((Math.round(tick / fine) * fine).toPrecision(6)))]) },
    y: { range: [0, most], ticks: upTo(most, (tick) => String(tick).replace(/^0\./, ".")) },
    label: "score", described: sentences.scoreChart(names[m]),
  });
  neg.forEach((part, k) => chart.bar([edges[k], edges[k + 1]], part, 5, "bar negatives"));
  pos.forEach((part, k) => chart.bar([edges[k], edges[k + 1]], part, m, "bar positives"));
  const threshold = Number(points.threshold[state.points[m]]);
  if (threshold >= edges[0] && threshold <= edges[edges.length - 1]) chart.upright(threshold, "now");
  const middles = pos.map((_, k) => (edges[k] + edges[k + 1]) / 2);
  chart.reads((place) => {
    const k = middles.indexOf(place);
    return {
      at: place, title: `score ${Number(edges[k].toPrecision(3))} to ${Number(edges[k + 1].toPrecision(3))}`,
      rows: [
        { model: m, name: "positives", up: pos[k], text: digits(pos[k]) },
        { model: 5, name: "negatives", up: neg[k], text: digits(neg[k]) },
      ],
    };
  }, { places: middles, start: threshold });
}

/** Tabs: arrow keys move between them. */
export function beginLooks() {
  const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#looks [role=tab]")]);
  /** @param {HTMLElement} tab */
  const choose = (tab) => {
    for (const one of tabs) {
      const on = one === tab;
      one.setAttribute("aria-selected", String(on));
      one.tabIndex = on ? 0 : -1;
      $(one.getAttribute("aria-controls") ?? "").hidden = !on;
    }
    showLooks(here());
  };
  tabs.forEach((tab, k) => {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const next = tabs[(k + step + tabs.length) % tabs.length];
      choose(next);
      next.focus();
    });
  });
}
