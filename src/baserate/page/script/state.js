// What the reader has chosen. It is kept in the fragment of the address, so that a view can be sent and survives a reload.

import { area, logit, reaches, reading } from "./arithmetic.js";
import { content } from "./content.js";

export const state = {
  logOdds: logit(content.prevalence),
  /** The recall chosen, or null where thresholds were chosen otherwise. @type {number | null} */
  recall: content.recall,
  /** The place of the threshold of each model. */
  points: content.models.map(() => 0),
  traffic: 100000,
  /** Alerts a day. @type {number | null} */
  budget: null,
  costs: { missed: 100, falseAlert: 1, threshold: 0.1 },
  /** Models that are not shown. @type {Set<number>} */
  hidden: new Set(),
  /** The model that one sentence is about, and that a phone shows. */
  model: 0,
  /** The metric of slices and periods. */
  metric: "average_precision",
};

/** The prevalence that is chosen. */
export function here() { return reading(state.logOdds, content.nodes); }

/** The places of the models that are shown. */
export function visible() { return content.models.map((_, m) => m).filter((m) => !state.hidden.has(m)); }

// Lines of more models than this cannot be told apart by their colours.
const coloured = 8;

/** The models that are drawn in colour: of many, the best ones at the prevalence, and the one that is looked at. @param {number} [most] */
export function foremost(most = coloured) {
  const shown = visible();
  if (shown.length <= most) return shown;
  const value = shown.map((m) => area(content.models[m].average_precision, here()));
  const best = shown.map((_, k) => k).sort((a, b) => value[b] - value[a]).slice(0, most).map((k) => shown[k]);
  if (!best.includes(chosen())) best[most - 1] = chosen();
  return best.sort((a, b) => a - b);
}

/** The models that are drawn in the background. */
export function others() {
  const ahead = foremost();
  return visible().filter((m) => !ahead.includes(m));
}

/** @type {(() => void)[]} */
const listeners = [];
/** @param {() => void} listener */
export function onChange(listener) { listeners.push(listener); }
/** Everything that is shown follows. */
export function changed() {
  for (const listener of listeners) listener();
  remember();
}

/** @param {number} recall */
export function pick(recall) {
  state.recall = recall;
  state.budget = null;
  content.models.forEach((model, m) => { state.points[m] = reaches(model.points.tpr, recall); });
}

// --- the address -----------------------------------------------------------------------------------

const opening = { traffic: state.traffic, costs: { ...state.costs }, metric: state.metric };

/** Only what is not as it was when the page opened. */
export function fragment() {
  const said = new URLSearchParams();
  if (Math.abs(state.logOdds - logit(content.prevalence)) > 1e-9) said.set("prevalence", String(Number((1 / (1 + Math.exp(-state.logOdds))).toPrecision(12))));
  if (state.budget !== null) said.set("alerts", String(state.budget));
  else if (state.recall === null) said.set("thresholds", state.points.join(","));
  else if (state.recall !== content.recall) said.set("recall", String(state.recall));
  if (state.traffic !== opening.traffic) said.set("traffic", String(state.traffic));
  for (const [name, key] of /** @type {["missed" | "falseAlert" | "threshold", string][]} */ ([["missed", "missed"], ["falseAlert", "false"], ["threshold", "worth"]])) {
    if (state.costs[name] !== opening.costs[name]) said.set(key, String(state.costs[name]));
  }
  if (state.hidden.size) said.set("hidden", [...state.hidden].sort((a, b) => a - b).join(","));
  if (state.metric !== opening.metric) said.set("metric", state.metric);
  return said.toString();
}

/** @param {string | null} text @param {number} low @param {number} high */
function within(text, low, high) {
  const value = text === null || text === "" ? NaN : Number(text);
  return value >= low && value <= high ? value : null;
}

/** The state from an address; what is missing there or makes no sense stays as it is. @param {string} hash */
export function restore(hash) {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const prevalence = within(said.get("prevalence"), Number.MIN_VALUE, 1 - 1e-12);
  if (prevalence !== null) state.logOdds = Math.min(Math.max(logit(prevalence), content.range[0]), content.range[1]);
  state.traffic = within(said.get("traffic"), 1, 1e15) ?? state.traffic;
  const wanted = within(said.get("recall"), 0.01, 1);
  if (wanted !== null) pick(wanted);
  const places = (said.get("thresholds") ?? "").split(",").map(Number);
  if (said.has("thresholds") && places.length === state.points.length) {
    state.recall = null;
    state.points = places.map((k, m) => Math.min(Math.max(Math.trunc(k) || 0, 0), content.models[m].points.tpr.length - 1));
  }
  state.budget = within(said.get("alerts"), Number.MIN_VALUE, 1e15) ?? state.budget;
  state.costs.missed = within(said.get("missed"), 0, 1e12) ?? state.costs.missed;
  state.costs.falseAlert = within(said.get("false"), 0, 1e12) ?? state.costs.falseAlert;
  state.costs.threshold = within(said.get("worth"), 1e-9, 1 - 1e-9) ?? state.costs.threshold;
  const hidden = (said.get("hidden") ?? "").split(",").filter(Boolean).map(Number).filter((m) => m in content.models);
  if (hidden.length && hidden.length < content.models.length) state.hidden = new Set(hidden);
  state.metric = said.get("metric") ?? state.metric;
}

let remembering = 0;
/** Not at every move: browsers refuse addresses that change too often. */
function remember() {
  clearTimeout(remembering);
  remembering = window.setTimeout(() => {
    const said = fragment();
    if (said === location.hash.slice(1)) return;
    try {
      history.replaceState(null, "", said ? `#${said}` : location.pathname + location.search);
    } catch { /* a frame without an address of its own, as in a notebook */ }
  }, 150);
}

// --- on a phone, and on paper ----------------------------------------------------------------------

const narrow = matchMedia("screen and (max-width: 34rem)");
const paper = matchMedia("print");

export function onPaper() { return paper.matches; }

/** Whether tables show one model at a time: where the columns of all would not fit. */
export function oneByOne() {
  const shown = visible();
  return narrow.matches && (shown.length > 2 || (shown.length > 1 && shown.some((m) => content.models[m].name.length > 14)));
}

/** The model that is looked at, which is one of those that are shown. */
export function chosen() { return state.hidden.has(state.model) ? visible()[0] : state.model; }

/** The places of the models that tables show. */
export function tabled() { return oneByOne() ? [chosen()] : visible(); }

/** On paper nothing can be scrolled to: a table that is too wide becomes smaller. The width is that of A4 and of letter. */
export function fitPaper() {
  for (const table of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".scroll table"))) {
    table.style.zoom = "";
    const room = Math.min(660, table.parentElement?.clientWidth || 660);
    if (onPaper() && table.scrollWidth > room) table.style.zoom = String(room / table.scrollWidth);
  }
}

/** Drawn anew where the room changes. @param {() => void} measure */
export function watchRoom(measure) {
  const again = () => { measure(); changed(); };
  for (const query of [narrow, paper]) query.addEventListener("change", again);
  let width = innerWidth;
  window.addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; again(); } });
}
