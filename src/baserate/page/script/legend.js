// The legends: which line is which model, and which models are shown.

import { colour, draw, marker, stroke } from "./charts.js";
import { names } from "./content.js";
import { changed, foremost, state, visible } from "./state.js";
import { isolated, sentences } from "./words.js";

/** @param {number} m */
function hideOrShow(m) {
  if (state.hidden.has(m)) state.hidden.delete(m);
  else if (visible().length > 1) state.hidden.add(m);
  changed();
}

/** That model alone, or all of them again. @param {number} m */
function singleOut(m) {
  const alone = visible().length === 1 && !state.hidden.has(m);
  state.hidden = new Set(alone ? [] : names.map((_, other) => other).filter((other) => other !== m));
  if (!alone) state.model = m;
  changed();
}

/** @param {Element} holder */
function fill(holder) {
  names.forEach((name, m) => {
    const entry = Object.assign(document.createElement("span"), { className: "entry" });
    const toggle = Object.assign(document.createElement("button"), { type: "button", className: "toggle" });
    const sign = draw("svg", { viewBox: "0 0 44 12", "aria-hidden": "true" }, toggle);
    draw("line", { x1: 0, x2: 44, y1: 6, y2: 6, "stroke-width": 2, ...stroke(m) }, sign);
    draw("path", { d: marker(m), fill: colour(m), transform: "translate(22,6)" }, sign);
    toggle.append(isolated(name));
    entry.append(toggle);
    holder.append(entry);
    if (names.length < 2) { toggle.disabled = true; return; }
    toggle.addEventListener("click", () => hideOrShow(m));
    toggle.addEventListener("dblclick", () => singleOut(m));
    const only = Object.assign(document.createElement("button"), { type: "button", className: "only", textContent: sentences.only });
    only.ariaLabel = sentences.onlyThis(name);
    only.addEventListener("click", () => singleOut(m));
    entry.append(only);
  });
}

export function beginLegends() {
  for (const holder of document.querySelectorAll(".legend")) {
    fill(holder);
    if (names.length <= foremost().length) continue;
    holder.classList.add("many");
    holder.before(Object.assign(document.createElement("p"), { className: "hint drawn" }));
  }
}

export function showLegends() {
  for (const holder of document.querySelectorAll(".legend")) {
    const drawn = foremost();
    const said = holder.previousElementSibling;
    if (said?.classList.contains("drawn")) said.textContent = drawn.length < visible().length ? sentences.drawn(drawn.length, visible().length) : "";
    [...holder.children].forEach((entry, m) => {
      entry.classList.toggle("in-background", !drawn.includes(m) && !state.hidden.has(m));
      entry.classList.toggle("hidden-model", state.hidden.has(m));
      entry.querySelector(".toggle")?.setAttribute("aria-pressed", String(!state.hidden.has(m)));
    });
  }
}
