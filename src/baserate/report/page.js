"use strict";
// Everything here is arithmetic on what the library has put into the page; tests compare it with the library.

const content = JSON.parse(document.getElementById("content").textContent);
const $ = (id) => document.getElementById(id);
const state = { logOdds: logit(content.prevalence), points: content.models.map(() => 0), traffic: 100000 };
const names = content.models.map((model) => model.name);
const dashes = ["", "7 3", "2 3", "10 3 2 3", "4 4", "1 2"];

// --- arithmetic ------------------------------------------------------------------------------------

function logit(share) { return Math.log(share) - Math.log1p(-share); }
function share(logOdds) { return 1 / (1 + Math.exp(-logOdds)); }
function oddsAgainst(logOdds) { return Math.exp(-logOdds); }

function mixture({ weight, ratio }, x) {
  let sum = 0;
  for (let k = 0; k < weight.length; k += 1) sum += weight[k] / (1 + x * ratio[k]);
  return sum;
}

// Area under the lowest PR curve there can be; a series where the closed form would lose its digits.
function lowestArea(prevalence) {
  if (prevalence > 0.01) return 1 + ((1 - prevalence) * Math.log1p(-prevalence)) / prevalence;
  let sum = 0;
  for (let k = 8; k >= 1; k -= 1) sum = prevalence * (1 / (k * (k + 1)) + sum);
  return sum;
}

function bestF1({ tpr, fpr }, x) {
  let best = 0;
  for (let k = 0; k < tpr.length; k += 1) best = Math.max(best, (2 * tpr[k]) / (tpr[k] + 1 + x * fpr[k]));
  return best;
}

function firstAtLeast(rising, wanted) {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle] < wanted) low = middle + 1; else high = middle;
  }
  return low;
}

// In u = 1/recall the area grows by precision gain. It is known at some recalls; between two of them the curve is taken
// to be straight, and what that leaves is made up for evenly in u.
function areaOfGains(gains, x) {
  const recall = 1 / (1 + x);
  const k = Math.min(firstAtLeast(gains.tpr, recall), gains.tpr.length - 1);
  const [before, tpr, fpr, start] = [k ? gains.tpr[k - 1] : 0, gains.tpr[k], gains.fpr[k], gains.fpr_before[k]];
  const here = start + ((fpr - start) * (recall - before)) / (tpr - before);
  const gain = 1 - (here / recall + fpr / tpr) / 2;
  const share = (before * (tpr - recall)) / (recall * (tpr - before));
  return (((tpr - recall) / (recall * tpr)) * gain + gains.area[k] + share * gains.left_over[k]) / x;
}

function precisionOf(t, f, x) { return t === 0 && f === 0 ? NaN : t / (t + x * f); }
function f1Of(t, f, x) { return (2 * t) / (t + 1 + x * f); }

// Worked out on a grid of log-odds, straight in between.
function between(grid, values, logOdds) {
  const k = Math.min(Math.max(firstAtLeast(grid, logOdds), 1), grid.length - 1);
  const part = Math.min(Math.max((logOdds - grid[k - 1]) / (grid[k] - grid[k - 1]), 0), 1);
  return values[k - 1] + part * (values[k] - values[k - 1]);
}

const areas = [
  { name: "Average precision", key: "average_precision", of: (m, x) => mixture(m.average_precision, x) },
  { name: "AUC-PR", key: "auc_pr", of: (m, x) => mixture(m.auc_pr, x) },
  {
    name: "Normalized AUC-PR",
    of: (m, x) => { const low = lowestArea(1 / (1 + x)); return (mixture(m.auc_pr, x) - low) / (1 - low); },
  },
  { name: "AUC-PRG", of: (m, x) => areaOfGains(m.gains, x) },
  { name: "Best F1", key: "best_f1", of: (m, x) => bestF1(m.points, x) },
  { name: "AUC-ROC", of: (m) => m.roc_auc.value, fixed: (m) => m.roc_auc },
];

// --- words -----------------------------------------------------------------------------------------

function digits(value, count = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value !== 0 && Math.abs(value) < 0.001) return value.toPrecision(3);
  return value.toFixed(count);
}
function amount(value) {
  if (!Number.isFinite(value)) return "–";
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3).replace(/\.?0+$/, "");
}
function percent(value) { return Number.isFinite(value) ? `${Number((100 * value).toPrecision(3))} %` : "–"; }
function oneIn(prevalence) {
  return prevalence <= 0.5 ? `1 in ${Number((1 / prevalence).toPrecision(3)).toLocaleString("en")}` : percent(prevalence);
}

function cells(row, texts, tag = "td") {
  for (const text of texts) {
    const cell = document.createElement(tag);
    const [main, small] = Array.isArray(text) ? text : [text, ""];
    cell.textContent = main;
    if (small) { const below = document.createElement("small"); below.textContent = small; cell.append(below); }
    row.append(cell);
  }
}
function table(element, head, rows) {
  element.replaceChildren();
  cells(element.createTHead().insertRow(), head, "th");
  const body = element.createTBody();
  for (const row of rows) cells(body.insertRow(), row);
}

// --- pictures --------------------------------------------------------------------------------------

const size = { width: 420, height: 300, left: 46, right: 12, top: 10, bottom: 40 };

function draw(tag, attributes, parent, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function scale([low, high], [from, to]) { return (value) => from + ((value - low) / (high - low)) * (to - from); }

function picture(id, { x, y, label, described }) {
  const holder = $(id);
  holder.replaceChildren();
  const wide = holder.parentElement.classList.contains("wide");
  const width = wide ? 880 : size.width;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${size.height}`, role: "img", "aria-label": described }, holder);
  const across = scale(x.range, [size.left, width - size.right]);
  const up = scale(y.range, [size.height - size.bottom, size.top]);
  for (const [place, name] of x.ticks) {
    draw("line", { class: "grid", x1: across(place), x2: across(place), y1: up(y.range[0]), y2: up(y.range[1]) }, svg);
    draw("text", { x: across(place), y: size.height - size.bottom + 16, "text-anchor": "middle" }, svg, name);
  }
  for (const [place, name] of y.ticks) {
    draw("line", { class: "grid", x1: across(x.range[0]), x2: across(x.range[1]), y1: up(place), y2: up(place) }, svg);
    draw("text", { x: size.left - 6, y: up(place) + 4, "text-anchor": "end" }, svg, name);
  }
  draw("text", { x: (size.left + width - size.right) / 2, y: size.height - 6, "text-anchor": "middle" }, svg, label);
  const inside = (value, [low, high]) => Math.min(Math.max(value, low), high);
  const place = (points) => points
    .filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b))
    .map(([a, b]) => `${across(inside(a, x.range)).toFixed(1)},${up(inside(b, y.range)).toFixed(1)}`).join(" ");
  const stroke = (model) => ({ stroke: `var(--model-${model % 6})`, "stroke-dasharray": dashes[model % 6] });
  return {
    line: (points, model) => draw("polyline", { class: "line", points: place(points), ...stroke(model) }, svg),
    band: (low, high, model) => draw(
      "polygon", { class: "band", points: place([...low, ...high.slice().reverse()]), fill: `var(--model-${model % 6})` }, svg,
    ),
    area: (points) => draw("polygon", { class: "floor", points: place(points) }, svg),
    chance: (points) => draw("polyline", { class: "chance", points: place(points) }, svg),
    now: (value) => draw(
      "line", { class: "now", x1: across(value), x2: across(value), y1: up(y.range[0]), y2: up(y.range[1]) }, svg,
    ),
    dot: ([a, b], model) => Number.isFinite(b) && draw("circle", {
      cx: across(inside(a, x.range)), cy: up(inside(b, y.range)), r: 4.5, fill: `var(--model-${model % 6})`,
    }, svg),
  };
}

const unit = { range: [0, 1], ticks: [[0, "0"], [0.25, ".25"], [0.5, ".5"], [0.75, ".75"], [1, "1"]] };
function overPrevalence() {
  const range = content.range.map(logit);
  const ticks = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9].map((p) => [logit(p), p < 1e-3 ? p.toExponential() : `${p}`]);
  return { range, ticks: ticks.filter(([place]) => place >= range[0] - 1e-9 && place <= range[1] + 1e-9) };
}
function along(count = 121) {
  const [low, high] = content.range.map(logit);
  return Array.from({ length: count }, (_, k) => low + ((high - low) * k) / (count - 1));
}

// --- what is shown ---------------------------------------------------------------------------------

function showPrevalence() {
  const prevalence = share(state.logOdds);
  $("slider").value = state.logOdds;
  $("slider").setAttribute("aria-valuetext", oneIn(prevalence));
  if (document.activeElement !== $("share")) $("share").value = Number(prevalence.toPrecision(4));
  $("odds").textContent = oneIn(prevalence);
}

function valueWithInterval(area, model) {
  const value = digits(area.of(model, oddsAgainst(state.logOdds)));
  const fixed = area.fixed && area.fixed(model);
  if (fixed) return [value, `${digits(fixed.low, 3)} – ${digits(fixed.high, 3)}`];
  const band = area.key && model.bands[area.key];
  if (!band) return value;
  const [low, high] = [band.low, band.high].map((end) => between(content.grid, end, state.logOdds));
  return [value, `≈ ${digits(low, 3)} – ${digits(high, 3)}`];
}

function showHeadline() {
  const rows = areas.map((area) => [area.name, ...content.models.map((model) => valueWithInterval(area, model))]);
  table($("headline"), ["", ...names], rows);
}

function showCurves() {
  const x = oddsAgainst(state.logOdds);
  const prevalence = share(state.logOdds);
  const recalls = Array.from({ length: 101 }, (_, k) => k / 100);
  const pr = picture("pr", { x: unit, y: unit, label: "recall", described: "Precision over recall at the chosen prevalence" });
  pr.area([...recalls.map((r) => [r, precisionOf(r, 1, x) || 0]), [1, 0], [0, 0]]);
  pr.chance([[0, prevalence], [1, prevalence]]);
  const prg = picture("prg", { x: unit, y: unit, label: "recall gain", described: "Precision gain over recall gain" });
  prg.chance([[0, 0], [1, 0]]);
  content.models.forEach((model, m) => {
    const { tpr, fpr, tpr_low: tl, tpr_high: th, fpr_low: fl, fpr_high: fh } = model.points;
    const along = tpr.map((_, k) => k).filter((k) => tpr[k] > 0);
    pr.band(along.map((k) => [tpr[k], precisionOf(tl[k], fh[k], x) || 0]), along.map((k) => [tpr[k], precisionOf(th[k], fl[k], x)]), m);
    pr.line(along.map((k) => [tpr[k], precisionOf(tpr[k], fpr[k], x)]), m);
    const k = state.points[m];
    pr.dot([tpr[k], precisionOf(tpr[k], fpr[k], x)], m);
    const gains = along.filter((j) => tpr[j] >= prevalence).map((j) => [1 - (1 - tpr[j]) / tpr[j] / x, 1 - fpr[j] / tpr[j]]);
    prg.line(gains, m);
  });
}

function showPoints() {
  const x = oddsAgainst(state.logOdds);
  const prevalence = share(state.logOdds);
  const perDay = (t, f) => state.traffic * (prevalence * t + (1 - prevalence) * f);
  const rates = content.models.map(({ points: p }, m) => {
    const k = state.points[m];
    return {
      threshold: p.threshold[k], t: p.tpr[k], f: p.fpr[k],
      tLow: p.tpr_low[k], tHigh: p.tpr_high[k], fLow: p.fpr_low[k], fHigh: p.fpr_high[k],
    };
  });
  const range = (low, high) => `${digits(low, 3)} – ${digits(high, 3)}`;
  const lines = [
    ["Threshold", (r) => (r.threshold === null ? "none" : String(Number(r.threshold.toPrecision(6))))],
    ["Precision", (r) => [
      digits(precisionOf(r.t, r.f, x)),
      range(precisionOf(r.tLow, r.fHigh, x) || 0, precisionOf(r.tHigh, r.fLow, x)),
    ]],
    ["Recall", (r) => [digits(r.t), range(r.tLow, r.tHigh)]],
    ["F1", (r) => [digits(f1Of(r.t, r.f, x)), range(f1Of(r.tLow, r.fHigh, x), f1Of(r.tHigh, r.fLow, x))]],
    ["Alerts a day", (r) => amount(perDay(r.t, r.f))],
    ["… of them right", (r) => amount(state.traffic * prevalence * r.t)],
    ["Positives missed a day", (r) => amount(state.traffic * prevalence * (1 - r.t))],
  ];
  table($("points"), ["", ...names], lines.map(([name, of]) => [name, ...rates.map(of)]));
  const m = Number($("model").value);
  const { tpr, fpr } = content.models[m].points;
  const k = state.points[m];
  $("natural").textContent = `Of ${amount(state.traffic)} cases a day, ${amount(state.traffic * prevalence)} are positive. ` +
    `${content.models[m].name} raises ${amount(perDay(tpr[k], fpr[k]))} alerts; ` +
    `${percent(precisionOf(tpr[k], fpr[k], x))} of them are right, and it misses ` +
    `${amount(state.traffic * prevalence * (1 - tpr[k]))} positives.`;
  $("threshold").value = k;
  $("threshold-text").textContent = content.models[m].points.threshold[k] === null ? "none" : digits(content.models[m].points.threshold[k]);
}

function showOverPrevalence() {
  const places = along();
  const across = overPrevalence();
  for (const [id, of, low, high, name] of [
    ["p3", precisionOf, (p, k, x) => precisionOf(p.tpr_low[k], p.fpr_high[k], x) || 0, (p, k, x) => precisionOf(p.tpr_high[k], p.fpr_low[k], x), "Precision"],
    ["f1", f1Of, (p, k, x) => f1Of(p.tpr_low[k], p.fpr_high[k], x), (p, k, x) => f1Of(p.tpr_high[k], p.fpr_low[k], x), "F1"],
  ]) {
    const chart = picture(id, { x: across, y: unit, label: "prevalence", described: `${name} over the prevalence` });
    content.models.forEach((model, m) => {
      const k = state.points[m];
      const { tpr, fpr } = model.points;
      const at = (value) => places.map((place) => [place, value(model.points, k, oddsAgainst(place))]);
      chart.band(at(low), at(high), m);
      chart.line(places.map((place) => [place, of(tpr[k], fpr[k], oddsAgainst(place))]), m);
      chart.dot([state.logOdds, of(tpr[k], fpr[k], oddsAgainst(state.logOdds))], m);
    });
    chart.now(state.logOdds);
  }
  const chart = picture("over", { x: across, y: unit, label: "prevalence", described: "Average precision over the prevalence" });
  chart.chance(places.map((place) => [place, share(place)]));
  content.models.forEach((model, m) => {
    const band = model.bands.average_precision;
    if (band) chart.band(content.grid.map((g, k) => [g, band.low[k]]), content.grid.map((g, k) => [g, band.high[k]]), m);
    chart.line(places.map((place) => [place, mixture(model.average_precision, oddsAgainst(place))]), m);
    chart.dot([state.logOdds, mixture(model.average_precision, oddsAgainst(state.logOdds))], m);
  });
  content.crossings.forEach((crossing) => chart.now(logit(crossing)));
  chart.now(state.logOdds);
}

function showGroups() {
  const x = oddsAgainst(state.logOdds);
  content.groups.forEach((group, g) => {
    const rows = group.rows.map((row) => [
      [row.key, row.size],
      ...row.models.map((of) => (of.reason ? ["–", of.reason] : [digits(mixture(of, x)), `own ${digits(of.own)}`])),
    ]);
    table($(`group-${g}`), ["", ...group.models], rows);
    const every = Math.ceil(group.rows.length / 6);
    const ticks = group.rows.map((row, k) => [k, row.key.slice(0, 12)]).filter(([k]) => k % every === 0);
    const chart = picture(`group-chart-${g}`, {
      x: { range: [-0.3, group.rows.length - 0.7], ticks }, y: unit, label: "",
      described: `Average precision by ${group.name}, all read at the chosen prevalence`,
    });
    group.models.forEach((name, m) => {
      const places = group.rows.map((row, k) => [k, row.models[m].reason ? NaN : mixture(row.models[m], x)]);
      const model = Math.max(names.indexOf(name), 0);
      if (group.ordered) chart.line(places, model);
      places.forEach((place) => chart.dot(place, model));
    });
  });
}

function showAll() {
  showPrevalence(); showHeadline(); showCurves(); showPoints(); showOverPrevalence(); showGroups();
}

// --- what can be moved -----------------------------------------------------------------------------

function pick(recall) {
  content.models.forEach((model, m) => {
    state.points[m] = Math.min(firstAtLeast(model.points.tpr, recall - 1e-12), model.points.tpr.length - 1);
  });
  $("recall").value = recall;
  $("recall-text").textContent = percent(recall);
}

function begin() {
  const [low, high] = content.range.map(logit);
  Object.assign($("slider"), { min: low, max: high });
  $("slider").addEventListener("input", () => { state.logOdds = Number($("slider").value); showAll(); });
  $("share").addEventListener("input", () => {
    const wanted = Number($("share").value);
    const fits = wanted >= content.range[0] && wanted <= content.range[1];
    $("share").setCustomValidity(fits ? "" : `From ${content.range[0]} to ${content.range[1]}`);
    if (fits) { state.logOdds = logit(wanted); showAll(); }
  });
  $("recall").addEventListener("input", () => { pick(Number($("recall").value)); showAll(); });
  $("traffic").addEventListener("input", () => {
    const wanted = Number($("traffic").value);
    if (wanted > 0) { state.traffic = wanted; showAll(); }
  });
  content.models.forEach((model, m) => {
    const option = document.createElement("option");
    Object.assign(option, { value: m, textContent: model.name });
    $("model").append(option);
    const entry = document.createElement("span");
    const sign = draw("svg", { viewBox: "0 0 44 12" }, entry);
    draw("line", { x1: 0, x2: 44, y1: 6, y2: 6, "stroke-width": 3, stroke: `var(--model-${m % 6})`, "stroke-dasharray": dashes[m % 6] }, sign);
    entry.append(model.name);
    $("legend").append(entry);
  });
  const limit = () => { $("threshold").max = content.models[Number($("model").value)].points.tpr.length - 1; };
  $("model").addEventListener("change", () => { limit(); showAll(); });
  $("threshold").addEventListener("input", () => {
    state.points[Number($("model").value)] = Number($("threshold").value);
    $("recall-text").textContent = "";
    showAll();
  });
  limit();
  $("marks").textContent = content.marks;
  pick(content.recall);
  showAll();
}

begin();
