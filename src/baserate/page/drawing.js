"use strict";
// How numbers are said, and how tables and pictures are made; nothing here knows what they are about.

const $ = (id) => document.getElementById(id);
// No two of thirty models share colour and dashes, or colour and marker.
const dashes = ["", "7 3", "2 3", "10 3 2 3", "4 4", "1 2"];
const markers = [
  "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0", "M-4,-4h8v8h-8z", "M0,-5.5L5.5,0L0,5.5L-5.5,0z", "M0,-5L5,4H-5z", "M0,5L5,-4H-5z",
];
const colour = (m) => `var(--model-${m % 6})`;
const stroke = (m) => ({ stroke: colour(m), "stroke-dasharray": dashes[(m + Math.floor(m / 6)) % 6] });

// --- words -----------------------------------------------------------------------------------------

function digits(value, count = 4) {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) < 1e-12) return (0).toFixed(count);
  return Math.abs(value) < 0.01 ? value.toPrecision(3) : value.toFixed(count);
}
// Two digits, as a sentence has them.
function short(value) { return value >= 0.1 ? value.toFixed(2) : String(Number(value.toPrecision(2))); }
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


// --- tables ----------------------------------------------------------------------------------------

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

const size = { left: 46, right: 12, top: 10, bottom: 40 };

function draw(tag, attributes, parent, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function scale([low, high], [from, to]) { return (value) => from + ((value - low) / (high - low)) * (to - from); }

// Runs of points that follow each other and are all known.
function stretches(points, known) {
  const found = [[]];
  for (const point of points) {
    if (known(point)) found[found.length - 1].push(point);
    else if (found[found.length - 1].length) found.push([]);
  }
  return found.filter((stretch) => stretch.length > 1);
}

function picture(id, { x, y, label, described, height = 300 }) {
  const holder = $(id);
  holder.replaceChildren();
  const width = Math.max(holder.clientWidth, 260);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": described }, holder);
  const across = scale(x.range, [size.left, width - size.right]);
  const up = scale(y.range, [height - size.bottom, size.top]);
  for (const [place, name] of x.ticks) {
    draw("line", { class: "grid", x1: across(place), x2: across(place), y1: up(y.range[0]), y2: up(y.range[1]) }, svg);
    const inside = Math.min(Math.max(across(place), 3.5 * name.length), width - 3.5 * name.length);
    draw("text", { x: inside, y: height - size.bottom + 16, "text-anchor": "middle" }, svg, name);
  }
  for (const [place, name] of y.ticks) {
    draw("line", { class: "grid", x1: across(x.range[0]), x2: across(x.range[1]), y1: up(place), y2: up(place) }, svg);
    draw("text", { x: size.left - 6, y: up(place) + 4, "text-anchor": "end" }, svg, name);
  }
  draw("text", { x: (size.left + width - size.right) / 2, y: height - 6, "text-anchor": "middle" }, svg, label);
  const inside = (value, [low, high]) => Math.min(Math.max(value, low), high);
  const known = ([a, b]) => Number.isFinite(a) && Number.isFinite(b);
  const place = (points) => points.filter(known)
    .map(([a, b]) => `${across(inside(a, x.range)).toFixed(1)},${up(inside(b, y.range)).toFixed(1)}`).join(" ");
  return {
    // It breaks where a value does not exist.
    line: (points, model) => stretches(points, known).forEach(
      (stretch) => draw("polyline", { class: "line", points: place(stretch), ...stroke(model) }, svg),
    ),
    band: (low, high, model) => draw(
      "polygon", { class: "band", points: place([...low, ...high.slice().reverse()]), fill: colour(model) }, svg,
    ),
    area: (points) => draw("polygon", { class: "floor", points: place(points) }, svg),
    chance: (points) => draw("polyline", { class: "chance", points: place(points) }, svg),
    upright: (value, kind) => draw(
      "line", { class: kind, x1: across(value), x2: across(value), y1: up(y.range[0]), y2: up(y.range[1]) }, svg,
    ),
    whisker: ([a, low, high], model) => Number.isFinite(low) && draw("path", {
      class: "whisker", d: `M${across(a)},${up(inside(low, y.range))}V${up(inside(high, y.range))}`, stroke: colour(model),
    }, svg),
    bar: ([from, to], b, model) => draw("rect", {
      class: "bar", x: across(from) + 1, width: Math.max(across(to) - across(from) - 2, 1), fill: colour(model),
      y: up(inside(b, y.range)), height: up(y.range[0]) - up(inside(b, y.range)),
    }, svg),
    dot: ([a, b], model, { scaled = 1, hollow = false } = {}) => Number.isFinite(b) && draw("path", {
      d: markers[model % 5], class: hollow ? "hollow" : "", fill: colour(model), stroke: colour(model),
      transform: `translate(${across(inside(a, x.range))},${up(inside(b, y.range))}) scale(${scaled})`,
    }, svg),
  };
}

const unit = { range: [0, 1], ticks: [[0, "0"], [0.25, ".25"], [0.5, ".5"], [0.75, ".75"], [1, "1"]] };
