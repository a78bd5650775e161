"""The page's arithmetic without a browser, against the library; and what the compiler says of its script."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate.page.modules import inlined
from helpers.npm import installed, node

pytestmark = pytest.mark.browser  # they need what `make test` installs from npm

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "src" / "baserate" / "page" / "script"
COSTS = {"cost_fn": 70.0, "cost_fp": 3.0}
THRESHOLD = 0.2
WHOLE = {
    "Average precision": br.average_precision,
    "AUC-PR": br.auc_pr,
    "Normalized AUC-PR": br.normalized_auc_pr,
    "AUC-PRG": br.auc_prg,
    "Best F1": br.best_f1,
    "AUC-ROC": br.roc_auc,
}
AT_A_THRESHOLD = {
    "Precision": br.precision,
    "Recall": br.recall,
    "F1": br.f1,
    "NPV": br.npv,
    "Specificity": br.specificity,
    "LR+": br.lr_positive,
    "LR−": br.lr_negative,
    "Lift": br.lift,
    "Cost of a case": lambda at: br.expected_cost(at, **COSTS),
    "Net benefit": lambda at: br.net_benefit(at, threshold_probability=THRESHOLD),
}
PROBABILITIES = {"ECE": br.ece, "Debiased ECE": br.debiased_ece, "Brier score": br.brier_score}
MENU = {
    "average_precision": br.average_precision,
    "auc_pr": br.auc_pr,
    "normalized_auc_pr": br.normalized_auc_pr,
    "best_f1": br.best_f1,
    "roc_auc": br.roc_auc,
}
MENU_AT_A_THRESHOLD = {
    "precision": br.precision,
    "recall": br.recall,
    "f1": br.f1,
    "npv": br.npv,
    "specificity": br.specificity,
}
TEXTS = ["1:99", "1 in 1,000", "1/8", "2.5%", "0.5", "", "in 5", "1:2:3", "0,5"]


@pytest.fixture(scope="module")
def slices(models):
    data = br.examples.payments()
    here = {month: data["month"] == month for month in np.unique(data["month"]).tolist()}
    return {
        name: {month: br.Curve.from_scores(data["fraud"][rows], data[column][rows]) for month, rows in here.items()}
        for name, column in zip(models, ("old_model", "new_model"), strict=True)
    }


@pytest.fixture(scope="module")
def computed(models, slices, tmp_path_factory):
    """What the script makes of a page, at random prevalences."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    br.write_report(path, models, prevalence=["1 in 1,000"], groups={"month": slices}, n_resamples=50)
    (content,) = re.findall(r'id="content">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    rng = np.random.default_rng(0)
    prevalences = (1 / (1 + np.exp(-rng.uniform(math.log(1e-6), math.log(9), 50)))).tolist()
    costs = {"missed": COSTS["cost_fn"], "falseAlert": COSTS["cost_fp"], "threshold": THRESHOLD}
    given = {"content": json.loads(content), "prevalences": prevalences, "costs": costs, "texts": TEXTS}
    said = node(Path(__file__).with_name("arithmetic.mjs"), text=json.dumps(given))
    assert said.returncode == 0, said.stderr
    return prevalences, json.loads(said.stdout)


def test_every_metric_is_the_library_s_at_fifty_prevalences(computed, models):
    prevalences, said = computed
    for prevalence, found in zip(prevalences, said["found"], strict=True):
        for curve, values in zip(models.values(), found["models"], strict=True):
            at = curve.at_prevalence(prevalence)
            point = curve.at_recall(0.5).at_prevalence(prevalence)
            for name, metric in (WHOLE | PROBABILITIES).items():
                wanted = metric(at)
                assert values[name] == pytest.approx(wanted, rel=2e-6, abs=2e-5 if name == "AUC-PRG" else 1e-12), name
            for name, metric in AT_A_THRESHOLD.items():
                assert values[name] == pytest.approx(metric(point), rel=1e-7), name


def test_every_metric_of_the_menu_is_the_library_s_for_models_and_slices(computed, models, slices):
    """A slice is judged at the threshold of its model, which half of the positives of all rows reach."""
    prevalences, said = computed
    for prevalence, found in list(zip(prevalences, said["found"], strict=True))[::5]:
        for m, (name, curve) in enumerate(models.items()):
            threshold = curve.at_recall(0.5).threshold
            judged = [(found["models"][m]["menu"], curve)]
            judged += [
                ({key: kept["value"] for key, kept in found["cells"][0][k][m].items()}, one)
                for k, one in enumerate(slices[name].values())
            ]
            for values, one in judged:
                at = one.at_prevalence(prevalence)
                for key, metric in MENU.items():
                    assert values[key] == pytest.approx(metric(at), rel=2e-5), key
                point = one.at_threshold(threshold).at_prevalence(prevalence)
                for key, metric in MENU_AT_A_THRESHOLD.items():
                    assert values[key] == pytest.approx(metric(point), rel=1e-7), key


def test_the_interval_of_a_slice_s_precision_is_the_library_s(computed, models, slices):
    prevalences, said = computed
    name, curve = next(iter(models.items()))
    point = next(iter(slices[name].values())).at_threshold(curve.at_recall(0.5).threshold)
    wanted = br.estimate(br.precision, point.at_prevalence(prevalences[0]), method="box")
    kept = said["found"][0]["cells"][0][0][0]["precision"]
    assert (kept["low"], kept["high"]) == pytest.approx((wanted.low, wanted.high), rel=1e-4)


def test_prevalences_are_read_as_people_write_them(computed):
    read = computed[1]["read"]
    assert read[:5] == pytest.approx([0.01, 0.001, 0.125, 0.025, 0.5])
    assert read[5:] == [None] * 4  # nan


def test_the_compiler_and_the_linter_have_nothing_to_say():
    compiled = node(installed("typescript") / "bin" / "tsc", "-p", ROOT)
    assert (compiled.returncode, compiled.stdout) == (0, "")
    linted = node(installed("eslint") / "bin" / "eslint.js", "--config", ROOT / "eslint.config.mjs", SCRIPT)
    assert (linted.returncode, linted.stdout) == (0, "")


def test_no_name_is_declared_twice_in_the_one_script():
    script = inlined("page.js")
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", script, re.MULTILINE)
    assert len(names) > 100
    assert sorted({name for name in names if names.count(name) > 1}) == []
    assert not re.search(r"^(import|export) |</script|http(?!://www\.w3\.org/2000/svg)", script, re.MULTILINE)


def test_the_arithmetic_knows_no_page():
    for module in ("arithmetic.js", "words.js"):
        source = (SCRIPT / module).read_text("utf-8")
        assert not re.search(r"\b(document|window|location|navigator)\b", source), module
