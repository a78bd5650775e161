// Everything here is arithmetic on what the library has put into the page; tests compare it with the library.

const content = JSON.parse(document.getElementById("content").textContent);
const state = { logOdds: logit(content.prevalence), points: content.models.map(() => 0), traffic: 100000, budget: null };
const names = content.models.map((model) => model.name);

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
function between(multiples, logOdds, grid = content.grid) {
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

// A share, a percentage, "1 in 1,000", 1/1000, or odds such as 1:999; NaN for anything else.
function prevalenceFrom(text) {
  const [whole, positives, sign, cases] = text.trim().match(/^(.*?)\s*(:|\bin\b|\bof\b|\/|%)\s*(.*)$/) ?? [text, text];
  const amount = (part) => (part.trim() ? Number(part.trim().replace(/(?<=\d),(?=\d{3}\b)/g, "")) : NaN);
  if (sign === undefined) return amount(whole);
  if (sign === "%") return cases ? NaN : amount(positives) / 100;
  return amount(positives) / (amount(cases) + (sign === ":" ? amount(positives) : 0));
}

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

function averagePrecisions(x) { return content.models.map((model) => area(model.average_precision, x)); }
function leader(x) { return averagePrecisions(x).indexOf(Math.max(...averagePrecisions(x))); }

// As asked where it was asked, with the intervals of the library; elsewhere with interpolated ones.
function showVerdict() {
  if (Math.abs(state.logOdds - logit(content.prevalence)) < 1e-9) { $("verdict").textContent = content.verdict; return; }
  const x = oddsAgainst(state.logOdds);
  const [values, m] = [averagePrecisions(x), leader(x)];
  const { tpr, fpr } = content.models[m].points;
  const k = reaches(tpr, content.recall);
  const { low, high } = content.models[m].bands.average_precision;
  const ofArea = [low, high].map((end) => Math.min(1, values[m] * between(end, state.logOdds)));
  // An interval of TPR/FPR, which chooses the threshold again, serves every prevalence; null is infinity.
  const ofRight = (content.models[m].right || [NaN, NaN]).map((ratio) => ratio === null ? 1 : ratio / (ratio + x));
  const sure = ([from, to], text, about) => Number.isFinite(from + to) ? ` (95 % sure: ${about}${text(from)} to ${text(to)})` : "";
  const lead = names.length > 1 ? ` is the best of ${names.length} models:` : " has";
  $("verdict").textContent = `At a prevalence of ${oneIn(share(state.logOdds))}, ${isolated(names[m])}${lead} average precision ` +
    `${short(values[m])}${sure(ofArea, short, "≈\u00a0")}. To find half of the positives, it raises alerts of which ` +
    `${percent(precisionOf(tpr[k], fpr[k], x))} are right${sure(ofRight, percent, "")}.`;
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

function perDay(t, f) { return state.traffic * (share(state.logOdds) * t + (1 - share(state.logOdds)) * f); }

function showPoints() {
  const x = oddsAgainst(state.logOdds);
  const prevalence = share(state.logOdds);
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
    ? `The page keeps ${amount(tpr.length)} of ${amount(all)} thresholds, with one for each whole percent of recall. ` +
      "With a daily number of alerts, it uses the lowest of these that does not exceed it." : "";
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

function groupCell(cell, check) {
  if (cell.reason) return { text: ["–", cell.reason], value: NaN, low: NaN, high: NaN };
  const value = area(cell.logs, oddsAgainst(state.logOdds));
  const [low, high] = [cell.low, cell.high].map((end) => Math.min(1, value * between(end, state.logOdds, content.group_grid)));
  const sure = Number.isFinite(low) && Number.isFinite(high) ? `≈ ${digits(low, 2)} – ${digits(high, 2)}; ` : "";
  const shift = check ? `; p ${check}` : "";
  return { text: [digits(value), `${sure}own ${digits(cell.own)}${shift}`], value, low, high };
}

function showGroups() {
  content.groups.forEach((group, g) => {
    const cells = group.rows.map((row, k) => row.models.map((cell, m) => groupCell(cell, group.checks[m]?.[k])));
    table($(`group-${g}`), group.models, group.rows.map((row, k) => [[row.key, row.size], ...cells[k].map(({ text }) => text)]));
    const every = Math.ceil(cells.length / Math.max(1, Math.floor($(`group-chart-${g}`).clientWidth / 100)));
    const chart = picture(`group-chart-${g}`, {
      x: {
        range: [-0.4, Math.max(cells.length, 1) - 0.6],
        ticks: group.rows.map((row, k) => [k, shortened(row.key)]).filter(([k]) => k % every === 0),
      },
      y: unit, label: "", described: `Average precision by ${group.name}, all read at the chosen prevalence`,
    });
    group.models.forEach((name, m) => {
      const model = names.indexOf(name);
      // Side by side, so that one interval does not hide another.
      const aside = (m - (group.models.length - 1) / 2) * Math.min(0.1, 0.6 / group.models.length);
      if (group.ordered) chart.line(cells.map((row, k) => [k + aside, row[m].value]), model);
      cells.forEach((row, k) => {
        chart.whisker([k + aside, row[m].low, row[m].high], model);
        chart.dot([k + aside, row[m].value], model, { scaled: cells.length > 40 ? 0.5 : 1 });
      });
    });
  });
}

function showAll() {
  if (state.budget !== null) pickWithin(state.budget);
  showPrevalence(); showVerdict(); showHeadline(); showCurves(); showPoints(); showOverPrevalence(); showGroups();
  showCalibration(content.models, state.logOdds);
}

// --- what can be moved -----------------------------------------------------------------------------

function reaches(tpr, recall) { return Math.min(firstAtLeast(tpr, recall - 1e-12), tpr.length - 1); }
function pick(recall) {
  content.models.forEach((model, m) => { state.points[m] = reaches(model.points.tpr, recall); });
  $("recall").value = recall;
  $("recall").setAttribute("aria-valuetext", percent(recall));
  $("recall-text").textContent = percent(recall);
}

// The last threshold of each model that raises no more alerts a day than that, or its first one if none does.
function pickWithin(budget) {
  const over = [];
  content.models.forEach(({ points: { tpr, fpr } }, m) => {
    const within = firstAtLeast(tpr.map((t, k) => perDay(t, fpr[k])), budget * (1 + 1e-9)) - 1;
    if (within < 0) over.push(`${isolated(names[m])} raises ${amount(perDay(tpr[0], fpr[0]))} even at its first threshold.`);
    state.points[m] = Math.max(within, 0);
  });
  say("budget", over.join(" "));
  unsayRecall("as the alerts have it");
}
function unsayRecall(why) {
  $("recall").setAttribute("aria-valuetext", why);
  $("recall-text").textContent = "";
}
function forgetBudget() { state.budget = null; $("budget").value = ""; say("budget", ""); }

// Beside a box: what was typed, in other words, or why it is refused and what holds still.
function say(box, text, refused = false) {
  $(box).setAttribute("aria-invalid", refused);
  $(`${box}-text`).textContent = text;
}
function readShare() {
  const wanted = prevalenceFrom($("share").value);
  const [low, high] = content.range.map((end) => Number(share(end).toPrecision(6)));
  if (wanted >= low && wanted <= high) { state.logOdds = logit(wanted); showAll(); return; }
  say("share", `A share from ${low} to ${high}, or "1 in 1,000". Still ${oneIn(share(state.logOdds))}.`, true);
}
function readTraffic() {
  const wanted = Number($("traffic").value);
  if (wanted >= 1 && wanted <= 1e15) { state.traffic = wanted; say("traffic", ""); showAll(); return; }
  say("traffic", `A number from 1 to 1e15. Still ${amount(state.traffic)}.`, true);
}

function readBudget() {
  const wanted = Number($("budget").value);
  if ($("budget").value === "" && $("budget").validity.valid) { forgetBudget(); pick(Number($("recall").value)); showAll(); return; }
  if (wanted > 0 && wanted <= 1e15) { state.budget = wanted; showAll(); return; }
  const still = state.budget === null ? "Still none" : `Still ${amount(state.budget)}`;
  say("budget", `A number above 0, up to 1e15, or nothing. ${still}.`, true);
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
  $("model").value = leader(oddsAgainst(state.logOdds)); // the one that the verdict is about
  document.querySelectorAll(".legend").forEach(legend);
  $("marks").textContent = content.marks;
  $("slider").addEventListener("input", () => { state.logOdds = Number($("slider").value); showAll(); });
  $("share").addEventListener("input", readShare);
  $("traffic").addEventListener("input", readTraffic);
  $("budget").addEventListener("input", readBudget);
  $("recall").addEventListener("input", () => { forgetBudget(); pick(Number($("recall").value)); showAll(); });
  $("model").addEventListener("change", showAll);
  $("threshold").addEventListener("input", () => {
    state.points[Number($("model").value)] = Number($("threshold").value);
    forgetBudget();
    unsayRecall("as the threshold has it");
    showAll();
  });
  window.addEventListener("resize", showAll);
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  pick(content.recall);
  showAll();
}

begin();
