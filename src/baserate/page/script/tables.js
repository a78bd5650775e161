// How tables are made, sorted and filtered; nothing here knows what they are about.

/** @import { CellText } from "./types.js" */
import { $ } from "./content.js";
import { shortened } from "./words.js";

/** By which column a table is sorted. @type {Map<string, { column: number, down: boolean }>} */
const sorted = new Map();

/** @param {string} id */
export function sortOf(id) { return sorted.get(id); }

/**
 * @param {HTMLTableRowElement} row
 * @param {CellText} content
 * @param {string} [tag]
 * @param {Record<string, string>} [attributes]
 */
export function cell(row, content, tag = "td", attributes = {}) {
  const [main, small] = [content].flat();
  const made = Object.assign(document.createElement(tag), attributes, { textContent: main });
  if (small) {
    const print = document.createElement("small");
    // Lines break between its parts, and not within them.
    small.split(/(?<=; )/).forEach((part) => print.append(Object.assign(document.createElement("span"), { textContent: part })));
    made.append(print);
  }
  row.append(made);
  return made;
}

/**
 * The first column names the rows.
 * @param {HTMLTableElement} element
 * @param {string[]} head
 * @param {[CellText, ...CellText[]][]} rows
 * @param {{ first?: string, sortable?: boolean, again?: () => void, dress?: (made: HTMLElement, row: number, column: number) => void }} [how]
 */
export function table(element, head, rows, { first = "", sortable = false, again, dress } = {}) {
  element.replaceChildren();
  element.style.setProperty("--columns", String(head.length));
  element.dataset.columns = head.length > 3 ? "many" : "few";
  const top = element.createTHead().insertRow();
  const by = sortable ? sorted.get(element.id) : undefined;
  const headings = [first, ...head];
  headings.forEach((name, column) => {
    if (!name && !sortable) { cell(top, ""); return; }
    const short = shortened(name);
    const made = cell(top, sortable ? "" : short, "th", { scope: "col", ...(short === name ? {} : { title: name, ariaLabel: name }) });
    if (!sortable) return;
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: short || "Name", className: "sort" });
    button.addEventListener("click", () => sortBy(element, column, again ?? (() => table(element, head, rows, { first, sortable, dress }))));
    made.append(button);
    made.setAttribute("aria-sort", by?.column === column ? (by.down ? "descending" : "ascending") : "none");
  });
  const body = element.createTBody();
  // Who can make the rows again has sorted them.
  for (const k of inOrder(rows, again ? undefined : by)) {
    const [name, ...values] = rows[k];
    const row = body.insertRow();
    const [main] = [name].flat();
    const short = shortened(main, 36);
    const label = cell(row, short === main ? name : [short, ...[name].flat().slice(1)], "th", { scope: "row" });
    if (short !== main) { label.title = main; label.ariaLabel = main; }
    values.forEach((value, column) => {
      const made = cell(row, value);
      dress?.(made, k, column);
    });
  }
}

/** A number that was written for people; NaN for other text. @param {string} text */
export function plainNumber(text) {
  const found = text.replace("∞", "Infinity").replace("−", "-").match(/^(-?(?:[\d,]*\.?\d+(?:e[-+]?\d+)?|Infinity))( %)?$/);
  return found ? Number(found[1].replace(/,/g, "")) : NaN;
}

/** @param {[CellText, ...CellText[]][]} rows @param {{ column: number, down: boolean } | undefined} by */
function inOrder(rows, by) {
  const order = rows.map((_, k) => k);
  if (!by) return order;
  /** @param {number} k */
  const text = (k) => [rows[k][by.column] ?? ""].flat()[0];
  const sign = by.down ? -1 : 1;
  return order.sort((a, b) => {
    const [x, y] = [plainNumber(text(a)), plainNumber(text(b))];
    // What has no value comes last, whichever way it is sorted.
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
    return sign * (Number.isNaN(x) ? text(a).localeCompare(text(b), "en", { numeric: true }) : x - y) || a - b;
  });
}

/** First from the highest, then from the lowest, then as it was. @param {HTMLTableElement} element @param {number} column @param {() => void} again */
function sortBy(element, column, again) {
  const by = sorted.get(element.id);
  if (by?.column !== column) sorted.set(element.id, { column, down: column > 0 });
  else if (by.down === column > 0) sorted.set(element.id, { column, down: !by.down });
  else sorted.delete(element.id);
  again();
  /** @type {HTMLElement | undefined} */ ([...element.querySelectorAll("th button")][column])?.focus();
}

/**
 * A table of models: they are its columns, or its rows where they are many.
 * @param {string} id
 * @param {string[]} models
 * @param {[CellText, ...CellText[]][]} rows
 */
export function modelTable(id, models, rows) {
  const element = $(id);
  const turned = models.length > 5;
  element.dataset.turned = String(turned);
  if (!turned) { table(element, models, rows); return; }
  const head = rows.map(([name]) => [name].flat()[0]);
  /** @type {[CellText, ...CellText[]][]} */
  const columns = models.map((name, m) => [name, ...rows.map((row) => row[m + 1])]);
  table(element, head, columns, { first: "Model", sortable: true });
}

/** A table as it is shown, with the small print in columns of its own. @param {HTMLTableElement} element */
export function csvOf(element) {
  const rows = [...element.rows].map((row) => [...row.cells].map((one) => {
    const small = one.querySelector("small")?.textContent ?? "";
    const whole = one.textContent ?? "";
    const shown = small ? whole.slice(0, whole.length - small.length) : whole;
    return [one.ariaLabel ?? shown, small];
  }));
  const noted = rows[0]?.map((_, k) => rows.some((row) => row[k]?.[1])) ?? [];
  // A program for tables would take text that begins so for a formula.
  /** @param {string} text */
  const safe = (text) => (/^[=+@-]/.test(text) && Number.isNaN(plainNumber(text)) ? `'${text}` : text);
  /** @param {string} text */
  const quoted = (text) => (/[",\n\r]/.test(text) ? `"${safe(text).replace(/"/g, '""')}"` : safe(text));
  const lines = rows.map((row, r) => row.flatMap(([main, small], k) => {
    const value = plainNumber(main);
    const shown = Number.isFinite(value) && k && r ? main.replace(/,/g, "") : main;
    const note = r ? small : `${main} (note)`.trim();
    return (noted[k] ? [shown, note] : [shown]).map(quoted);
  }).join(","));
  return lines.map((line) => `${line}\r\n`).join("");
}
