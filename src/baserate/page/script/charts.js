// How charts are drawn, and how a crosshair reads them by mouse, touch and keyboard; nothing here knows what they are about.

/** @import { Axis, Spot } from "./types.js" */
import { $ } from "./content.js";

// No two of thirty models share colour and dashes, or colour and marker.
const dashes = ["", "7 3", "2 3", "10 3 2 3", "4 4", "1 2"];
const markers = [
  "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0", "M-4,-4h8v8h-8z", "M0,-5.5L5.5,0L0,5.5L-5.5,0z", "M0,-5L5,4H-5z", "M0,5L5,-4H-5z",
];
const size = { left: 46, right: 12, top: 10, bottom: 40, unnamed: 22 };

/** @param {number} m */
export const colour = (m) => `var(--model-${m % 6})`;
/** @param {number} m */
export const marker = (m) => markers[m % 5];
/** @param {number} m */
export const stroke = (m) => ({ stroke: colour(m), "stroke-dasharray": dashes[(m + Math.floor(m / 6)) % 6] });

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {Element} parent
 * @param {string} [text]
 */
export function draw(tag, attributes, parent, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

/** @param {[number, number]} range @param {[number, number]} onto */
function scale([low, high], [from, to]) { return (/** @type {number} */ value) => from + ((value - low) / (high - low)) * (to - from); }
/** @param {number} value @param {[number, number]} range */
function inside(value, [low, high]) { return Math.min(Math.max(value, low), high); }

/** @typedef {[number, number]} Place */

/** Runs of points that follow each other and are all known. @param {Place[]} points */
function stretches(points) {
  /** @type {Place[][]} */
  const found = [[]];
  for (const point of points) {
    if (Number.isFinite(point[0]) && Number.isFinite(point[1])) found[found.length - 1].push(point);
    else if (found[found.length - 1].length) found.push([]);
  }
  return found.filter((stretch) => stretch.length > 1);
}

/** Widths of charts: measuring one after another is drawn would have the browser lay out the page each time. @type {Map<Element, number>} */
const widths = new Map();
/** @param {HTMLElement} holder */
export function widthOf(holder) {
  const width = widths.get(holder) ?? holder.clientWidth;
  if (width) widths.set(holder, width);
  return Math.max(width, 260);
}
/** Measured anew: the room has changed. */
export function forgetWidths() { widths.clear(); }

/** Ticks from 0 at round numbers. @param {number} most @param {(value: number) => string} [text] @returns {[number, string][]} */
export function upTo(most, text = String) {
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2].map((one) => one * power).find((one) => most / one <= 5) ?? power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, k) => [k * step, text(Number((k * step).toPrecision(6)))]);
}

/** Lines, and names where there is room beside the name before. @param {Element} svg @param {[number, string][]} ticks @param {{ width: number, floor: number }} room */
function ticksAlong(svg, ticks, { width, floor }) {
  let free = 0;
  for (const [x, name] of ticks) {
    draw("line", { class: "grid", x1: x, x2: x, y1: floor, y2: size.top }, svg);
    const half = 3.5 * name.length;
    const middle = Math.min(Math.max(x, half), width - half);
    if (middle - half < free) continue;
    free = middle + half + 2;
    draw("text", { x: middle, y: floor + 16, "text-anchor": "middle" }, svg, name);
  }
}

/**
 * An empty chart with its axes, and what can be drawn into it.
 * @param {string} id
 * @param {{ x: Axis, y: Axis, label: string, described: string, height?: number }} looks
 */
export function picture(id, { x, y, label, described, height = 300 }) {
  const holder = $(id);
  holder.querySelector("svg")?.remove();
  const width = widthOf(holder);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": described }, holder);
  holder.prepend(svg);
  const across = scale(x.range, [size.left, width - size.right]);
  const floor = height - (label ? size.bottom : size.unnamed);
  const up = scale(y.range, [floor, size.top]);
  ticksAlong(svg, x.ticks.map(([place, name]) => [across(place), name]), { width, floor });
  for (const [place, name] of y.ticks) {
    draw("line", { class: "grid", x1: across(x.range[0]), x2: across(x.range[1]), y1: up(place), y2: up(place) }, svg);
    draw("text", { x: size.left - 6, y: up(place) + 4, "text-anchor": "end" }, svg, name);
  }
  if (label) draw("text", { x: (size.left + width - size.right) / 2, y: height - 6, "text-anchor": "middle" }, svg, label);
  /** @param {Place[]} points */
  const place = (points) => points.filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b))
    .map(([a, b]) => `${across(inside(a, x.range)).toFixed(1)},${up(inside(b, y.range)).toFixed(1)}`).join(" ");
  return {
    /** It breaks where a value does not exist. @param {Place[]} points @param {number} model */
    line: (points, model) => stretches(points).forEach(
      (stretch) => draw("polyline", { class: "line", points: place(stretch), ...stroke(model) }, svg),
    ),
    /** A line among others in the background. @param {Place[]} points */
    faint: (points) => stretches(points).forEach((stretch) => draw("polyline", { class: "faint", points: place(stretch) }, svg)),
    /** @param {Place[]} low @param {Place[]} high @param {number} model */
    band: (low, high, model) => draw(
      "polygon", { class: "band", points: place([...low, ...high.slice().reverse()]), fill: colour(model) }, svg,
    ),
    /** @param {Place[]} points */
    area: (points) => draw("polygon", { class: "floor", points: place(points) }, svg),
    /** @param {Place[]} points */
    chance: (points) => draw("polyline", { class: "chance", points: place(points) }, svg),
    /** @param {number} value @param {string} kind */
    upright: (value, kind) => draw(
      "line", { class: kind, x1: across(value), x2: across(value), y1: up(y.range[0]), y2: up(y.range[1]) }, svg,
    ),
    /** Without a model it has the colour of the text. @param {[number, number, number]} ends @param {number | null} model */
    whisker: ([a, low, high], model) => Number.isFinite(low) && draw("path", {
      class: "whisker", d: `M${across(a)},${up(inside(low, y.range))}V${up(inside(high, y.range))}`,
      stroke: model === null ? "var(--soft)" : colour(model),
    }, svg),
    /** From 0 up or down to a value. @param {[number, number]} sides @param {number} value @param {string} kind */
    column: ([from, to], value, kind) => {
      const [zero, end] = [up(0), up(inside(value, y.range))];
      draw("rect", {
        class: kind, x: across(from) + 1, width: Math.max(across(to) - across(from) - 2, 1), y: Math.min(zero, end), height: Math.abs(zero - end),
      }, svg);
    },
    /** @param {[number, number]} sides @param {number} b @param {number} model @param {string} [kind] */
    bar: ([from, to], b, model, kind = "bar") => draw("rect", {
      class: kind, x: across(from) + 1, width: Math.max(across(to) - across(from) - 2, 1), fill: colour(model),
      y: up(inside(b, y.range)), height: up(y.range[0]) - up(inside(b, y.range)),
    }, svg),
    /** @param {Place} at @param {number} model @param {{ scaled?: number, hollow?: boolean }} [looks] */
    dot: ([a, b], model, { scaled = 1, hollow = false } = {}) => Number.isFinite(b) && draw("path", {
      d: marker(model), class: hollow ? "hollow" : "", fill: colour(model), stroke: colour(model),
      transform: `translate(${across(inside(a, x.range))},${up(inside(b, y.range))}) scale(${scaled})`,
    }, svg),
    /**
     * A crosshair that says what is at a place.
     * @param {(place: number) => Spot | null} spot
     * @param {{ start?: number, places?: number[] }} [where] where it begins; the only places there are
     */
    reads: (spot, { start = (x.range[0] + x.range[1]) / 2, places } = {}) => readable(holder, described, {
      spot, start, places, range: x.range, svg, across, up: (value) => up(inside(value, y.range)), width, floor,
    }),
  };
}

// --- the crosshair ---------------------------------------------------------------------------------

/**
 * @typedef {{
 *   spot: (place: number) => Spot | null, start: number, places?: number[], range: [number, number], svg: Element,
 *   across: (value: number) => number, up: (value: number) => number, width: number, floor: number,
 * }} Readable
 */

/** What each chart can be read by now; it changes as charts are drawn anew. @type {WeakMap<Element, Readable>} */
const readables = new WeakMap();
/** Where the crosshair of each chart stands. @type {WeakMap<Element, number>} */
const standing = new WeakMap();

/** @param {HTMLElement} holder @param {string} described @param {Readable} now */
function readable(holder, described, now) {
  const known = readables.has(holder);
  readables.set(holder, now);
  if (!known) {
    const tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
    tip.setAttribute("role", "status");
    holder.append(tip);
    holder.tabIndex = 0;
    holder.setAttribute("role", "group");
    listen(holder);
  }
  holder.setAttribute("aria-label", `${described}. Arrow keys read values.`);
  const place = standing.get(holder);
  if (place !== undefined) show(holder, place);
}

/** @param {HTMLElement} holder */
function listen(holder) {
  /** @param {PointerEvent} event */
  const follow = (event) => {
    const { svg, range, across, width } = /** @type {Readable} */ (readables.get(holder));
    const box = svg.getBoundingClientRect();
    const along = ((event.clientX - box.left) / box.width) * width;
    const [from, to] = range.map(across);
    show(holder, range[0] + (inside((along - from) / (to - from), [0, 1])) * (range[1] - range[0]));
  };
  holder.addEventListener("pointermove", follow);
  holder.addEventListener("pointerdown", follow);
  holder.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(holder); });
  holder.addEventListener("focus", () => {
    const { start } = /** @type {Readable} */ (readables.get(holder));
    if (standing.get(holder) === undefined && holder.matches(":focus-visible")) show(holder, start);
  });
  holder.addEventListener("blur", () => hide(holder));
  holder.addEventListener("keydown", (event) => move(holder, event));
}

/** @param {HTMLElement} holder @param {KeyboardEvent} event */
function move(holder, event) {
  if (event.key === "Escape") { hide(holder); return; }
  const { range, start, places } = /** @type {Readable} */ (readables.get(holder));
  const place = standing.get(holder) ?? start;
  const step = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  if (places) {
    const k = inside(nearest(places, place) + step, [0, places.length - 1]);
    show(holder, places[k]);
  } else show(holder, inside(place + step * (range[1] - range[0]) / 100, range));
}

/** @param {number[]} places @param {number} place */
function nearest(places, place) {
  let best = 0;
  places.forEach((one, k) => { if (Math.abs(one - place) < Math.abs(places[best] - place)) best = k; });
  return best;
}

/** @param {HTMLElement} holder @param {number} wanted */
function show(holder, wanted) {
  const { svg, spot, places, across, up, width, floor } = /** @type {Readable} */ (readables.get(holder));
  const found = spot(places?.length ? places[nearest(places, wanted)] : wanted);
  if (!found) { hide(holder); return; }
  standing.set(holder, found.at);
  svg.querySelector(".cross")?.remove();
  const cross = draw("g", { class: "cross" }, svg);
  draw("line", { x1: across(found.at), x2: across(found.at), y1: size.top, y2: floor }, cross);
  for (const { model, up: value } of found.rows) {
    if (Number.isFinite(value)) draw("circle", { cx: across(found.at), cy: up(value), r: 4, stroke: colour(Math.max(model, 0)) }, cross);
  }
  const tip = /** @type {HTMLElement} */ (holder.querySelector(".tip"));
  tip.replaceChildren(Object.assign(document.createElement("b"), { textContent: found.title }));
  for (const { model, name, text } of found.rows) {
    const line = document.createElement("div");
    const sign = draw("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true" }, line);
    if (model >= 0) draw("path", { d: marker(model), fill: colour(model) }, sign); else sign.remove();
    line.append(Object.assign(document.createElement("bdi"), { textContent: name }), ` ${text}`);
    tip.append(line);
  }
  tip.hidden = false;
  // On the side with more room, in units of the holder.
  const place = (across(found.at) / width) * holder.clientWidth;
  const left = place < holder.clientWidth / 2 ? place + 12 : place - tip.offsetWidth - 12;
  tip.style.left = `${Math.max(0, Math.min(left, holder.clientWidth - tip.offsetWidth))}px`;
}

/** @param {HTMLElement} holder */
function hide(holder) {
  standing.delete(holder);
  holder.querySelector(".cross")?.remove();
  const tip = /** @type {HTMLElement | null} */ (holder.querySelector(".tip"));
  if (tip) tip.hidden = true;
}
