// The arithmetic of the page, without a browser: from what the library has put into the page to numbers at a prevalence.

/** @import { Bins, Cell, Gains, Interval, Known, Metric, Model, PointMetric, Points, ReadBin, Reading } from "./types.js" */

// --- prevalences -----------------------------------------------------------------------------------

/** @param {number} part */
export function logit(part) { return Math.log(part) - Math.log1p(-part); }
/** @param {number} logOdds */
export function share(logOdds) { return 1 / (1 + Math.exp(-logOdds)); }
/** @param {number} logOdds */
export function oddsAgainst(logOdds) { return Math.exp(-logOdds); }

/**
 * A share, a percentage, "1 in 1,000", 1/1000, or odds such as 1:999; NaN for anything else.
 * @param {string} text
 */
export function prevalenceFrom(text) {
  const [whole, positives, sign, cases] = text.trim().match(/^(.*?)\s*(:|\bin\b|\bof\b|\/|%)\s*(.*)$/) ?? [text, text];
  /** @param {string} part */
  const amount = (part) => (part.trim() ? Number(part.trim().replace(/(?<=\d),(?=\d{3}\b)/g, "")) : NaN);
  if (sign === undefined) return amount(whole);
  if (sign === "%") return cases ? NaN : amount(positives) / 100;
  return amount(positives) / (amount(cases) + (sign === ":" ? amount(positives) : 0));
}

/**
 * Everything that formulas need of a prevalence. Between Chebyshev nodes there is barycentric interpolation.
 * @param {number} logOdds
 * @param {number[]} nodes
 * @returns {Reading}
 */
export function reading(logOdds, nodes) {
  const n = nodes.length;
  const terms = nodes.map((node, k) =>
    ((k % 2 ? -1 : 1) * Math.sin(((2 * k + 1) * Math.PI) / (2 * n))) / (logOdds - node || 1e-300));
  const below = sum(terms);
  return { logOdds, prevalence: share(logOdds), x: oddsAgainst(logOdds), weights: terms.map((term) => term / below) };
}

/** @param {number[]} column */
export function sum(column) { return column.reduce((all, value) => all + value, 0); }

// --- areas -----------------------------------------------------------------------------------------

/**
 * An area whose logarithms are known at the nodes.
 * @param {number[]} logs
 * @param {Reading} at
 */
export function area(logs, { weights }) {
  let total = 0;
  for (let k = 0; k < logs.length; k += 1) total += weights[k] * logs[k];
  return Math.exp(total);
}

/**
 * Area under the lowest PR curve there can be; a series where the closed form would lose its digits.
 * @param {number} prevalence
 */
export function lowestArea(prevalence) {
  if (prevalence > 0.01) return 1 + ((1 - prevalence) * Math.log1p(-prevalence)) / prevalence;
  let total = 0;
  for (let k = 8; k >= 1; k -= 1) total = prevalence * (1 / (k * (k + 1)) + total);
  return total;
}

/**
 * A difference of two numbers that are known to eight digits or so; what is left of fewer is nothing.
 * @param {number} value
 * @param {number} lowest
 */
export function normalized(value, lowest) { return value - lowest < 1e-5 * lowest ? 0 : (value - lowest) / (1 - lowest); }

/**
 * The highest F1 on the convex hull, or on any points that include it.
 * @param {{tpr: number[], fpr: number[]}} points
 * @param {number} x
 */
export function bestF1({ tpr, fpr }, x) {
  let best = 0;
  for (let k = 0; k < tpr.length; k += 1) best = Math.max(best, f1Of(tpr[k], fpr[k], x));
  return best;
}

/**
 * The first place in a rising column with at least this value.
 * @param {number[]} rising
 * @param {number} wanted
 */
export function firstAtLeast(rising, wanted) {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle] >= wanted) high = middle; else low = middle + 1;
  }
  return low;
}

/**
 * In u = 1/recall the area grows by precision gain. It is known at some recalls; between two of them the curve is taken
 * to be straight, and what that leaves is made up for evenly in u.
 * @param {Gains} gains
 * @param {number} x
 */
export function areaOfGains({ tpr, fpr, fpr_before: start, area: known }, x) {
  const recall = 1 / (1 + x);
  const k = Math.min(firstAtLeast(tpr, recall), tpr.length - 1);
  const before = k ? tpr[k - 1] : 0;
  /** @param {number} from */
  const straight = (from) => {
    const here = start[k] + ((fpr[k] - start[k]) * (from - before)) / (tpr[k] - before);
    return ((tpr[k] - from) / (from * tpr[k])) * (1 - (here / from + fpr[k] / tpr[k]) / 2) + known[k];
  };
  const leftOver = k ? known[k - 1] - straight(before) : 0;
  return (straight(recall) + ((before * (tpr[k] - recall)) / (recall * (tpr[k] - before))) * leftOver) / x;
}

/** The metrics of a whole curve. @type {Metric[]} */
export const areas = [
  { name: "Average precision", key: "average_precision", of: (m, at) => area(m.average_precision, at) },
  { name: "AUC-PR", key: "auc_pr", of: (m, at) => area(m.auc_pr, at) },
  { name: "Normalized AUC-PR", of: (m, at) => normalized(area(m.auc_pr, at), lowestArea(at.prevalence)) },
  { name: "AUC-PRG", of: (m, at) => areaOfGains(m.gains, at.x), decimals: true },
  { name: "Best F1", key: "best_f1", of: (m, at) => bestF1(m.points, at.x) },
  { name: "AUC-ROC", of: (m) => m.roc_auc.value, fixed: (m) => m.roc_auc },
];

/**
 * Worked out on a grid of log-odds as multiples of the value, straight in between.
 * @param {Known[]} multiples
 * @param {number} logOdds
 * @param {number[]} grid
 */
export function between(multiples, logOdds, grid) {
  const k = Math.min(Math.max(firstAtLeast(grid, logOdds), 1), grid.length - 1);
  const part = Math.min(Math.max((logOdds - grid[k - 1]) / (grid[k] - grid[k - 1]), 0), 1);
  const [a, b] = [multiples[k - 1] ?? NaN, multiples[k] ?? NaN];
  return a + part * (b - a);
}

// --- one threshold ---------------------------------------------------------------------------------

/**
 * @param {number} t
 * @param {number} f
 * @param {number} x
 */
export function precisionOf(t, f, x) { return t === 0 && f === 0 ? NaN : t / (t + x * f); }
/**
 * @param {number} t
 * @param {number} f
 * @param {number} x
 */
export function f1Of(t, f, x) { return (2 * t) / (t + 1 + x * f); }

/** @type {PointMetric[]} */
export const pointMetrics = [
  { name: "Precision", byRatio: true, of: precisionOf },
  { name: "Recall", of: (t) => t },
  { name: "F1", of: f1Of },
  { name: "NPV", of: (t, f, x) => (t === 1 && f === 1 ? NaN : (x * (1 - f)) / (x * (1 - f) + (1 - t))) },
  { name: "Specificity", of: (_, f) => 1 - f },
  { name: "LR+", byRatio: true, of: (t, f) => t / f, plain: true },
  { name: "LR−", of: (t, f) => (1 - t) / (1 - f), plain: true, worse: true },
  { name: "Lift", byRatio: true, of: (t, f, x) => precisionOf(t, f, x) * (1 + x), plain: true },
  { name: "Cost of a case", of: (t, f, x, c) => (c.missed * (1 - t) + x * c.falseAlert * f) / (1 + x), plain: true, worse: true },
  { name: "Net benefit", of: (t, f, x, c) => (t - (x * f * c.threshold) / (1 - c.threshold)) / (1 + x), plain: true },
];

/**
 * The ends of an interval at a threshold. What depends on the ratio of both rates only has that of the ratio, which is
 * the library's; for others it is the least and the most that the intervals of both rates allow.
 * @param {(t: number, f: number, x: number) => number} of
 * @param {Points} p
 * @param {number} k
 * @param {number} x
 */
export function ends(of, p, k, x, byRatio = of === precisionOf) {
  if (!byRatio) return [of(p.tpr_low[k], p.fpr_high[k], x) || 0, of(p.tpr_high[k], p.fpr_low[k], x)];
  const [low, high] = [p.ratio_low[k], p.ratio_high[k]];
  return [low === null ? of(1, 0, x) : of(low, 1, x) || 0, high === null ? of(1, 0, x) : of(high, 1, x)];
}

/**
 * The place of the threshold that first finds this share of the positives.
 * @param {number[]} tpr
 * @param {number} recall
 */
export function reaches(tpr, recall) { return Math.min(firstAtLeast(tpr, recall - 1e-12), tpr.length - 1); }

// --- curves ----------------------------------------------------------------------------------------

/**
 * The curve is straight between thresholds where rates are drawn, and bent where precision is: in short steps from (0, 0).
 * @param {Points} points
 * @returns {[number, number][]}
 */
export function inShortSteps({ tpr, fpr }) {
  /** @type {[number, number][]} */
  const path = [[0, 0]];
  tpr.forEach((t, k) => {
    const [t0, f0] = path[path.length - 1];
    const steps = Math.max(1, Math.ceil((t - t0) / 0.01));
    for (let i = 1; i <= steps; i += 1) path.push([t0 + ((t - t0) * i) / steps, f0 + ((fpr[k] - f0) * i) / steps]);
  });
  return path;
}

/**
 * @param {[number, number][]} path
 * @param {number} recall
 * @returns {[number, number][]}
 */
export function fromRecall(path, recall) {
  const k = path.findIndex(([t]) => t >= recall);
  const [[t0, f0], [t1, f1]] = [path[k - 1], path[k]];
  return [[recall, f0 + ((f1 - f0) * (recall - t0)) / (t1 - t0)], ...path.slice(k)];
}

/**
 * The false positive rate of a curve where it has this recall.
 * @param {[number, number][]} path
 * @param {number} recall
 */
export function falseRateAt(path, recall) { return recall > 0 ? fromRecall(path, recall)[0][1] : 0; }

// --- probabilities ---------------------------------------------------------------------------------

/**
 * The error function; all terms have one sign.
 * @param {number} z
 */
export function erf(z) {
  if (z > 6) return 1;
  let [term, total] = [z, z];
  for (let n = 1; term > 1e-17 * total; n += 1) { term *= (2 * z * z) / (2 * n + 1); total += term; }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * total;
}

/**
 * The expected distance from 0 of a normal variable.
 * @param {number} mean
 * @param {number} variance
 */
export function foldedMean(mean, variance) {
  if (!variance) return Math.abs(mean);
  const z = Math.abs(mean) / Math.sqrt(2 * variance);
  return Math.sqrt((2 * variance) / Math.PI) * Math.exp(-z * z) + Math.abs(mean) * erf(z);
}

/**
 * The bins as they are where the odds against a positive are x. Sums by bin are as counted; at another prevalence every
 * negative has another weight.
 * @param {Bins} bins
 * @param {number} x
 * @returns {ReadBin[]}
 */
export function readBins(bins, x) {
  const odds = (x * sum(bins.pos)) / sum(bins.neg);
  const mass = bins.pos.map((pos, k) => pos + odds * bins.neg[k]);
  const all = sum(mass);
  // The odds of an event are those of the prevalence times how much likelier positives are in the bin.
  /** @param {Known} ratio */
  const rate = (ratio) => 1 / (1 + x / (ratio ?? Infinity));
  return mass.map((here, k) => {
    /** @type {ReadBin} */
    const found = {
      share: here / all,
      score: (bins.score_pos[k] + odds * bins.score_neg[k]) / here,
      rate: bins.pos[k] / here,
      gap: (bins.rest_pos[k] - odds * bins.score_neg[k]) / here,
      low: rate(bins.ratio_low[k]), high: rate(bins.ratio_high[k]),
      variance: varianceOfRate(bins, k, odds, here),
    };
    if (x > (bins.agreeing_odds_high[k] ?? Infinity)) found.off = "too high";
    if (x < (bins.agreeing_odds_low[k] ?? Infinity)) found.off = "too low";
    return found;
  });
}

/**
 * Not finite where one row is all there is.
 * @param {Bins} bins
 * @param {number} k
 * @param {number} odds
 * @param {number} mass
 */
function varianceOfRate({ pos, neg, pos_squares: ofPos, neg_squares: ofNeg }, k, odds, mass) {
  const rows = (mass * mass) / (ofPos[k] + odds * odds * ofNeg[k]);
  const rate = pos[k] / mass;
  const spread = pos[k] && neg[k] ? (rate * (1 - rate)) ** 2 * (ofPos[k] / pos[k] ** 2 + ofNeg[k] / neg[k] ** 2) : 0;
  return spread * (rows / (rows - 1));
}

/** @param {ReadBin[]} read */
export function calibrationError(read) { return sum(read.map(({ share: part, gap }) => part * Math.abs(gap))); }

/** @param {ReadBin[]} read */
export function debiasedError(read) {
  const known = read.filter(({ variance }) => Number.isFinite(variance));
  return Math.max(0, sum(known.map(({ share: part, gap, variance }) =>
    part * (2 * Math.abs(gap) - foldedMean(gap, variance)))));
}

/**
 * A mean over both classes from that of each.
 * @param {[Known, Known]} means
 * @param {number} prevalence
 */
export function mixed([ofPos, ofNeg], prevalence) {
  const [pos, neg] = [ofPos ?? Infinity, ofNeg ?? Infinity];
  return prevalence * pos + (1 - prevalence) * neg;
}

// --- slices and periods ----------------------------------------------------------------------------

/** The metrics of the menu of slices and periods. @type {[string, string][]} */
export const groupMetrics = [
  ["average_precision", "Average precision"], ["auc_pr", "AUC-PR"], ["normalized_auc_pr", "Normalized AUC-PR"],
  ["best_f1", "Best F1"], ["roc_auc", "AUC-ROC"], ["precision", "Precision"], ["recall", "Recall"], ["f1", "F1"],
  ["npv", "NPV"], ["specificity", "Specificity"],
];

/** @type {Record<string, (t: number, f: number, x: number) => number>} */
const atThreshold = Object.fromEntries(["Precision", "Recall", "F1", "NPV", "Specificity"].map((wanted) => {
  const { of } = /** @type {PointMetric} */ (pointMetrics.find(({ name }) => name === wanted));
  return [wanted.toLowerCase(), (t, f, x) => of(t, f, x, { missed: 0, falseAlert: 0, threshold: 0.5 })];
}));

/**
 * A metric of a slice, with its interval where that is known; null where the page has not kept what it needs.
 * @param {Cell} cell
 * @param {string} metric
 * @param {Reading} at
 * @param {number[]} grid
 * @returns {Interval | null}
 */
export function ofCell(cell, metric, at, grid) {
  const none = { low: NaN, high: NaN };
  if (metric in atThreshold) {
    if (!cell.rates) return null;
    const [t, f, tprLow, tprHigh, fprLow, fprHigh] = cell.rates;
    const of = atThreshold[metric];
    return { value: of(t, f, at.x), low: of(tprLow, fprHigh, at.x) || 0, high: of(tprHigh, fprLow, at.x) };
  }
  if (metric === "roc_auc") return cell.roc ? { value: cell.roc[0], low: cell.roc[1] ?? NaN, high: cell.roc[2] ?? NaN } : null;
  if (metric === "best_f1") return cell.hull ? { value: bestF1(cell.hull, at.x), ...none } : null;
  if (metric === "average_precision") {
    if (!cell.logs) return null;
    const value = area(cell.logs, at);
    const [low, high] = [cell.low ?? [], cell.high ?? []].map((end) => Math.min(1, value * between(end, at.logOdds, grid)));
    return { value, low, high };
  }
  if (!cell.pr_logs) return null;
  const value = area(cell.pr_logs, at);
  return { value: metric === "auc_pr" ? value : normalized(value, lowestArea(at.prevalence)), ...none };
}

/**
 * The same metric of all rows of a model, at the threshold that the page opens with.
 * @param {Model} model
 * @param {string} metric
 * @param {Reading} at
 * @param {number} recall
 */
export function ofAllRows(model, metric, at, recall) {
  if (metric in atThreshold) {
    const k = reaches(model.points.tpr, recall);
    return atThreshold[metric](model.points.tpr[k], model.points.fpr[k], at.x);
  }
  const names = Object.fromEntries(groupMetrics);
  return areas.find(({ name }) => name === names[metric])?.of(model, at) ?? NaN;
}
