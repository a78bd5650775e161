"use strict";
// Everything here is arithmetic on what the library has put into the page; tests compare it with the library.

const content = JSON.parse(document.getElementById("content").textContent);
const $ = (id) => document.getElementById(id);
const state = { logOdds: logit(content.prevalence), points: content.models.map(() => 0), traffic: 100000 };
const names = content.models.map((model) => model.name);
// No two of thirty models share colour and dashes, or colour and marker.
const dashes = ["", "7 3", "2 3", "10 3 2 3", "4 4", "1 2"];
const markers = [
  "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0", "M-4,-4h8v8h-8z", "M0,-5.5L5.5,0L0,5.5L-5.5,0z", "M0,-5L5,4H-5z", "M0,5L5,-4H-5z",
];
const colour = (m) => `var(--model-${m % 6})`;
const stroke = (m) => ({ stroke: colour(m), "stroke-dasharray": dashes[(m + Math.floor(m / 6)) % 6] });

// --- arithmetic ------------------------------------------------------------------------------------

function logit(share) { return Math.log(share) - Math.log1p(-share); }
function share(logOdds) { return 1 / (1 + Math.exp(-logOdds)); }
function oddsAgainst(logOdds) { return Math.exp(-logOdds); }

// Logarithms of areas are known at Chebyshev nodes of the log-odds; between these, barycentric interpolation.
function area(logs, x) {
  const [n, logOdds] = [logs.length, -Math.log(x)];
  let [above, below] = [0, 0];
  for (let k = 0; k < n; k += 1) {
    const weight = ((k % 2 ? -1 : 1) * Math.sin(((2 * k + 1) * Math.PI) / (2 * n))) / (logOdds - content.nodes[k] || 1e-300);
    above += weight * logs[k];
    below += weight;
  }
  return Math.exp(above / below);
}

// Area under the lowest PR curve there can be; a series where the closed form would lose its digits.
function lowestArea(prevalence) {
  if (prevalence > 0.01) return 1 + ((1 - prevalence) * Math.log1p(-prevalence)) / prevalence;
  let sum = 0;
  for (let k = 8; k >= 1; k -= 1) sum = prevalence * (1 / (k * (k + 1)) + sum);
  return sum;
}

// A difference of two numbers that are known to eight digits or so; what is left of fewer is nothing.
function normalized(value, lowest) { return value - lowest < 1e-5 * lowest ? 0 : (value - lowest) / (1 - lowest); }

function bestF1({ tpr, fpr }, x) { return Math.max(...tpr.map((t, k) => f1Of(t, fpr[k], x))); }

function firstAtLeast(rising, wanted) {
  const k = rising.findIndex((value) => value >= wanted);
  return k < 0 ? rising.length : k;
}

// In u = 1/recall the area grows by precision gain. It is known at some recalls; between two of them the curve is taken
// to be straight, and what that leaves is made up for evenly in u.
function areaOfGains({ tpr, fpr, fpr_before: start, area: known }, x) {
  const recall = 1 / (1 + x);
  const k = Math.min(firstAtLeast(tpr, recall), tpr.length - 1);
  const before = k ? tpr[k - 1] : 0;
  const straight = (from) => {
    const here = start[k] + ((fpr[k] - start[k]) * (from - before)) / (tpr[k] - before);
    return ((tpr[k] - from) / (from * tpr[k])) * (1 - (here / from + fpr[k] / tpr[k]) / 2) + known[k];
  };
  const leftOver = k ? known[k - 1] - straight(before) : 0;
  return (straight(recall) + ((before * (tpr[k] - recall)) / (recall * (tpr[k] - before))) * leftOver) / x;
}

function precisionOf(t, f, x) { return t === 0 && f === 0 ? NaN : t / (t + x * f); }
function f1Of(t, f, x) { return (2 * t) / (t + 1 + x * f); }
// The least and the most that the intervals of both rates allow.
function ends(of, p, k, x) { return [of(p.tpr_low[k], p.fpr_high[k], x) || 0, of(p.tpr_high[k], p.fpr_low[k], x)]; }

// The curve is straight between thresholds where rates are drawn, and bent where precision is: in short steps from (0, 0).
function inShortSteps({ tpr, fpr }) {
  const path = [[0, 0]];
  tpr.forEach((t, k) => {
    const [t0, f0] = path[path.length - 1];
    const steps = Math.max(1, Math.ceil((t - t0) / 0.01));
    for (let i = 1; i <= steps; i += 1) path.push([t0 + ((t - t0) * i) / steps, f0 + ((fpr[k] - f0) * i) / steps]);
  });
  return path;
}

function fromRecall(path, recall) {
  const k = path.findIndex(([t]) => t >= recall);
  const [[t0, f0], [t1, f1]] = [path[k - 1], path[k]];
  return [[recall, f0 + ((f1 - f0) * (recall - t0)) / (t1 - t0)], ...path.slice(k)];
}

// Worked out on a grid of log-odds as multiples of the value, straight in between.
function between(multiples, logOdds) {
  const { grid } = content;
  const k = Math.min(Math.max(firstAtLeast(grid, logOdds), 1), grid.length - 1);
  const part = Math.min(Math.max((logOdds - grid[k - 1]) / (grid[k] - grid[k - 1]), 0), 1);
  const [a, b] = [multiples[k - 1] ?? NaN, multiples[k] ?? NaN];
  return a + part * (b - a);
}

const areas = [
  { name: "Average precision", key: "average_precision", of: (m, x) => area(m.average_precision, x) },
  { name: "AUC-PR", key: "auc_pr", of: (m, x) => area(m.auc_pr, x) },
  { name: "Normalized AUC-PR", of: (m, x) => normalized(area(m.auc_pr, x), lowestArea(1 / (1 + x))) },
  { name: "AUC-PRG", of: (m, x) => areaOfGains(m.gains, x), decimals: true },
  { name: "Best F1", key: "best_f1", of: (m, x) => bestF1(m.points, x) },
  { name: "AUC-ROC", of: (m) => m.roc_auc.value, fixed: (m) => m.roc_auc },
];

// --- words -----------------------------------------------------------------------------------------

function digits(value, count = 4) {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) < 1e-12) return (0).toFixed(count);
  return Math.abs(value) < 0.01 ? value.toPrecision(3) : value.toFixed(count);
}
function amount(value) {
  if (!Number.isFinite(value)) return "–";
  const shown = Number(value >= 100 ? Math.round(value).toPrecision(8) : value.toPrecision(3));
  return shown.toLocaleString("en", { maximumSignificantDigits: 21 });
}
// Three digits of a share, or of what is missing to all.
function percent(value) {
  if (!Number.isFinite(value)) return "–";
  const shown = value <= 0.5 ? Number((100 * value).toPrecision(3)) : 100 - Number((100 * (1 - value)).toPrecision(3));
  return `${Number(shown.toPrecision(10))} %`;
}
function oneIn(prevalence) {
  if (prevalence > 0.5) return percent(prevalence);
  const cases = Number((1 / prevalence).toPrecision(3));
  return `1 in ${(cases >= 10 ? Math.round(cases) : cases).toLocaleString("en")}`;
}
function shortened(name) { return name.length > 12 ? `${Array.from(name).slice(0, 11).join("")}…` : name; }
function thresholdText(value) { return String(value).replace("Infinity", "∞"); }
// A name that is written from right to left does not turn the sentence around it.
function isolated(name) { return `\u2068${name}\u2069`; }

// A share, or odds such as 1:1000; NaN for anything else.
function prevalenceFrom(text) {
  const parts = text.split(":").map((part) => (part.trim() ? Number(part) : NaN));
  return parts.length === 2 ? parts[0] / (parts[0] + parts[1]) : parts.length === 1 ? parts[0] : NaN;
}

function cell(row, content, tag = "td", attributes = {}) {
  const [main, small] = [content].flat();
  const made = Object.assign(document.createElement(tag), attributes, { textContent: main });
  if (small) made.append(Object.assign(document.createElement("small"), { textContent: small }));
  row.append(made);
}
// The first column names the rows.
function table(element, head, rows) {
  element.replaceChildren();
  const top = element.createTHead().insertRow();
  cell(top, "");
  for (const name of head) cell(top, name, "th", { scope: "col" });
  const body = element.createTBody();
  for (const [name, ...values] of rows) {
    const row = body.insertRow();
    cell(row, name, "th", { scope: "row" });
    for (const value of values) cell(row, value);
  }
}

// --- pictures --------------------------------------------------------------------------------------

const size = { height: 300, left: 46, right: 12, top: 10, bottom: 40 };

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
  const width = Math.max(holder.clientWidth, 300);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${size.height}`, role: "img", "aria-label": described }, holder);
  const across = scale(x.range, [size.left, width - size.right]);
  const up = scale(y.range, [size.height - size.bottom, size.top]);
  for (const [place, name] of x.ticks) {
    draw("line", { class: "grid", x1: across(place), x2: across(place), y1: up(y.range[0]), y2: up(y.range[1]) }, svg);
    const inside = Math.min(Math.max(across(place), 3.5 * name.length), width - 3.5 * name.length);
    draw("text", { x: inside, y: size.height - size.bottom + 16, "text-anchor": "middle" }, svg, name);
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
  return {
    line: (points, model) => draw("polyline", { class: "line", points: place(points), ...stroke(model) }, svg),
    band: (low, high, model) => draw(
      "polygon", { class: "band", points: place([...low, ...high.slice().reverse()]), fill: colour(model) }, svg,
    ),
    area: (points) => draw("polygon", { class: "floor", points: place(points) }, svg),
    chance: (points) => draw("polyline", { class: "chance", points: place(points) }, svg),
    upright: (value, kind) => draw(
      "line", { class: kind, x1: across(value), x2: across(value), y1: up(y.range[0]), y2: up(y.range[1]) }, svg,
    ),
    dot: ([a, b], model, scaled = 1) => Number.isFinite(b) && draw("path", {
      d: markers[model % 5], fill: colour(model),
      transform: `translate(${across(inside(a, x.range))},${up(inside(b, y.range))}) scale(${scaled})`,
    }, svg),
  };
}

const unit = { range: [0, 1], ticks: [[0, "0"], [0.25, ".25"], [0.5, ".5"], [0.75, ".75"], [1, "1"]] };
const [lowest, highest] = content.range;
const prevalences = {
  range: content.range,
  ticks: [1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9, 0.99, 0.999]
    .map((p) => [logit(p), p < 1e-3 ? p.toExponential() : `${p}`])
    .filter(([place]) => place >= lowest - 1e-9 && place <= highest + 1e-9),
  places: Array.from({ length: 121 }, (_, k) => lowest + ((highest - lowest) * k) / 120),
};

// --- what is shown ---------------------------------------------------------------------------------

function showPrevalence() {
  const prevalence = share(state.logOdds);
  $("slider").value = state.logOdds;
  $("slider").setAttribute("aria-valuetext", oneIn(prevalence));
  if (document.activeElement !== $("share")) $("share").value = Number(prevalence.toPrecision(4));
  say("share", oneIn(prevalence));
}

function valueWithInterval({ of, key, fixed, decimals }, model) {
  const value = of(model, oddsAgainst(state.logOdds));
  if (decimals) return (Math.abs(value) > 1 ? value.toPrecision(4) : value.toFixed(4)).replace(/^-(0\.0*)$/, "$1");
  if (fixed) return [digits(value), `${digits(fixed(model).low, 3)} – ${digits(fixed(model).high, 3)}`];
  if (!key) return digits(value);
  const { low, high } = model.bands[key];
  const [from, to] = [low, high].map((end) => Math.min(1, value * between(end, state.logOdds)));
  return [digits(value), `≈ ${digits(from, 3)} – ${digits(to, 3)}`];
}

function showHeadline() {
  const rows = areas.map((area) => [area.name, ...content.models.map((model) => valueWithInterval(area, model))]);
  table($("headline"), names, rows);
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
    const { tpr, fpr } = model.points;
    const found = tpr.map((_, k) => k).filter((k) => tpr[k] > 0);
    pr.band(...[0, 1].map((end) => found.map((k) => [tpr[k], ends(precisionOf, model.points, k, x)[end]])), m);
    pr.line(model.path.map(([t, f]) => [t, precisionOf(t, f, x)]), m);
    const k = state.points[m];
    pr.dot([tpr[k], precisionOf(tpr[k], fpr[k], x)], m);
    prg.line(fromRecall(model.path, prevalence).map(([t, f]) => [1 - (1 - t) / t / x, 1 - f / t]), m);
  });
}

function showPoints() {
  const x = oddsAgainst(state.logOdds);
  const prevalence = share(state.logOdds);
  const perDay = (t, f) => state.traffic * (prevalence * t + (1 - prevalence) * f);
  const range = (low, high) => `${digits(low, 3)} – ${digits(high, 3)}`;
  const lines = [
    ["Threshold", (p, k) => thresholdText(p.threshold[k])],
    ["Precision", (p, k) => [digits(precisionOf(p.tpr[k], p.fpr[k], x)), range(...ends(precisionOf, p, k, x))]],
    ["Recall", (p, k) => [digits(p.tpr[k]), range(p.tpr_low[k], p.tpr_high[k])]],
    ["F1", (p, k) => [digits(f1Of(p.tpr[k], p.fpr[k], x)), range(...ends(f1Of, p, k, x))]],
    ["Alerts a day", (p, k) => amount(perDay(p.tpr[k], p.fpr[k]))],
    ["… of them right", (p, k) => amount(perDay(p.tpr[k], 0))],
    ["Positives missed a day", (p, k) => amount(perDay(1 - p.tpr[k], 0))],
  ];
  table($("points"), names, lines.map(([name, of]) => [name, ...content.models.map(({ points }, m) => of(points, state.points[m]))]));
  const m = Number($("model").value);
  const { tpr, fpr, threshold } = content.models[m].points;
  const k = state.points[m];
  $("natural").textContent = `Of ${amount(state.traffic)} cases a day, ${amount(state.traffic * prevalence)} are positive. ` +
    `${isolated(names[m])} raises ${amount(perDay(tpr[k], fpr[k]))} alerts; ` +
    `${percent(precisionOf(tpr[k], fpr[k], x))} of them are right, and it misses ` +
    `${amount(perDay(1 - tpr[k], 0))} positives.`;
  Object.assign($("threshold"), { max: tpr.length - 1, value: k });
  $("threshold").setAttribute("aria-valuetext", thresholdText(threshold[k]));
  $("threshold-text").textContent = thresholdText(threshold[k]);
  const all = content.models[m].all_thresholds;
  $("kept").textContent = all > tpr.length
    ? `The page keeps ${amount(tpr.length)} of its ${amount(all)} thresholds, those for each whole percent of recall among them.` : "";
}

function showOverPrevalence() {
  const { places } = prevalences;
  for (const [id, of, name] of [["p3", precisionOf, "Precision"], ["f1", f1Of, "F1"]]) {
    const chart = picture(id, { x: prevalences, y: unit, label: "prevalence", described: `${name} over the prevalence` });
    content.models.forEach(({ points }, m) => {
      const k = state.points[m];
      const value = (place) => [place, of(points.tpr[k], points.fpr[k], oddsAgainst(place))];
      chart.band(...[0, 1].map((end) => places.map((place) => [place, ends(of, points, k, oddsAgainst(place))[end]])), m);
      chart.line(places.map(value), m);
      chart.dot(value(state.logOdds), m);
    });
    chart.upright(state.logOdds, "now");
  }
  const chart = picture("over", { x: prevalences, y: unit, label: "prevalence", described: "Average precision over the prevalence" });
  chart.chance(places.map((place) => [place, share(place)]));
  content.models.forEach((model, m) => {
    const band = model.bands.average_precision;
    const end = (multiples) => content.grid.map((place, k) => [
      place, area(model.average_precision, oddsAgainst(place)) * (multiples[k] ?? NaN),
    ]);
    chart.band(end(band.low), end(band.high), m);
    chart.line(places.map((place) => [place, area(model.average_precision, oddsAgainst(place))]), m);
    chart.dot([state.logOdds, area(model.average_precision, oddsAgainst(state.logOdds))], m);
  });
  content.crossings.forEach((crossing) => chart.upright(logit(crossing), "swap"));
  chart.upright(state.logOdds, "now");
}

function showGroups() {
  const x = oddsAgainst(state.logOdds);
  content.groups.forEach((group, g) => {
    const rows = group.rows.map((row) => [
      [row.key, row.size],
      ...row.models.map((of) => (of.reason ? ["–", of.reason] : [digits(area(of.logs, x)), `own ${digits(of.own)}`])),
    ]);
    table($(`group-${g}`), group.models, rows);
    const every = Math.ceil(rows.length / Math.max(1, Math.floor($(`group-chart-${g}`).clientWidth / 100)));
    const chart = picture(`group-chart-${g}`, {
      x: {
        range: [-0.3, Math.max(rows.length, 1) - 0.7],
        ticks: group.rows.map((row, k) => [k, shortened(row.key)]).filter(([k]) => k % every === 0),
      },
      y: unit, label: "", described: `Average precision by ${group.name}, all read at the chosen prevalence`,
    });
    group.models.forEach((name, m) => {
      const places = group.rows.map((row, k) => [k, row.models[m].reason ? NaN : area(row.models[m].logs, x)]);
      const model = names.indexOf(name);
      if (group.ordered) chart.line(places, model);
      places.forEach((place) => chart.dot(place, model, rows.length > 40 ? 0.5 : 1));
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
  $("recall").setAttribute("aria-valuetext", percent(recall));
  $("recall-text").textContent = percent(recall);
}

// Beside a box: what was typed, in other words, or why it is refused and what holds still.
function say(box, text, refused = false) {
  $(box).setAttribute("aria-invalid", refused);
  $(`${box}-text`).textContent = text;
}
function readShare() {
  const wanted = prevalenceFrom($("share").value);
  const [low, high] = content.range.map((end) => Number(share(end).toPrecision(6)));
  if (wanted >= low && wanted <= high) { state.logOdds = logit(wanted); showAll(); return; }
  say("share", `A share from ${low} to ${high}, or odds such as 1:1000. Still ${oneIn(share(state.logOdds))}.`, true);
}
function readTraffic() {
  const wanted = Number($("traffic").value);
  if (wanted >= 1 && wanted <= 1e15) { state.traffic = wanted; say("traffic", ""); showPoints(); return; }
  say("traffic", `A number from 1 to 1e15. Still ${amount(state.traffic)}.`, true);
}

function legend(holder) {
  names.forEach((name, m) => {
    const entry = document.createElement("span");
    const sign = draw("svg", { viewBox: "0 0 44 12" }, entry);
    draw("line", { x1: 0, x2: 44, y1: 6, y2: 6, "stroke-width": 2, ...stroke(m) }, sign);
    draw("path", { d: markers[m % 5], fill: colour(m), transform: "translate(22,6)" }, sign);
    entry.append(isolated(name));
    holder.append(entry);
  });
}

function begin() {
  Object.assign($("slider"), { min: lowest, max: highest });
  content.models.forEach((model, m) => {
    model.path = inShortSteps(model.points);
    $("model").append(Object.assign(document.createElement("option"), { value: m, textContent: model.name }));
  });
  document.querySelectorAll(".legend").forEach(legend);
  $("marks").textContent = content.marks;
  $("slider").addEventListener("input", () => { state.logOdds = Number($("slider").value); showAll(); });
  $("share").addEventListener("input", readShare);
  $("traffic").addEventListener("input", readTraffic);
  $("recall").addEventListener("input", () => { pick(Number($("recall").value)); showAll(); });
  $("model").addEventListener("change", showAll);
  $("threshold").addEventListener("input", () => {
    state.points[Number($("model").value)] = Number($("threshold").value);
    $("recall").setAttribute("aria-valuetext", "as the threshold has it");
    $("recall-text").textContent = "";
    showAll();
  });
  window.addEventListener("resize", showAll);
  pick(content.recall);
  showAll();
}

begin();
