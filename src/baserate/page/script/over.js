// Average precision over the prevalence: which model leads where.

import { area, between, logit, reading, share } from "./arithmetic.js";
import { picture } from "./charts.js";
import { $, about, content, names, prevalences, unit } from "./content.js";
import { whenSeen } from "./seen.js";
import { foremost, others, state } from "./state.js";
import { digits, range, sentences } from "./words.js";

const readings = prevalences.places.map((place) => reading(place, content.nodes));
const readingsOfGrid = content.grid.map((place) => reading(place, content.nodes));

export function showOver() { whenSeen($("over"), drawOver); }

function drawOver() {
  const { places } = prevalences;
  const chart = picture("over", { x: prevalences, y: unit, label: "prevalence", described: sentences.overPrevalence("Average precision") });
  chart.chance(places.map((place) => [place, share(place)]));
  /** @param {number} m @returns {[number, number][]} */
  const line = (m) => places.map((place, k) => [place, area(content.models[m].average_precision, readings[k])]);
  for (const m of others()) chart.faint(line(m));
  for (const m of foremost()) {
    const { average_precision: logs, bands: { average_precision: band } } = content.models[m];
    /** @param {(number | null)[]} multiples @returns {[number, number][]} */
    const end = (multiples) => content.grid.map((place, k) => [place, area(logs, readingsOfGrid[k]) * (multiples[k] ?? NaN)]);
    chart.band(end(band.low), end(band.high), m);
    chart.line(line(m), m);
    chart.dot([state.logOdds, area(logs, reading(state.logOdds, content.nodes))], m);
  }
  content.crossings.forEach((crossing) => chart.upright(logit(crossing), "swap"));
  chart.upright(state.logOdds, "now");
  chart.reads((place) => {
    const at = reading(place, content.nodes);
    return {
      at: place, title: prevalences.read(place),
      rows: foremost().map((m) => {
        const { average_precision: logs, bands: { average_precision: { low, high } } } = content.models[m];
        const value = area(logs, at);
        const [from, to] = [low, high].map((one) => Math.min(1, value * between(one, place, content.grid)));
        return { model: m, name: names[m], up: value, text: `${digits(value, 3)} (${about(place)}${range(from, to)})` };
      }),
    };
  }, { start: state.logOdds });
}
