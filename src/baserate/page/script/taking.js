// Tables as CSV and charts as SVG or PNG, to copy or to keep.

import { csvOf } from "./tables.js";

/** @param {Blob} blob @param {string} name */
function keep(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const drawn = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];

/** A chart that looks the same outside of the page. @param {Element} svg */
export function alone(svg) {
  const twin = /** @type {Element} */ (svg.cloneNode(true));
  const [from, to] = [svg, twin].map((one) => [...one.querySelectorAll("*")]);
  from.forEach((element, k) => {
    const style = getComputedStyle(element);
    for (const name of drawn) to[k].setAttribute(name, style.getPropertyValue(name));
    to[k].removeAttribute("class");
  });
  const [, , width, height] = (svg.getAttribute("viewBox") ?? "").split(" ");
  twin.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  twin.setAttribute("width", width);
  twin.setAttribute("height", height);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  twin.prepend(ground);
  twin.querySelector(".cross")?.remove();
  return new XMLSerializer().serializeToString(twin);
}

/** @param {Element} svg @param {string} name */
function keepAsPng(svg, name) {
  const [, , width, height] = (svg.getAttribute("viewBox") ?? "").split(" ").map(Number);
  const image = new Image();
  image.onload = () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
    canvas.getContext("2d")?.drawImage(image, 0, 0, 2 * width, 2 * height);
    canvas.toBlob((blob) => { if (blob) keep(blob, `${name}.png`); });
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(alone(svg))}`;
}

/** @param {Element} holder @param {string} text @param {string} label @param {(button: HTMLButtonElement) => void} act */
function button(holder, text, label, act) {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, ariaLabel: label });
  made.addEventListener("click", () => act(made));
  holder.append(made);
}

/** @param {HTMLButtonElement} pressed @param {string} text */
function copy(pressed, text) {
  /** @param {string} said */
  const say = (said) => {
    const before = "Copy";
    pressed.textContent = said;
    setTimeout(() => { pressed.textContent = before; }, 1500);
  };
  // Opened as a file or in a frame, a page may not be allowed to use the clipboard; then the old way.
  const old = () => {
    const box = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    pressed.focus();
    say(done ? "Copied" : "Not allowed");
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => say("Copied"), old);
  else old();
}

/** What the buttons of a table or a chart are about. @param {Element} element */
function subject(element) {
  const named = element.closest("figure")?.querySelector("figcaption")?.firstChild?.textContent
    ?? document.getElementById(element.getAttribute("aria-labelledby") ?? "")?.textContent ?? element.id;
  return named.trim();
}

/** Buttons beside every table and every chart that has none yet. @param {ParentNode} [within] */
export function offerTaking(within = document) {
  for (const scroll of within.querySelectorAll(".scroll")) {
    const table = scroll.querySelector("table");
    if (!table || scroll.nextElementSibling?.classList.contains("take")) continue;
    const holder = Object.assign(document.createElement("div"), { className: "take" });
    scroll.after(holder);
    button(holder, "Copy", `Copy the table as CSV: ${subject(table)}`, (pressed) => copy(pressed, csvOf(table)));
    button(holder, "CSV", `Save the table as CSV: ${subject(table)}`, () => keep(new Blob([csvOf(table)], { type: "text/csv" }), `${table.id}.csv`));
  }
  for (const chart of within.querySelectorAll(".chart")) {
    if (chart.nextElementSibling?.classList.contains("take")) continue;
    const holder = Object.assign(document.createElement("div"), { className: "take" });
    chart.after(holder);
    const svg = () => /** @type {Element} */ (chart.querySelector("svg"));
    button(holder, "SVG", `Save the chart as SVG: ${subject(chart)}`, () => keep(new Blob([alone(svg())], { type: "image/svg+xml" }), `${chart.id}.svg`));
    button(holder, "PNG", `Save the chart as PNG: ${subject(chart)}`, () => keepAsPng(svg(), chart.id));
  }
}
