// Slices and periods: a chart, and a table whose colours say how far each one is from all rows of its model.

/** @import { Cell, CellText, Group, Reading } from "./types.js" */
import { groupMetrics, logit, ofAllRows, ofCell } from "./arithmetic.js";
import { picture, widthOf } from "./charts.js";
import { $, content, names, unit } from "./content.js";
import { whenSeen } from "./seen.js";
import { changed, foremost, here, state, tabled, visible } from "./state.js";
import { sortOf, table } from "./tables.js";
import { digits, oneIn, range, sentences, shortened } from "./words.js";

// Rows that are shown at first, and by every press of the button.
const few = 12;
const more = 50;
// Intervals of more models than this hide each other in a chart.
const whiskered = 4;

/** What is chosen for each table. */
const views = content.groups.map((group) => ({
  query: "", rows: group.ordered && group.models.length <= 8 ? 2 * few : few,
  details: group.models.length <= whiskered && (group.rows.length <= few || group.ordered),
}));

/** All rows of each model, while one table is made. @type {Map<number, number>} */
const overallNow = new Map();

/** @typedef {{ value: number, low: number, high: number, overall: number, note: string }} Found */

/** @param {Cell} cell @param {number} model @param {Reading} at @returns {Found} */
function found(cell, model, at) {
  const nothing = { value: NaN, low: NaN, high: NaN, overall: NaN };
  if (cell.reason) return { ...nothing, note: cell.reason };
  const overall = overallNow.get(model) ?? ofAllRows(content.models[model], state.metric, at, content.recall);
  overallNow.set(model, overall);
  const live = ofCell(cell, state.metric, at, content.group_grid);
  if (live) return { ...live, overall, note: "" };
  if (state.metric !== "average_precision" || !cell.asked) return { ...nothing, note: sentences.notKept };
  // Kept at the prevalences asked for: the nearest of them.
  let near = 0;
  const places = content.asked.length ? content.asked : [content.prevalence];
  places.forEach((one, k) => { if (Math.abs(logit(one) - at.logOdds) < Math.abs(logit(places[near]) - at.logOdds)) near = k; });
  const [value, low, high] = cell.asked[near];
  const where = Math.abs(logit(places[near]) - at.logOdds) < 1e-6 ? "" : `at ${oneIn(places[near])}`;
  return { value, low: low ?? NaN, high: high ?? NaN, overall: where ? NaN : overall, note: where };
}

/** Whether it differs from all rows of the model, after the interval is widened for the number of cells. @param {Found} cell @param {Group} group */
function differs({ value, low, high, overall }, group) {
  const widening = group.widening ?? Infinity;
  if (!(value > 0 && low > 0 && high > 0)) return 0;
  if (overall > value * (high / value) ** widening) return -1;
  return overall < value * (low / value) ** widening ? 1 : 0;
}

/** @param {Group} group @param {number} g @param {number[]} columns @param {Reading} at */
function orderOf(group, g, columns, at) {
  const { query } = views[g];
  overallNow.clear();
  const order = group.rows.map((_, k) => k).filter((k) => group.rows[k].key.toLowerCase().includes(query.toLowerCase()));
  const by = sortOf(`group-${g}`);
  if (!by) {
    if (!group.ordered) order.sort((a, b) => (group.rows[b].differs ?? 0) - (group.rows[a].differs ?? 0) || a - b);
    return order;
  }
  const sign = by.down ? -1 : 1;
  if (!by.column) return order.sort((a, b) => sign * group.rows[a].key.localeCompare(group.rows[b].key, "en", { numeric: true }));
  const column = columns[by.column - 1] ?? columns[0];
  const value = order.length ? new Map(order.map((k) => [k, found(group.rows[k].models[column], names.indexOf(group.models[column]), at).value])) : new Map();
  return order.sort((a, b) => {
    const [x, y] = [value.get(a), value.get(b)];
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
    return (Number.isNaN(x) ? 0 : sign * (x - y)) || a - b;
  });
}

export function showGroups() {
  const at = here();
  content.groups.forEach((group, g) => whenSeen($(`group-${g}`).closest("section"), () => showGroup(group, g, at)));
}

/** @param {Group} group @param {number} g @param {Reading} at */
function showGroup(group, g, at) {
  const view = views[g];
  /** @param {number[]} shown */
  const places = (shown) => group.models.map((_, c) => c).filter((c) => shown.includes(names.indexOf(group.models[c])));
  const columns = places(tabled());
  const order = orderOf(group, g, columns, at);
  const rows = order.slice(0, view.rows);
  const drawn = group.ordered ? order.slice(0, 120) : rows.slice(0, 30);
  overallNow.clear();
  const all = new Map([...new Set([...rows, ...drawn])].map((k) => [k, group.rows[k].models.map((cell, c) => found(cell, names.indexOf(group.models[c]), at))]));
  showTable(group, g, columns, rows, all);
  const count = $(`group-count-${g}`);
  if (count) count.textContent = sentences.rowsShown(rows.length, order.length, group.rows.length);
  const button = $(`group-more-${g}`);
  if (button) button.hidden = rows.length >= order.length;
  showChart(group, g, places(foremost(group.ordered ? undefined : whiskered)), drawn, all);
}

/** @param {Group} group @param {number} g @param {number[]} columns @param {number[]} rows @param {Map<number, Found[]>} all */
function showTable(group, g, columns, rows, all) {
  const { details } = views[g];
  const cells = rows.map((k) => columns.map((c) => (all.get(k) ?? [])[c]));
  const furthest = Math.max(1e-9, ...cells.flat().map(({ value, overall }) => Math.abs(value - overall)).filter(Number.isFinite));
  const narrow = columns.length > 6 && !details;
  $(`group-${g}`).classList.toggle("narrow", narrow);
  $(`group-${g}`).classList.toggle("brief", !details);
  table($(`group-${g}`), columns.map((c) => group.models[c]), rows.map((k, r) => [
    details ? [group.rows[k].key, group.rows[k].size] : [group.rows[k].key],
    ...cells[r].map((cell, i) => cellText(group, cell, group.rows[k].models[columns[i]], group.checks[columns[i]]?.[k], { details, narrow })),
  ]), {
    first: group.name, sortable: true, again: () => showGroup(group, g, here()),
    dress: (made, r, i) => {
      const cell = cells[r][i];
      const way = Math.sign(cell.value - cell.overall);
      if (!way) return;
      made.classList.add("heat", way > 0 ? "above" : "below");
      made.style.setProperty("--heat", `${Math.round(40 * Math.min(1, Math.abs(cell.value - cell.overall) / furthest))}%`);
      made.title = `${group.models[columns[i]]}, ${group.rows[rows[r]].key}: ${interval(cell)}`;
    },
  });
}

/** Two decimals, or one digit of less than that. @param {number} value */
function inShort(value) {
  const text = Math.abs(value) < 0.01 && value ? value.toPrecision(1) : digits(value, 2);
  return text.replace(/^0\./, ".");
}

/** @param {Found} cell */
function interval({ value, low, high }) {
  return Number.isFinite(low) && Number.isFinite(high) ? `${digits(value)} (${range(low, high, 2)})` : digits(value);
}

/** @param {Group} group @param {Found} cell @param {Cell} kept @param {string | undefined} check @param {{ details: boolean, narrow: boolean }} how @returns {CellText} */
function cellText(group, cell, kept, check, { details, narrow }) {
  const value = narrow ? inShort(cell.value) : digits(cell.value, details ? 4 : 3);
  if (!Number.isFinite(cell.value)) return [value, cell.note];
  const sign = ["▼", "", "▲"][differs(cell, group) + 1];
  if (!details) return [value, [sign, cell.note].filter(Boolean).join(" ")];
  const known = content.group_grid.some((place) => Math.abs(place - state.logOdds) < 1e-9);
  const about = state.metric === "average_precision" && !known ? "≈ " : "";
  const sure = Number.isFinite(cell.low) && Number.isFinite(cell.high) ? `${about}${range(cell.low, cell.high, 2)}` : "";
  const own = state.metric === "average_precision" && kept.own !== undefined ? `own ${digits(kept.own)}` : "";
  return [value, [sure, own, check ? `p ${check}` : "", cell.note, sign && `${sign} all rows`].filter(Boolean).join("; ")];
}

/** @param {Group} group @param {number} g @param {number[]} columns @param {number[]} rows @param {Map<number, Found[]>} all */
function showChart(group, g, columns, rows, all) {
  const holder = $(`group-chart-${g}`);
  const every = Math.ceil(rows.length / Math.max(1, Math.floor(widthOf(holder) / 100)));
  const name = Object.fromEntries(groupMetrics)[state.metric];
  const caption = holder.closest("figure")?.querySelector("figcaption");
  if (caption?.firstChild) caption.firstChild.textContent = sentences.atThePrevalence(name) + sentences.bestOf(columns.length, visible().length);
  const chart = picture(`group-chart-${g}`, {
    x: {
      range: [-0.4, Math.max(rows.length, 1) - 0.6],
      ticks: rows.flatMap((k, place) => (place % every ? [] : [/** @type {[number, string]} */ ([place, shortened(group.rows[k].key, 13)])])),
    },
    y: unit, label: "", described: sentences.byGroup(name, group.name),
  });
  columns.forEach((c, i) => {
    const model = names.indexOf(group.models[c]);
    // Side by side, so that one interval does not hide another.
    const aside = (i - (columns.length - 1) / 2) * Math.min(0.1, 0.6 / columns.length);
    const cells = rows.map((k) => (all.get(k) ?? [])[c]);
    if (group.ordered) chart.line(cells.map(({ value }, place) => [place + aside, value]), model);
    cells.forEach(({ value, low, high }, place) => {
      if (columns.length <= whiskered) chart.whisker([place + aside, low, high], model);
      if (!group.ordered || rows.length * columns.length <= 300) chart.dot([place + aside, value], model, { scaled: rows.length > 40 ? 0.5 : 1 });
    });
  });
  const places = rows.map((_, place) => place);
  chart.reads((place) => {
    const row = group.rows[rows[place]];
    return row ? {
      at: place, title: `${row.key}: ${row.size}`,
      rows: columns.map((c) => {
        const cell = (all.get(rows[place]) ?? [])[c];
        return { model: names.indexOf(group.models[c]), name: group.models[c], up: cell.value, text: interval(cell) };
      }),
    } : null;
  }, { places, start: 0 });
}

export function beginGroups() {
  content.groups.forEach((group, g) => {
    const metric = $(`group-metric-${g}`);
    for (const [key, name] of groupMetrics) metric.append(Object.assign(document.createElement("option"), { value: key, textContent: name }));
    metric.addEventListener("change", () => { state.metric = metric.value; changed(); });
    const again = () => showGroup(group, g, here());
    $(`group-find-${g}`).addEventListener("input", (/** @type {Event} */ event) => {
      views[g].query = /** @type {HTMLInputElement} */ (event.target).value;
      again();
    });
    $(`group-find-${g}`).closest("label").hidden = group.rows.length <= few;
    $(`group-details-${g}`).checked = views[g].details;
    $(`group-details-${g}`).addEventListener("change", (/** @type {Event} */ event) => {
      views[g].details = /** @type {HTMLInputElement} */ (event.target).checked;
      again();
    });
    $(`group-more-${g}`).addEventListener("click", () => { views[g].rows += more; again(); });
  });
  if (!groupMetrics.some(([key]) => key === state.metric)) state.metric = "average_precision";
}

export function showMetric() {
  content.groups.forEach((_, g) => { $(`group-metric-${g}`).value = state.metric; });
}
