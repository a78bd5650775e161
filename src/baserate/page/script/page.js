// The page: each section begins once, and shows itself anew when something has changed.

import { inShortSteps } from "./arithmetic.js";
import { forgetWidths } from "./charts.js";
import { $, content } from "./content.js";
import { showChanges } from "./changes.js";
import { beginContents } from "./contents.js";
import { beginDay, showDay } from "./day.js";
import { beginGroups, showGroups, showMetric } from "./groups.js";
import { beginLegends, showLegends } from "./legend.js";
import { showMultiples } from "./multiples.js";
import { showOver } from "./over.js";
import { beginPrevalence, showPrevalence } from "./prevalence.js";
import { showProbabilities } from "./probabilities.js";
import { beginLooks, showQuality } from "./quality.js";
import { changed, fitPaper, foremost, oneByOne, onChange, onPaper, pick, restore, state, tabled, watchRoom } from "./state.js";
import { offerTaking } from "./taking.js";
import { leader, showVerdict } from "./verdict.js";

/** In the order of the page: what is done once, and what is done at every change. */
const sections = [
  { show: measureAgain },
  { begin: beginPrevalence, show: showPrevalence },
  { show: showVerdict },
  { show: showChanges },
  { begin: beginLegends, show: showLegends },
  { begin: beginDay, show: showDay },
  { begin: beginLooks, show: showQuality },
  { show: showOver },
  { begin: beginGroups, show: () => { showMetric(); showGroups(); } },
  { show: showMultiples },
  { show: showProbabilities },
  { show: () => { if (onPaper() || fitted) fitPaper(); fitted = onPaper(); } },
  { show: () => { $("one-model").hidden = !oneByOne(); } },
];

let fitted = false;
let shown = "";
/** With fewer models, what is beside each other may become wider. */
function measureAgain() {
  const now = [...tabled(), "", ...foremost()].join();
  if (now !== shown) forgetWidths();
  shown = now;
}

function begin() {
  for (const model of content.models) model.path = inShortSteps(model.points);
  state.model = leader(); // the one that the verdict is about
  pick(content.recall);
  restore(location.hash);
  for (const { begin: first } of sections) first?.();
  for (const { show } of sections) onChange(show);
  beginContents();
  offerTaking();
  watchRoom(forgetWidths);
  window.addEventListener("hashchange", () => { restore(location.hash); changed(); });
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
    fitPaper();
  });
  changed();
}

begin();
