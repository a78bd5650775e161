// Average precision over the prevalence: which model leads where.

import { area, between, logit, reading, share } from "./arithmetic.js";
import { picture } from "./charts.js";
import { $, content, names, prevalences, unit } from "./content.js";
import { whenSeen } from "./seen.js";
import { state, visible } from "./state.js";
import { digits, range, sentences } from "./words.js";

const readings = prevalences.places.map((place) => reading(place, content.nodes));
const readingsOfGrid = content.grid.map((place) => reading(place, content.nodes));

export function showOver() { whenSeen($("over"), drawOver); }

function drawOver() {
  const { places } = prevalences;
  const chart = picture("over", { x: prevalences, y: unit, label: "prevalence", described: sentences.overPrevalence("Average precision") });
  chart.chance(places.map((place) => [place, share(place)]));
  for (const m of visible()) {
    const { average_precision: logs, bands: { average_precision: band } } = content.models[m];
    /** @param {(number | null)[]} multiples @returns {[number, number][]} */
    const end = (multiples) => content.grid.map((place, k) => [place, area(logs, readingsOfGrid[k]) * (multiples[k] ?? NaN)]);
    chart.band(end(band.low), end(band.high), m);
    chart.line(places.map((place, k) => [place, area(logs, readings[k])]), m);
    chart.dot([state.logOdds, area(logs, reading(state.logOdds, content.nodes))], m);
  }
  content.crossings.forEach((crossing) => chart.upright(logit(crossing), "swap"));
  chart.upright(state.logOdds, "now");
  chart.reads((place) => {
    const at = reading(place, content.nodes);
    return {
      at: place, title: prevalences.read(place),
      rows: visible().map((m) => {
        const { average_precision: logs, bands: { average_precision: { low, high } } } = content.models[m];
        const value = area(logs, at);
        const [from, to] = [low, high].map((one) => Math.min(1, value * between(one, place, content.grid)));
        return { model: m, name: names[m], up: value, text: `${digits(value, 3)} (≈ ${range(from, to)})` };
      }),
    };
  }, { start: state.logOdds });
}
