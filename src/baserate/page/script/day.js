// What the models will do in a day: at a threshold for a recall, for a number of alerts, of the reader, or of least cost.

/** @import { CellText, PointMetric } from "./types.js" */
import { ends, f1Of, firstAtLeast, oddsAgainst, pointMetrics, precisionOf, share } from "./arithmetic.js";
import { picture, upTo } from "./charts.js";
import { $, content, names, prevalences, unit } from "./content.js";
import { say } from "./prevalence.js";
import { whenSeen } from "./seen.js";
import { changed, chosen, foremost, others, pick, state, tabled } from "./state.js";
import { modelTable } from "./tables.js";
import { amount, dash, digits, isolated, percent, range, sentences, significant, thresholdText } from "./words.js";

/** @param {number} t @param {number} f */
function perDay(t, f) { return state.traffic * (share(state.logOdds) * t + (1 - share(state.logOdds)) * f); }

/** @param {PointMetric} metric @param {number} m @returns {CellText} */
function valueAt({ name, of, worse, plain, byRatio }, m) {
  const { points } = content.models[m];
  const k = state.points[m];
  const x = oddsAgainst(state.logOdds);
  const text = plain ? significant : digits;
  /** @param {number} t @param {number} f @param {number} odds */
  const here = (t, f, odds) => of(t, f, odds, state.costs);
  const both = ends(here, points, k, x, byRatio);
  const [low, high] = worse ? [here(points.tpr_high[k], points.fpr_low[k], x), here(points.tpr_low[k], points.fpr_high[k], x)] : both;
  const small = plain ? `${significant(low, 3)} ${dash(low)} ${significant(high, 3)}` : name === "Recall"
    ? range(points.recall_low[k], points.recall_high[k]) : range(low, high);
  return [text(here(points.tpr[k], points.fpr[k], x)), small];
}

export function showDay() {
  if (state.budget !== null) pickWithin(state.budget);
  showControls();
  const shown = tabled();
  /** @type {[string, (m: number) => CellText][]} */
  const lines = [
    ["Threshold", (m) => thresholdText(content.models[m].points.threshold[state.points[m]])],
    ...pointMetrics.map((metric) => /** @type {[string, (m: number) => CellText]} */ ([metric.name, (m) => valueAt(metric, m)])),
    ["Alerts a day", (m) => amount(daily(m)((t, f) => [t, f]))],
    ["… of them right", (m) => amount(daily(m)((t) => [t, 0]))],
    ["Positives missed a day", (m) => amount(daily(m)((t) => [1 - t, 0]))],
    ["Cost a day", (m) => amount(costs(m))],
  ];
  modelTable("points", shown.map((m) => names[m]), lines.map(([name, of]) => [name, ...shown.map(of)]));
  whenSeen($("p3"), () => showOverPrevalence("p3", precisionOf, "Precision"));
  whenSeen($("f1"), () => showOverPrevalence("f1", f1Of, "F1"));
  whenSeen($("costs"), showCosts);
}

/** @param {number} m @returns {(rates: (t: number, f: number) => [number, number]) => number} */
function daily(m) {
  const { tpr, fpr } = content.models[m].points;
  const k = state.points[m];
  return (rates) => perDay(...rates(tpr[k], fpr[k]));
}

/** The cost of a day at one of the thresholds. @param {number} m @param {number} [k] */
function costs(m, k = state.points[m]) {
  const { tpr, fpr } = content.models[m].points;
  return state.costs.missed * perDay(1 - tpr[k], 0) + state.costs.falseAlert * perDay(0, fpr[k]);
}

function showControls() {
  const m = chosen();
  const { tpr, fpr, threshold } = content.models[m].points;
  const k = state.points[m];
  for (const select of document.querySelectorAll("select.models")) /** @type {HTMLSelectElement} */ (select).value = String(m);
  if (state.recall !== null) {
    $("recall").value = state.recall;
    $("recall").setAttribute("aria-valuetext", percent(state.recall));
    $("recall-text").textContent = percent(state.recall);
  } else {
    $("recall").setAttribute("aria-valuetext", state.budget === null ? sentences.asThreshold : sentences.asAlerts);
    $("recall-text").textContent = "";
  }
  if (state.budget === null && $("budget").getAttribute("aria-invalid") !== "true") { $("budget").value = ""; say("budget", ""); }
  if (document.activeElement !== $("budget") && state.budget !== null) $("budget").value = state.budget;
  if (document.activeElement !== $("traffic")) $("traffic").value = state.traffic;
  $("natural").textContent = sentences.day({
    cases: amount(state.traffic), positive: amount(state.traffic * share(state.logOdds)), name: isolated(names[m]),
    alerts: amount(perDay(tpr[k], fpr[k])), right: percent(precisionOf(tpr[k], fpr[k], oddsAgainst(state.logOdds))),
    missed: amount(perDay(1 - tpr[k], 0)),
  });
  Object.assign($("threshold"), { max: tpr.length - 1, value: k });
  $("threshold").setAttribute("aria-valuetext", thresholdText(threshold[k]));
  $("threshold-text").textContent = thresholdText(threshold[k]);
  const all = content.models[m].all_thresholds;
  $("kept").textContent = all > tpr.length ? sentences.kept(amount(tpr.length), amount(all)) : "";
}

/** The last threshold of each model that raises no more alerts a day than that, or its first one if none does. @param {number} budget */
function pickWithin(budget) {
  /** @type {string[]} */
  const over = [];
  content.models.forEach(({ points: { tpr, fpr } }, m) => {
    const within = firstAtLeast(tpr.map((t, k) => perDay(t, fpr[k])), budget * (1 + 1e-9)) - 1;
    if (within < 0) over.push(sentences.overBudget(isolated(names[m]), amount(perDay(tpr[0], fpr[0]))));
    state.points[m] = Math.max(within, 0);
  });
  state.recall = null;
  say("budget", over.join(" "));
}

function pickCheapest() {
  content.models.forEach(({ points: { tpr } }, m) => {
    const all = tpr.map((_, k) => costs(m, k));
    state.points[m] = all.indexOf(Math.min(...all));
  });
  state.recall = null;
  state.budget = null;
  changed();
}

/** @param {string} id @param {(t: number, f: number, x: number) => number} of @param {string} name */
function showOverPrevalence(id, of, name) {
  const { places } = prevalences;
  const chart = picture(id, { x: prevalences, y: unit, label: "prevalence", described: sentences.overPrevalence(name) });
  /** @param {number} m @param {number} place */
  const at = (m, place) => {
    const { points } = content.models[m];
    const [k, x] = [state.points[m], oddsAgainst(place)];
    return { value: of(points.tpr[k], points.fpr[k], x), ends: ends(of, points, k, x) };
  };
  for (const m of others()) chart.faint(places.map((place) => [place, at(m, place).value]));
  for (const m of foremost()) {
    const read = places.map((place) => at(m, place));
    chart.band(places.map((place, k) => [place, read[k].ends[0]]), places.map((place, k) => [place, read[k].ends[1]]), m);
    chart.line(places.map((place, k) => [place, read[k].value]), m);
    chart.dot([state.logOdds, at(m, state.logOdds).value], m);
  }
  chart.upright(state.logOdds, "now");
  chart.reads((place) => ({
    at: place, title: prevalences.read(place),
    rows: foremost().map((m) => {
      const { value, ends: [low, high] } = at(m, place);
      return { model: m, name: names[m], up: value, text: `${digits(value, 3)} (${range(low, high)})` };
    }),
  }), { start: state.logOdds });
}

/** The cost of a day for every threshold, by the recall that it reaches. */
function showCosts() {
  const shown = foremost();
  /** @param {number} m */
  const line = (m) => content.models[m].points.tpr.map((t, k) => /** @type {[number, number]} */ ([t, costs(m, k)]));
  const lines = new Map(shown.map((m) => [m, line(m)]));
  // Alerts on everything may cost many times as much as none: the chart ends a little above the cost of no alerts.
  const none = state.costs.missed * perDay(1, 0);
  const most = 1.5 * Math.max(none, ...shown.map((m) => costs(m))) || 1;
  const chart = picture("costs", {
    x: unit, y: { range: [0, most], ticks: upTo(most, brief) },
    label: "threshold, by the recall it reaches", described: sentences.costChart,
  });
  chart.chance([[0, none], [1, none]]);
  /** @param {[number, number][]} points @returns {[number, number][]} */
  const within = (points) => points.map(([t, cost]) => [t, cost > most ? NaN : cost]);
  for (const m of others()) chart.faint(within(line(m)));
  for (const [m, points] of lines) {
    chart.line(within(points), m);
    chart.dot([content.models[m].points.tpr[state.points[m]], costs(m)], m);
  }
  chart.reads((recall) => ({
    at: recall, title: `recall ${digits(recall, 2)}`,
    rows: shown.map((m) => {
      const { tpr, threshold } = content.models[m].points;
      const k = Math.min(firstAtLeast(tpr, recall - 1e-12), tpr.length - 1);
      return { model: m, name: names[m], up: costs(m, k), text: `${amount(costs(m, k))} a day at ${thresholdText(threshold[k])}` };
    }),
  }), { start: state.recall ?? 0.5 });
}

/** @param {number} value */
function brief(value) { return value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 }); }

// --- what can be moved -----------------------------------------------------------------------------

function readTraffic() {
  const wanted = Number($("traffic").value);
  if (wanted >= 1 && wanted <= 1e15) { state.traffic = wanted; say("traffic", ""); changed(); return; }
  say("traffic", sentences.refusedTraffic(amount(state.traffic)), true);
}

function readBudget() {
  const wanted = Number($("budget").value);
  if ($("budget").value === "" && $("budget").validity.valid) { say("budget", ""); pick(Number($("recall").value)); changed(); return; }
  if (wanted > 0 && wanted <= 1e15) { state.budget = wanted; changed(); return; }
  say("budget", sentences.refusedBudget(state.budget === null ? "Still none" : `Still ${amount(state.budget)}`), true);
}

/** @param {"missed" | "falseAlert" | "threshold"} name @param {string} box @param {number} low @param {number} high */
function readCost(name, box, low, high) {
  $(box).value = state.costs[name];
  $(box).addEventListener("input", () => {
    const wanted = Number($(box).value);
    const fine = $(box).value !== "" && wanted >= low && wanted <= high;
    say(box, fine ? "" : sentences.refusedCost(low, high, amount(state.costs[name])), !fine);
    if (fine) { state.costs[name] = wanted; changed(); }
  });
}

function offerModels() {
  for (const select of document.querySelectorAll("select.models")) {
    names.forEach((name, m) => select.append(Object.assign(document.createElement("option"), { value: m, textContent: name })));
    select.addEventListener("change", () => {
      state.model = Number(/** @type {HTMLSelectElement} */ (select).value);
      state.hidden.delete(state.model);
      changed();
    });
  }
}

export function beginDay() {
  offerModels();
  $("traffic").addEventListener("input", readTraffic);
  $("budget").addEventListener("input", readBudget);
  $("recall").addEventListener("input", () => { say("budget", ""); pick(Number($("recall").value)); changed(); });
  $("threshold").addEventListener("input", () => {
    state.points[chosen()] = Number($("threshold").value);
    state.recall = null;
    state.budget = null;
    say("budget", "");
    changed();
  });
  readCost("missed", "cost-missed", 0, 1e12);
  readCost("falseAlert", "cost-false", 0, 1e12);
  readCost("threshold", "worth", 0.001, 0.999);
  $("cheapest").addEventListener("click", pickCheapest);
}
