// How numbers and names are written, and every sentence that the script says.

/** @param {number} value @param {number} [count] */
export function digits(value, count = 4) {
  if (value === Infinity) return "∞";
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) < 1e-12) return (0).toFixed(count);
  if (Math.abs(value) < 0.01) return value.toPrecision(3);
  // What is near to 1 is told by what is missing to it.
  const near = value < 1 ? count - 3 - Math.floor(Math.log10(1 - value)) : 0;
  return value.toFixed(Math.max(count, Math.min(near, 6)));
}

/** Significant digits of a number that is no share. @param {number} value @param {number} [count] */
export function significant(value, count = 4) {
  if (value === Infinity) return "∞";
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) >= 999.5 ? amount(value) : value.toPrecision(value ? count : 1);
}

/** Two digits, as a sentence has them. @param {number} value */
export function short(value) { return value >= 0.1 ? value.toFixed(2) : String(Number(value.toPrecision(2))); }

const written = new Intl.NumberFormat("en", { maximumSignificantDigits: 21 });

/** A number of cases. @param {number} value */
export function amount(value) {
  if (!Number.isFinite(value)) return "–";
  const shown = Number(Math.abs(value) >= 100 ? Math.round(value).toPrecision(8) : value.toPrecision(3));
  return written.format(shown);
}

/** Three digits of a share, or of what is missing to all. @param {number} value */
export function percent(value) {
  if (!Number.isFinite(value)) return "–";
  const shown = value <= 0.5 ? Number((100 * value).toPrecision(3)) : 100 - Number((100 * (1 - value)).toPrecision(3));
  return `${Number(shown.toPrecision(10))} %`;
}

/** @param {number} prevalence */
export function oneIn(prevalence) {
  if (prevalence > 0.5) return percent(prevalence);
  const cases = Number((1 / prevalence).toPrecision(3));
  if (cases < 10) return `1 in ${written.format(cases)}`;
  // A half goes to the even number, as in the library.
  const whole = Math.round(cases);
  return `1 in ${written.format(cases % 1 === 0.5 && whole % 2 ? whole - 1 : whole)}`;
}

/** A long name without its middle: both of its ends tell it from others. @param {string} name @param {number} [most] */
export function shortened(name, most = 24) {
  const letters = Array.from(name);
  if (letters.length <= most) return name;
  const before = Math.ceil((most - 1) / 2);
  return `${letters.slice(0, before).join("")}…${letters.slice(before - most + 1).join("")}`;
}

/** @param {number | string} value */
export function thresholdText(value) { return String(value).replace("Infinity", "∞"); }

/** A name that is written from right to left does not turn the sentence around it. @param {string} name */
export function isolated(name) { return `\u2068${name}\u2069`; }

/** With as many digits as tell its ends apart. @param {number} low @param {number} high @param {number} [count] @returns {string} */
export function range(low, high, count = 3) {
  const [from, to] = [low, high].map((end) => digits(end, count));
  return from === to && low < high && count < 6 ? range(low, high, count + 1) : `${from} ${dash(low)} ${to}`;
}
/** Between two numbers; a dash before a minus would be a riddle. @param {number} low */
export function dash(low) { return low < 0 ? "to" : "–"; }

/** The ends of an interval after its value, where it has any. @param {string} low @param {string} high @param {boolean} known */
function sure(low, high, known) { return known ? ` (95 % sure: ${low} to ${high})` : ""; }

// So many models are named; of more, the first ones and their number.
const named = 3;
/** @param {string[]} names */
function listed(names) { return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`; }
/** @param {string[]} names */
function some(names) { return listed(names.length <= named ? names : [...names.slice(0, named - 1), `${names.length - named + 1} others`]); }
/** As far as some hundred draws can show it. @param {number} probability */
function certainty(probability) { return probability > 0.99 ? "more than 99 %" : `${Math.floor(100 * probability + 1e-9)} %`; }

/** Sentences, by what they are about. Numbers come in as text. */
export const sentences = {
  /**
   * @param {{
   *   where: string, together: boolean, ahead: string[], behind: string[], sure: number, paired: boolean,
   *   more: string | null, area: string, areas: number[], sureRight: string, rights: number[],
   * }} it
   */
  verdict: (it) => {
    const where = `${it.together ? "All periods together: at" : "At"} a prevalence of ${it.where}`;
    const how = it.paired ? `${certainty(it.sure)} sure` : "their own intervals do not overlap";
    if (it.ahead.length === 1) {
      const them = it.behind.length > named ? `all ${it.behind.length} others` : listed(it.behind);
      const leads = it.behind.length ? `${it.ahead[0]} leads ${them} (${how}):` : `${it.ahead[0]} has`;
      return `${where}, ${leads} average precision ${it.area}. To find half of the positives, it raises alerts of which ${percent(it.rights[0])} are right${it.sureRight}.`;
    }
    const values = it.ahead.length === 2 ? it.areas.map(short).join(" and ") : `from ${short(Math.min(...it.areas))} to ${short(Math.max(...it.areas))}`;
    const more = it.more === null ? "" : ` If the difference stays, about ${it.more} more positives would decide.`;
    const behind = it.behind.length ? ` ${some(it.behind)} ${it.behind.length === 1 ? "trails" : "trail"} (${how}).` : "";
    const alerts = it.ahead.length > named
      ? `${percent(Math.min(...it.rights))} to ${percent(Math.max(...it.rights))} of their alerts are right.`
      : `${listed(it.ahead.map((name, k) => `${percent(it.rights[k])} of the alerts of ${name}`))} are right.`;
    return `${where}, ${some(it.ahead)} cannot be told apart${it.paired ? "" : " by their own intervals"}: average precision ` +
      `${values}.${more}${behind} To find half of the positives, ${alerts}`;
  },
  /** @param {string} name */
  changeChart: (name) => `${name}: the change of average precision since the first periods, in its parts`,
  /** @param {string} name */
  timelineChart: (name) => `${name}: average precision of each period at the common prevalence`,
  prevalenceChart: "The prevalence of each period, and how many cases it has",
  prevalenceOf: "Prevalence",
  /** @param {string} cases @param {string} positives */
  casesOf: (cases, positives) => `${cases} cases, ${positives} of them positive`,
  alarm: "alarm",
  referencePeriod: "a period of the reference",
  parts: { prior: "Prevalence", model: "Model", threshold: "Threshold" },
  sure,
  /** @param {{ cases: string, positive: string, name: string, alerts: string, right: string, missed: string }} it */
  day: ({ cases, positive, name, alerts, right, missed }) =>
    `Of ${cases} cases a day, ${positive} are positive. ${name} raises ${alerts} alerts; ${right} of them are right, ` +
    `and it misses ${missed} positives.`,
  /** @param {string} kept @param {string} all */
  kept: (kept, all) =>
    `The page keeps ${kept} of ${all} thresholds, with one for each whole percent of recall. With a daily number of ` +
    "alerts, it uses the lowest of these that does not exceed it.",
  /** @param {string} name @param {string} alerts */
  overBudget: (name, alerts) => `${name} raises ${alerts} even at its first threshold.`,
  /** @param {number} low @param {number} high @param {string} still */
  refusedShare: (low, high, still) => `A share from ${low} to ${high}, or "1 in 1,000". Still ${still}.`,
  /** @param {string} still */
  refusedTraffic: (still) => `A number from 1 to 1e15. Still ${still}.`,
  /** @param {string} still */
  refusedBudget: (still) => `A number above 0, up to 1e15, or nothing. ${still}.`,
  /** @param {number} bins @param {number} off @param {string} name */
  bins: (name, bins, off) =>
    `${name}: event rate over mean score in ${bins} bins, ${off} of them significantly miscalibrated`,
  /** @param {string} name */
  shares: (name) => `${name}: the share of rows in each bin, on a logarithmic scale`,
  prChart: "Precision over recall at the chosen prevalence",
  rocChart: "True positive rate over false positive rate, which do not depend on the prevalence",
  gainChart: "Precision gain over recall gain",
  flatGains:
    "At this prevalence precision gain is within a few hundredths of 1 for nearly all recalls, so its chart shows no " +
    "difference between models. Look at precision and recall.",
  /** @param {string} name */
  scores: (name) =>
    `${name}: the share of each class by score, positives in colour and negatives in grey. It does not depend on the ` +
    "prevalence. The dashed line is the threshold.",
  noScores: "The page has no distribution of these scores.",
  /** @param {string} name */
  scoreChart: (name) => `${name}: the share of positives and of negatives by score`,
  /** @param {string} name */
  overPrevalence: (name) => `${name} over the prevalence`,
  costChart: "Cost of a day over the recall that a threshold reaches",
  /** @param {number} low @param {number} high @param {string} still */
  refusedCost: (low, high, still) => `A number from ${low} to ${high}. Still ${still}.`,
  /** @param {number} drawn @param {number} all */
  drawn: (drawn, all) => `Of ${all} models, ${drawn} are in colour: the best ones here.`,
  /** @param {number} drawn @param {number} all */
  bestOf: (drawn, all) => (drawn < all ? `, the best ${drawn} of ${all} models` : ""),
  notKept: "not kept for this one",
  /** @param {number} shown @param {number} found @param {number} all */
  rowsShown: (shown, found, all) => (shown === all ? "" : `${amount(shown)} of ${found === all ? amount(all) : `${amount(found)} found, ${amount(all)} in all`}`),
  /** @param {string} metric */
  atThePrevalence: (metric) => `${metric} at the chosen prevalence`,
  /** @param {string} metric @param {string} group */
  byGroup: (metric, group) => `${metric} by ${group}, all read at the chosen prevalence`,
  /** @param {string} heading @param {string} key */
  overPeriods: (heading, key) => `Average precision of each period where ${heading} is ${key}`,
  ofData: "the data",
  asked: "asked for",
  swap: "models swap",
  only: "only",
  /** @param {string} name */
  onlyThis: (name) => `Show only ${name}, or all again`,
  infiniteLoss: "a score of 0 or 1 was wrong",
  asAlerts: "as the alerts have it",
  asThreshold: "as the threshold has it",
};
