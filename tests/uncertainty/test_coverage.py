"""The coverage study in small: defaults hold, and the study can tell when a method does not."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate.uncertainty.estimate import FELL_SHORT
from helpers.scripts import script

PATH = Path(__file__).parents[2] / "benchmarks" / "coverage.py"


@pytest.fixture(scope="module")
def coverage():
    return script(PATH)


@pytest.fixture(scope="module")
def lines(coverage):
    return importlib.import_module("coverage_lines")


@pytest.fixture(scope="module")
def models(coverage):
    return importlib.import_module("coverage_models")


@pytest.fixture(scope="module")
def running(coverage):
    return importlib.import_module("coverage_running")


@pytest.fixture(scope="module")
def quick(coverage, running, tmp_path_factory):
    run = running.Run(running.Kept(tmp_path_factory.mktemp("kept")), processes=1)
    return running.study(coverage.QUICK, coverage.QUICKLY, run)


@pytest.mark.slow
def test_defaults_hold(quick):
    judged = [line for line in quick.lines if line.default and line.kind != "power"]
    assert {line.setting.part for line in judged} == {"areas", "chosen", "given", "differences", "clusters", "blame"}
    assert [line for line in judged if line.falls_short] == []


@pytest.mark.slow
def test_the_study_can_tell(coverage, quick):
    """Methods that are known to hold too seldom are seen to."""
    short = {(line.question, line.method) for line in quick.lines if line.falls_short}
    assert ("average_precision", "influence") in short
    assert ("best_f1", "percentile") in short
    assert ("average_precision of clusters", "as if rows were independent") in short
    page = coverage.page(quick, whole=False)
    assert "| average_precision | **melded** |" in page
    assert "cells of the defaults, 0 fall short." in page


@pytest.mark.slow
def test_the_truths_of_the_study(models):
    """Against Siblini's printed numbers for normal scores at a distance of 0.2."""
    model = models.Model(models.normal(0.2), models.normal(0))
    for x, expected in ((1.0, 0.5478344425), (9.0, 0.1193859296), (99.0, 0.0121971976)):
        assert model.area(br.average_precision, 1 / (1 + x)) == pytest.approx(expected, abs=5e-11)
        assert model.area(br.auc_pr, 1 / (1 + x)) == pytest.approx(expected, abs=5e-11)
    assert model.area(br.auc_prg, 0.1) == pytest.approx(0.2432164359, abs=5e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tied", "three levels", "zero-inflated", "rare top negatives", "weighted"])
def test_the_truths_against_a_large_sample(models, name):
    model = models.model_of(name)
    curve = model.curve(np.random.default_rng(0), 200_000, 200_000).at_prevalence(0.2)
    for metric in (br.average_precision, br.auc_pr, br.auc_prg, br.roc_auc, br.best_f1):
        assert metric(curve) == pytest.approx(model.area(metric, 0.2), rel=0.02)
    point = curve.at_recall(0.6)
    assert model.rates(point.threshold) == pytest.approx((point.tpr, point.fpr), rel=0.03)
    expected = model.chosen("recall >= 0.6", 0.2)
    assert (point.tpr, point.fpr) == pytest.approx((expected.tpr, expected.fpr), rel=0.03)


def test_shares_and_widths_are_counted_right(lines):
    setting = lines.Setting("areas", "weak", 5, 100)
    ends = [(0.1, 0.4), (0.3, 0.5), (np.nan, 0.5), (0.2, 0.25)]
    answers = [one for pair in ends for one in lines.interval("roc_auc", "own", "delong", pair, 0.3, value=0.3)]
    (line,) = lines.lines_of(setting, answers)
    assert (line.answers, line.held, line.width, line.spread) == (3, 2, pytest.approx(0.2), 0)
    assert not line.falls_short  # too few to judge by
    line = line._replace(answers=1000, held=905)
    assert line.falls_short
    assert not line._replace(held=920).falls_short
    assert line._replace(held=920, level=0.99).falls_short
    assert not line._replace(held=920, level=0.8).falls_short
    assert line._replace(held=930, kind="error").falls_short
    assert not line._replace(held=10, kind="power").falls_short


def test_power_is_compared_with_the_best_method_that_holds(coverage, lines):
    """The bootstrap finds most, but falls short where there is nothing to find."""
    page = importlib.import_module("coverage_page")
    found = {"expanded": (0.96, 0.6), "percentile": (0.8, 0.9), "melded": (0.99, 0.5), "swap_test": (0.95, 0.75)}
    answers = []
    for method, (right, power) in found.items():
        told = ("difference of average_precision: test", "0.05", method, method == "expanded", 0.95)
        for model, kind, share in (("equal", "error", right), ("better", "power", power)):
            setting = lines.Setting("differences", model, 30, 1_000, "correlation 0.5")
            answers.append(lines.Line(setting, *told, kind, 1_000, round(1_000 * share), np.nan, np.nan))
    text = page._cases(answers)
    case = "average_precision, 30:1,000, correlation 0.5, read at 0.05"
    assert f"| {case} | expanded | 4.0 % | 60.0 % | 75.0 % | swap_test | 0.80 |" in text
    assert text.count("\n") == 2


@pytest.mark.slow
def test_widths_are_judged_where_there_is_a_bound(coverage, lines):
    page = importlib.import_module("coverage_page")

    def line(n_pos, where, width, method="melded", held=950):
        setting = lines.Setting("areas", "weak", n_pos, 1_000 - n_pos)
        told = ("roc_auc", where, method, method == "melded", 0.95, "coverage")
        return lines.Line(setting, *told, 1_000, held, width, 0.1)

    answers = [line(20, "own", 1.5), line(20, "own", 1.0, "delong"), line(20, "own", 0.1, "percentile", held=500)]
    answers += [line(40, "own", 1.2), line(40, "own", 1.0, "delong"), line(50, "own", 1.0)]
    answers += [line(100, "0.01", 1.7), line(100, "0.01", 1.0, "delong"), line(100, "0.0001", 9.0)]
    answers += [line(10, "own", 9.0), line(10, "own", 1.0, "delong")]
    text = page._widths(answers)
    assert "| roc_auc | own prevalence | 1.20 | 1.50 | 1.20 | 1.50 | weak, 20:980, own | 1 of 3 |" in text
    assert "| roc_auc | down to a hundredth of it | 1.70 | 1.70 | 1.70 | 1.70 | weak, 100:900, 0.01 | 1 of 1 |" in text
    assert text.count("\n") == 3
    text = page._widths([line(20, "own", 0.06), line(20, "own", 0.001, "delong")])
    assert "| roc_auc | own prevalence | 60.00 | 60.00 | 2.88 | 2.88 |" in text


@pytest.mark.slow
def test_no_interval_that_holds_is_narrower_than_what_cannot_be_told_apart(coverage, lines, models):
    """A test set of 20 positives misses a group of 9 % in 16 of 100 cases, and AUC-ROC is higher by it."""
    least = importlib.import_module("coverage_least")
    missing = 0.07 / 0.43
    share = 1 - missing ** (1 / 20)
    model = models.model_of("weak")
    expected = share * (1 - model.area(br.roc_auc, 0.5))
    found = least.least_width(lines.Setting("areas", "weak", 20, 1_000), "roc_auc", 0.5)
    assert found == pytest.approx(expected, rel=1e-4)
    rng, top = np.random.default_rng(0), model.thresholds[0] + 1
    without = sum(model.with_unseen(pos=share).curve(rng, 20, 10).score[0] < top for _ in range(500))
    assert without / 500 == pytest.approx(missing, abs=0.05)


def held_in(lines, share):
    """A part of a study whose only default holds so often."""

    def part(setting, scope):
        def ask(rng):
            number = float(rng.random() < share)
            yield from lines.interval("toss", "own", "coin", (0.0, number), 0.5)

        return ask

    return part


def test_what_falls_short_is_decided_by_fresh_test_sets(coverage, lines, running, tmp_path, monkeypatch):
    kept = running.Kept(tmp_path)
    setting = running.Setting("coin", "fair", 1, 1)
    monkeypatch.setitem(running.PARTS, "coin", held_in(lines, 0.8))
    found = running.study([setting], 100, running.Run(kept, processes=1))
    (line,) = found.lines
    assert line.answers == 1000  # ten times as many
    assert line.falls_short
    assert "| toss | coin | fair, 1:1 | own | 95 % |" in coverage.page(found, whole=False)
    monkeypatch.setitem(running.PARTS, "coin", held_in(lines, 0.0))  # nothing is asked again
    (again,) = running.study([setting], 100, running.Run(kept, processes=1)).lines
    assert (again.answers, again.held) == (1000, line.held)


def test_a_run_that_is_out_of_time_says_what_is_missing(coverage, running, tmp_path):
    found = running.study(coverage.QUICK, 50, running.Run(running.Kept(tmp_path), processes=1, until=0.0))
    assert found == running.Study([], 50, len(coverage.QUICK), 0)
    assert f"{len(coverage.QUICK)} more settings are not here" in coverage.page(found, whole=False)


def test_methods_that_fell_short_say_so():
    """What fell short on the page has a caution; after a study that was not stopped, nothing else has."""
    page = (PATH.parents[1] / "docs" / "coverage.md").read_text(encoding="utf-8")
    said = page.partition("where they are asked for:")[2].partition("\n\n")[0]
    fell_short = {name.strip(" .`\n") for name in said.split(",")}
    assert "influence" in fell_short
    assert fell_short <= FELL_SHORT
    assert fell_short == FELL_SHORT or "The run was stopped early" in " ".join(page.split())
    point = br.Point.from_counts(tp=6, fp=2, fn=4, tn=90)
    assert br.estimate(br.precision, point).caution is None
    assert "below the confidence level" in str(br.estimate(br.precision, point, method="logit_delta"))


def test_widths_are_compared_where_a_method_holds(coverage, running, lines):
    """A cell in which nothing holds, or whose interval collapsed, has no ratio; the others have their typical one."""
    setting = lines.Setting("areas", "weak", 5, 100)
    line = lines.Line(setting, "roc_auc", "own", "melded", True, 0.95, "coverage", 1000, 950, 0.4, 0.05)
    rival = line._replace(method="delong", default=False, width=0.2)
    alone = line._replace(where="0.5", held=100)
    page = coverage.page(running.Study([line, rival, alone], 1000, 0, 0), whole=False)
    assert "| roc_auc | **melded** | 10.0 % | weak, 5:100, 0.5 | 1 of 2 | 2.00 | 2.04 |" in page
    assert "|  | delong | 95.0 % | weak, 5:100, own | 0 of 1 | 1.00 | 1.02 |" in page
