"""The coverage study in small: defaults hold, and the study can tell when a method does not."""

from pathlib import Path

import numpy as np
import pytest
from scripts import script

import baserate as br
from baserate.uncertainty.estimate import FELL_SHORT

PATH = Path(__file__).parents[2] / "benchmarks" / "coverage.py"


@pytest.fixture(scope="module")
def study():
    return script(PATH)


@pytest.mark.parametrize(
    ("model", "n_pos", "n_neg"),
    [("weak", 5, 100), ("strong", 20, 100), ("weak, tied", 20, 100), ("strong, no false positives", 20, 10_000)],
)
@pytest.mark.slow
def test_defaults_hold(study, model, n_pos, n_neg):
    lines = study.simulate(study.Setting(model, n_pos, n_neg), 60, 150, seed=1)
    judged = [line for line in lines if line.method == study.default_of(line.question)]
    assert judged
    assert [line for line in judged if line.falls_short] == []


@pytest.mark.slow
def test_the_study_can_tell(study):
    """Methods that are known to hold too seldom are seen to."""
    lines = study.simulate(study.Setting("weak", 20, 100), 60, 150, seed=1)
    short = {(line.question, line.method) for line in lines if line.falls_short}
    assert ("average_precision", "influence") in short
    assert ("best_f1", "percentile") in short
    assert "melded" not in {method for _, method in short}
    page = study.page(lines, 60, 150)
    assert "| average_precision | **melded** |" in page


def test_the_truths_of_the_study(study):
    """Against a large sample, and against Siblini's printed numbers for normal scores at a distance of 0.2."""
    model = study.binormal(0.2, 0.6)
    for x, expected in ((1.0, 0.5478344425), (9.0, 0.1193859296), (99.0, 0.0121971976)):
        assert model.area("average_precision", x) == pytest.approx(expected, abs=5e-11)
    assert model.area("auc_prg", 9.0) == pytest.approx(0.2432164359, abs=5e-11)
    rng = np.random.default_rng(0)
    tied = study.rounded(1.0, 0.5)
    scores = np.concatenate([tied.sample(rng, 200_000, True), tied.sample(rng, 200_000, False)])
    curve = br.Curve.from_scores(np.repeat([1, 0], 200_000), scores)
    for metric in study.AREAS:
        assert metric(curve.at_prevalence(0.1)) == pytest.approx(tied.area(metric.__name__, 9.0), rel=0.02)


def test_methods_that_fell_short_say_so():
    """The list that puts a caution on an Estimate is what the page of the last full study says."""
    page = (PATH.parents[1] / "docs" / "coverage.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if " of " in line]
    rows = [row for row in rows if len(row) == 6 and row[1] != "as if given"]
    assert len(rows) > 30
    fell_short = {row[1].strip("*") for row in rows if not row[4].startswith("0 of ")}
    assert fell_short == FELL_SHORT
    assert [row for row in rows if row[1].startswith("**") and not row[4].startswith("0 of ")] == []
    point = br.Point.from_counts(tp=6, fp=2, fn=4, tn=90)
    assert br.estimate(br.precision, point).caution is None
    assert "less often than it says" in str(br.estimate(br.precision, point, method="logit_delta"))


def test_shares_and_widths_are_counted_right(study):
    low, high = np.array([0.1, 0.3, np.nan, 0.2]), np.array([0.4, 0.5, 0.5, 0.25])
    assert study.judge(low, high, 0.3) == (3, 2, pytest.approx(0.2))
    line = study.Line(study.Setting("weak", 5, 100), "roc_auc", None, "delong", 1000, 905, 0.1, 0.7)
    assert line.falls_short
    assert not line._replace(held=920).falls_short
