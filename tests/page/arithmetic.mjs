// Prints what the page makes of its content: every metric of its menus at some prevalences.

import { readFileSync } from "node:fs";
import { areas, groupMetrics, logit, ofAllRows, ofCell, pointMetrics, prevalenceFrom, reaches, readBins, reading, calibrationError, debiasedError, mixed } from "../../src/baserate/page/script/arithmetic.js";

const { content, prevalences, costs, texts } = JSON.parse(readFileSync(0, "utf8"));
const found = prevalences.map((prevalence) => {
  const at = reading(logit(prevalence), content.nodes);
  return {
    models: content.models.map((model) => {
      const k = reaches(model.points.tpr, content.recall);
      const bins = model.calibration && readBins(model.calibration, at.x);
      return {
        ...Object.fromEntries(areas.map(({ name, of }) => [name, of(model, at)])),
        ...Object.fromEntries(pointMetrics.map(({ name, of }) => [name, of(model.points.tpr[k], model.points.fpr[k], at.x, costs)])),
        ...(bins ? { ECE: calibrationError(bins), "Debiased ECE": debiasedError(bins), "Brier score": mixed(model.calibration.brier_score, prevalence) } : {}),
        menu: Object.fromEntries(groupMetrics.map(([key]) => [key, ofAllRows(model, key, at, content.recall)])),
      };
    }),
    cells: content.groups.map((group) => group.rows.map((row) => row.models.map((cell) =>
      Object.fromEntries(groupMetrics.map(([key]) => [key, ofCell(cell, key, at, content.group_grid)]))))),
  };
});
process.stdout.write(JSON.stringify({ found, read: texts.map(prevalenceFrom) }));
