// Whether scores are probabilities. Sums by bin are as counted; at another prevalence every negative has another weight.

function sum(column) { return column.reduce((all, value) => all + value, 0); }

// The error function; all terms have one sign.
function erf(z) {
  if (z > 6) return 1;
  let [term, total] = [z, z];
  for (let n = 1; term > 1e-17 * total; n += 1) { term *= (2 * z * z) / (2 * n + 1); total += term; }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * total;
}

// The expected distance from 0 of a normal variable.
function foldedMean(mean, variance) {
  if (!variance) return Math.abs(mean);
  const z = Math.abs(mean) / Math.sqrt(2 * variance);
  return Math.sqrt((2 * variance) / Math.PI) * Math.exp(-z * z) + Math.abs(mean) * erf(z);
}

// The bins as they are where the odds against a positive are x.
function readBins(bins, x) {
  const odds = (x * sum(bins.pos)) / sum(bins.neg);
  const mass = bins.pos.map((pos, k) => pos + odds * bins.neg[k]);
  const all = sum(mass);
  // The odds of an event are those of the prevalence times how much likelier positives are in the bin.
  const rate = (ratio) => 1 / (1 + x / (ratio ?? Infinity));
  return mass.map((here, k) => {
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

// Not finite where one row is all there is.
function varianceOfRate({ pos, neg, pos_squares: ofPos, neg_squares: ofNeg }, k, odds, mass) {
  const rows = (mass * mass) / (ofPos[k] + odds * odds * ofNeg[k]);
  const rate = pos[k] / mass;
  const spread = pos[k] && neg[k] ? (rate * (1 - rate)) ** 2 * (ofPos[k] / pos[k] ** 2 + ofNeg[k] / neg[k] ** 2) : 0;
  return spread * (rows / (rows - 1));
}

function calibrationError(read) { return sum(read.map(({ share, gap }) => share * Math.abs(gap))); }
function debiasedError(read) {
  const known = read.filter(({ variance }) => Number.isFinite(variance));
  return Math.max(0, sum(known.map(({ share, gap, variance }) => share * (2 * Math.abs(gap) - foldedMean(gap, variance)))));
}
// A mean over both classes from that of each.
function mixed([ofPos, ofNeg], prevalence) {
  const [pos, neg] = [ofPos ?? Infinity, ofNeg ?? Infinity];
  return prevalence * pos + (1 - prevalence) * neg;
}

// --- what is shown ---------------------------------------------------------------------------------

function showCalibration(models, logOdds) {
  const prevalence = share(logOdds);
  const judged = models.map(({ name, calibration }, m) => ({ name, m, bins: calibration })).filter(({ bins }) => bins);
  if (!judged.length) return;
  for (const one of judged) one.read = readBins(one.bins, oddsAgainst(logOdds));
  const loss = (value) => (value === Infinity ? ["∞", "a score of 0 or 1 was wrong"] : digits(value));
  table($("probabilities"), judged.map(({ name }) => name), [
    ["ECE", ...judged.map(({ read }) => digits(calibrationError(read)))],
    ["Debiased ECE", ...judged.map(({ read }) => digits(debiasedError(read)))],
    ["Brier score", ...judged.map(({ bins }) => digits(mixed(bins.brier_score, prevalence)))],
    ["Log loss", ...judged.map(({ bins }) => loss(mixed(bins.log_loss, prevalence)))],
    ...content.own_rows.map((name, k) => [[name, "at the data's own prevalence"], ...judged.map(({ bins }) => bins.own[k])]),
  ]);
  judged.forEach(showBins);
}

function showBins({ name, m, bins, read }) {
  const rows = read.map((bin, k) => [
    `${bins.low[k]} – ${bins.high[k]}`, [amount(bins.pos[k] + bins.neg[k]), percent(bin.share)], digits(bin.score),
    [digits(bin.rate), `${digits(bin.low, 3)} – ${digits(bin.high, 3)}`], bin.off ?? "agree",
  ]);
  table($(`bins-${m}`), ["Rows", "Mean score", "Event rate", "Scores"], rows);
  const off = read.filter((bin) => bin.off).length;
  const chart = picture(`reliability-${m}`, {
    x: unit, y: unit, label: "mean score",
    described: `${name}: event rate over mean score in ${read.length} bins, ${off} of them significantly miscalibrated`,
  });
  chart.chance([[0, 0], [1, 1]]);
  read.forEach((bin) => {
    chart.whisker([bin.score, bin.low, bin.high], m);
    chart.dot([bin.score, bin.rate], m, { hollow: !bin.off });
  });
  showShares({ name, m, bins, read });
}

// Bars as high as the logarithm of the share, from the power of ten below the smallest, so that rare bins are seen.
function showShares({ name, m, bins, read }) {
  const lowest = Math.floor(Math.min(...read.map((bin) => Math.log10(bin.share)))) - 0.5;
  const step = Math.ceil(-lowest / 3);
  const powers = Array.from({ length: Math.floor(-lowest / step) + 1 }, (_, k) => -k * step);
  const chart = picture(`shares-${m}`, {
    x: unit, y: { range: [lowest, 0], ticks: powers.map((power) => [power, power > -3 ? `${10 ** power}` : `1e${power}`]) },
    label: "score", described: `${name}: the share of rows in each bin, on a logarithmic scale`, height: 130,
  });
  read.forEach((bin, k) => chart.bar([bins.low[k], bins.high[k]], Math.log10(bin.share), m));
}
