"""The numbers that the page shows, to their last digit, in browsers that write numbers in different ways."""

import numpy as np
import pytest

import baserate as br
from helpers.browsing import near, settled

pytestmark = pytest.mark.browser

AREAS = {
    "Average precision": br.average_precision,
    "AUC-PR": br.auc_pr,
    "Normalized AUC-PR": br.normalized_auc_pr,
    "AUC-PRG": br.auc_prg,
    "Best F1": br.best_f1,
    "AUC-ROC": br.roc_auc,
}
POINTS = {
    "Precision": br.precision,
    "Recall": br.recall,
    "F1": br.f1,
    "NPV": br.npv,
    "Specificity": br.specificity,
    "LR+": br.lr_positive,
    "LR−": br.lr_negative,
    "Lift": br.lift,
}
MENU = {name: AREAS[name] for name in AREAS if name != "AUC-PRG"} | {
    name: POINTS[name] for name in ("Precision", "Recall", "F1", "NPV", "Specificity")
}

# Everything at once, so that fifty positions take seconds.
_READ = """(places) => {
    const texts = (id) => Object.fromEntries([...document.querySelectorAll(`#${id} tbody tr`)].map((row) =>
        [row.cells[0].firstChild.textContent, [...row.cells].slice(1).map((cell) => cell.firstChild.textContent)]));
    const move = (element, value, event) => { element.value = value; element.dispatchEvent(new Event(event)); };
    const menu = document.getElementById("group-metric-0");
    return places.map((place) => {
        move(slider, place, "input");
        const found = { place: Number(slider.value), headline: texts("headline"), points: texts("points"), groups: {} };
        for (const { value, textContent } of menu.options) {
            move(menu, value, "change");
            found.groups[textContent] = texts("group-0");
        }
        return found;
    });
}"""


@pytest.mark.parametrize(("locale", "seed"), [("en-US", 1), ("de-DE", 2), ("ar-EG", 3)])
def test_numbers_are_the_library_s_at_fifty_positions_of_the_slider(browser, path, models, locale, seed):
    context = browser.new_context(offline=True, locale=locale, viewport={"width": 1100, "height": 900})
    tab = context.new_page()
    tab.goto(path.as_uri())
    tab.locator("#group-0").scroll_into_view_if_needed()
    tab.wait_for_timeout(200)
    positions = np.random.default_rng(seed).uniform(np.log(1e-6), np.log(9), 50).tolist()
    data = br.examples.payments()
    months = {
        month: br.Curve.from_scores(data["fraud"][here], data["old_model"][here])
        for month in np.unique(data["month"]).tolist()
        if (here := data["month"] == month).any()
    }
    thresholds = [curve.at_recall(0.5).threshold for curve in models.values()]
    seen = settled(tab).evaluate(_READ, positions)
    assert len(seen) == 50
    for found in seen:
        prevalence = 1 / (1 + np.exp(-found["place"]))
        for k, curve in enumerate(models.values()):
            for name, metric in AREAS.items():
                text = found["headline"][name][k]
                assert near(text, metric(curve.at_prevalence(prevalence))), (name, prevalence)
            at = curve.at_recall(0.5).at_prevalence(prevalence)
            for name, metric in POINTS.items():
                assert near(found["points"][name][k].replace(",", ""), metric(at)), (name, prevalence)
        assert set(found["groups"]) == set(MENU)
        for name, table in found["groups"].items():
            for month, (text,) in table.items():
                at = months[month].at_prevalence(prevalence)
                at = at if name in AREAS else at.at_threshold(thresholds[0])
                assert near(text, MENU[name](at)), (name, month, prevalence)
    context.close()
