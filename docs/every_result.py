"""Examples of every class of results, made by the public functions that return them.

The site shows how they look in a notebook, and tests try each of them.
"""

import datetime
import functools
import os
import pathlib
import tempfile
from collections.abc import Callable, Hashable
from typing import TypedDict

import numpy as np

import baserate as br
from baserate import results


class Few(TypedDict):
    """Arguments of a quick computation."""

    n_resamples: int
    rng: int


FEW = Few(n_resamples=100, rng=0)
GOOD = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
BAD = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 30, 40], neg=[20, 200, 680])
OTHER = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[40, 59, 1], neg=[5, 300, 595])
FAR = br.Curve.from_counts([2.5, 0.5, -1.0], pos=[60, 30, 10], neg=[20, 200, 680])
EMPTY = br.Curve.from_counts([0.5], pos=[0], neg=[9])
POINT = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
GROUPS: dict[Hashable, br.Curve] = {"shop": GOOD, None: BAD, ("web", 3): EMPTY}
PERIODS: dict[Hashable, br.Curve] = {
    datetime.date(2026, 5, 1): GOOD,
    datetime.date(2026, 6, 1): BAD,
    datetime.date(2026, 7, 1): EMPTY,
}
SENSITIVE, SPECIFIC = br.Point.from_rates(0.9, 0.01), br.Point.from_rates(0.6, 0.001)


@functools.cache
def pair() -> br.Pair:
    """Two models on the same rows."""
    data = br.examples.payments()
    return br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old", "new"))


@functools.cache
def source() -> results.Source:
    """Where the rows of a small file come from, as if it lay in a folder that everybody has."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "may.csv"
        path.write_text("fraud;p\n1;0.9\n0;0.2\n0;0.1\n")
        os.utime(path, (1_780_300_800, 1_780_300_800))
        found = br.curve(path, label="fraud", score="p").source
        assert found is not None
        return results.Source.from_json(found.to_json().replace(folder, "/data"))


def receipt() -> br.monitoring.Receipt:
    """What a store says that got a curve."""
    with (
        tempfile.TemporaryDirectory() as folder,
        br.monitoring.CurveStore(pathlib.Path(folder) / "monitor.db") as store,
    ):
        return store.append(GOOD, model="fraud-3", period="2026-05")


def forecast() -> results.LabelForecast:
    """A month whose labels are still coming in, after some that had as many again a month later."""
    with (
        tempfile.TemporaryDirectory() as folder,
        br.monitoring.CurveStore(pathlib.Path(folder) / "monitor.db") as store,
    ):

        def seen(month: int, pos: int, day: datetime.date) -> None:
            curve = br.Curve.from_counts([0.2, 0.9], pos=[pos, pos], neg=[900 - pos, 100 - pos])
            store.append(curve, model="fraud-3", period=f"2026-{month:02}", matures="30d", today=day)

        for month, pos in ((1, 11), (2, 14), (3, 12)):
            seen(month, pos, datetime.date(2026, month + 1, 6))
            seen(month, 2 * pos, datetime.date(2026, month + 2, 15))
        seen(5, 10, datetime.date(2026, 6, 6))
        return br.monitoring.expected_labels(store, model="fraud-3", matures="30d", today=datetime.date(2026, 6, 6))


def groups() -> results.GroupTable:
    """Slices, one of them without positives."""
    return br.by_slice(br.average_precision, GROUPS, prevalence=0.05, **FEW)


def change() -> results.Change:
    """From a better month to a worse one."""
    return br.explain_change(br.average_precision, GOOD, BAD, **FEW)


@functools.cache
def judged() -> results.SeriesVerdict:
    """Three months after each other, judged by the first."""
    return br.monitoring.judge_periods(br.average_precision, PERIODS, reference=1, n_resamples=100)


def support() -> results.Support:
    """What a test set of 100 positives can show."""
    return br.design.supports(br.Point.from_counts(tp=60, fp=10, fn=40, tn=9_990), prevalences=[0.01])


GRID = np.geomspace(0.001, 0.5, 30)


@functools.cache
def comparison() -> results.Comparison:
    """Three models on rows of their own."""
    return br.compare({"good": GOOD, "bad": BAD, "other": OTHER}, prevalence=[0.01])


JUDGED = br.Point.from_counts(tp=300, fp=100, fn=200, tn=9_400)


def corrected() -> results.CorrectedRates:
    """What a judge's labels amount to."""
    return br.labels.corrected(JUDGED, br.labels.LabelErrors(0.9, 0.99, 100, 400), rng=0)


SCORES = np.linspace(0, 1, 400)


@functools.cache
def labelling_plan() -> results.LabellingPlan:
    """Which of 400 rows to label."""
    return br.design.labelling(SCORES, GOOD, threshold=0.9, budget=120, simulations=2)


# By the name of the class; the site shows the first of several.
_MAKERS: dict[str, list[Callable[[], results.Result]]] = {
    "Advice": [
        lambda: br.monitoring.advise(GOOD, threshold=0.5, agreed="alert_rate <= 0.1", rng=0),
        lambda: br.monitoring.advise(GOOD, threshold=0.5, agreed="recall >= 0.6", rng=0),
    ],
    "Alarms": [lambda: br.monitoring.model_alarms(br.average_precision, PERIODS, reference=GOOD)],
    "Answer": [
        lambda: br.evaluate(GOOD).answers[0],
        lambda: br.evaluate(GOOD, at="recall=0.5", confidence_level=None).answers[0],
    ],
    "Audit": [
        lambda: br.audit({"precision": "0.90", "recall": "0.80", "prevalence": "0.10"}, at="1 in 1,000"),
        lambda: br.audit({"precision": "0.90", "recall": "0.80", "f1": "0.70"}),
    ],
    "Band": [
        lambda: br.sweep_estimates(br.precision, POINT, GRID),
        lambda: br.pr_band(GOOD, **FEW),
        lambda: br.roc_band(GOOD, **FEW),
    ],
    "BestRange": [lambda: comparison().best[0]],
    "Bounds": [lambda: br.bounds(br.average_precision, GOOD), lambda: br.bounds(br.precision, GOOD)],
    "ChanceTest": [lambda: br.better_than_chance(br.roc_auc, GOOD)],
    "Change": [change],
    "ChangePart": [lambda: change().prior],
    "Changes": [lambda: br.monitoring.explain_changes(br.average_precision, PERIODS, **FEW)],
    "ClaimVerdict": [lambda: br.check(br.Claim(br.precision, at_least=0.3, at="threshold=0.9"), GOOD)],
    "Comparison": [comparison],
    "CorrectedRate": [lambda: corrected().recall],
    "CorrectedRates": [
        corrected,
        lambda: br.labels.corrected(JUDGED, br.labels.LabelErrors(0.9, 0.99, 100, 400), may_follow_score=True, rng=0),
        lambda: br.labels.corrected(JUDGED, br.labels.LabelErrors(0.9, 0.9), rng=0),
    ],
    "CostCurve": [lambda: br.costs.cost_curve(GOOD), lambda: br.costs.brier_curve(GOOD)],
    "CostMap": [lambda: br.costs.cost_map(pair(), [0.001, 0.1], [1, 100], n_resamples=20, rng=0)],
    "CoxCalibration": [lambda: br.calibration.cox_calibration(GOOD)],
    "Crossing": [lambda: br.crossings(br.f1, SENSITIVE, SPECIFIC)[0]],
    "CrossingEstimate": [lambda: br.crossing_estimates(br.average_precision, pair(), **FEW)[0]],
    "Decomposition": [lambda: br.calibration.decompose(br.brier_score, GOOD)],
    "Deployment": [
        lambda: br.deploy(GOOD, BAD, at="recall=0.5", prevalence=0.001),
        lambda: br.deploy(GOOD, BAD, at="recall=0.5", prevalence=0.001, traffic=10_000),
    ],
    "Difference": [lambda: br.difference(br.average_precision, pair(), **FEW)],
    "Estimate": [
        lambda: br.estimate(br.precision, POINT),
        lambda: br.estimate(br.average_precision, EMPTY),
        lambda: br.estimate(br.lr_positive, br.Point.from_counts(tp=5, fp=0, fn=5, tn=90)),
    ],
    "Evaluation": [lambda: br.evaluate({"good": GOOD, "none": EMPTY}, prevalence=[0.01, 0.1])],
    "FoldMean": [lambda: br.folds.mean_over_folds(br.auc_pr, {1: GOOD, 2: BAD, 3: EMPTY}, prevalence=0.05)],
    "GroupCrossing": [lambda: comparison().crossings[0]],
    "GroupDifference": [lambda: groups().groups[0].differences[0]],
    "GroupRow": [lambda: groups().groups[2]],
    "GroupTable": [groups, lambda: br.by_period(br.average_precision, PERIODS, **FEW)],
    "HosmerLemeshow": [lambda: br.calibration.hosmer_lemeshow(GOOD, in_sample=False)],
    "ImpliedRange": [lambda: br.audit({"precision": "0.90", "recall": "0.80"}).implied[-1]],
    "InTheLarge": [lambda: br.calibration.in_the_large(GOOD)],
    "InTheSmall": [lambda: br.calibration.in_the_small(GROUPS)],
    "IsotonicReliability": [lambda: br.calibration.isotonic_reliability(GOOD, **FEW)],
    "LabelForecast": [forecast],
    "LabellingPlan": [labelling_plan],
    "Lead": [lambda: br.lead(br.average_precision, pair(), GRID, **FEW)],
    "MaxWidth": [lambda: br.design.max_width(tpr=(0.54, 0.66), fpr=(0.0005, 0.0015))],
    "MetricAgreement": [
        lambda: br.papers.agreement(
            {"good": GOOD, "bad": BAD, "other": OTHER}, [br.average_precision, br.roc_auc], [0.001, 0.5]
        )
    ],
    "NaturalFrequencies": [lambda: br.natural_frequencies(POINT.at_prevalence(0.001), cases=1_000_000)],
    "PlannedStratum": [lambda: labelling_plan().strata[1]],
    "PointSupport": [lambda: support().points[0]],
    "PrevalenceEstimate": [lambda: br.prior.estimate_prevalence(GOOD, BAD)],
    "PriorEffect": [lambda: br.calibration.prior_effect(GOOD.at_prevalence(0.01))],
    "PriorShiftCheck": [lambda: br.prior.prior_shift_check(GOOD, BAD)],
    "Ranking": [
        lambda: br.ranking(br.f1, {"sensitive": SENSITIVE, "specific": SPECIFIC}, [0.01, 0.1]),
        lambda: br.ranking(br.average_precision, pair(), [0.2, 0.01], **FEW),
    ],
    "PeriodReading": [lambda: judged().periods[-1]],
    "Recalibration": [
        lambda: br.calibration.recalibrate(GOOD, "beta"),
        lambda: br.calibration.recalibrate(GOOD, "isotonic").at_prevalence(0.001),
        lambda: br.calibration.recalibrate(GOOD, "none"),
    ],
    "RecalibrationChoice": [
        lambda: br.calibration.choose_recalibration(GOOD, rng=0),
        lambda: br.calibration.choose_recalibration(FAR, rng=0),
    ],
    "Receipt": [receipt],
    "Region": [lambda: br.ranking(br.f1, {"a": SENSITIVE, "b": SPECIFIC}, [0.01]).regions[0]],
    "Reliability": [lambda: br.reliability(GOOD)],
    "RowsToLabel": [lambda: br.design.draw_rows(labelling_plan(), SCORES)],
    "SeriesVerdict": [judged],
    "Source": [source],
    "SourceFile": [lambda: source().tables[0].files[0]],
    "SourceTable": [lambda: source().tables[0]],
    "Spiegelhalter": [lambda: br.calibration.spiegelhalter(GOOD)],
    "SummaryPRCurve": [lambda: br.folds.summary_pr_curve({1: GOOD, 2: BAD, 3: EMPTY}, 0.05)],
    "Support": [support],
    "Sweep": [
        lambda: br.sweep(br.precision, POINT, GRID),
        lambda: br.sweep(br.precision, EMPTY.at_threshold(0.5), [0.1]),
    ],
    "TestSetPlan": [lambda: br.design.test_set(0.6, 0.001, half_width=0.1, prevalence=0.001, cost_neg=0.01)],
    "Undersampled": [lambda: br.papers.undersampled(br.roc_auc, GOOD, "1:90", n_samples=20, rng=0)],
}
# Nothing changes a result, so each is made once.
MADE = {name: [functools.cache(make) for make in makers] for name, makers in _MAKERS.items()}


def view(name: str) -> str | None:
    """How the site shows a class of results, or `Curve`, as a notebook would; None for other classes."""
    if name == "Curve":
        example: br.Curve | results.Result = pair().b.at_prevalence("1:1000")
    elif name in MADE:
        example = MADE[name][0]()
    else:
        return None
    return f'<div class="notebook">{example._repr_html_()}</div>'
