"""Scores too near to one half, and scores too near to 0 and 1.

Applied Machine Learning, Performance Evaluation: Calibration versus Discrimination (lecture slides, LMU Munich):
under- and overconfidence. The slides draw the two shapes; here they are made by shrinking and stretching the log-odds
of calibrated scores.
"""

import drawing
import numpy as np
import scipy
from diagrams import reliability_diagram
from experiment import Experiment, Finding, Setup, Shape
from matplotlib.figure import Figure

import baserate as br

STRETCH = {"underconfident": 0.5, "calibrated": 1.0, "overconfident": 2.0}


def run(setup: Setup) -> Experiment:
    rng = np.random.default_rng(8)
    n = 20_000 if setup.quick else 200_000
    log_odds = rng.normal(0, 1.5, n)
    happened = rng.random(n) < scipy.special.expit(log_odds)
    curves = {
        name: br.Curve.from_scores(happened, scipy.special.expit(factor * log_odds)) for name, factor in STRETCH.items()
    }
    found = {name: br.reliability(curve, bins=10) for name, curve in curves.items()}
    return Experiment(
        title="Underconfident and overconfident",
        source="LMU lecture, under- and overconfidence",
        story=(
            f"{n:,} calibrated scores (middle), the same with log-odds halved (left) and doubled (right). Bars are "
            "the gaps between score and event rate."
        ),
        findings=findings(curves, found),
        figure=picture(found),
    )


def findings(curves: dict[str, br.Curve], found: dict[str, br.results.Reliability]) -> tuple[Finding, ...]:
    slopes = {name: br.calibration.cox_calibration(curve).slope for name, curve in curves.items()}
    calm = br.reliability(curves["calibrated"], bins=10, confidence_level=0.999)
    under, over = found["underconfident"], found["overconfident"]
    return (
        Shape(
            "underconfidence: under-estimates near 1, over-estimates near 0",
            f"first bin said {under.mean_score[0]:.2f}, was {under.event_rate[0]:.2f}; last said "
            f"{under.mean_score[-1]:.2f}, was {under.event_rate[-1]:.2f}; verdict: {under.leaning}",
            under.mean_score[0] > under.event_rate[0]
            and under.mean_score[-1] < under.event_rate[-1]
            and under.leaning == "underconfident",
        ),
        Shape(
            "overconfidence: over-estimates near 1, under-estimates near 0",
            f"first bin said {over.mean_score[0]:.2f}, was {over.event_rate[0]:.2f}; last said "
            f"{over.mean_score[-1]:.2f}, was {over.event_rate[-1]:.2f}; verdict: {over.leaning}",
            over.mean_score[0] < over.event_rate[0]
            and over.mean_score[-1] > over.event_rate[-1]
            and over.leaning == "overconfident",
        ),
        Shape(
            "calibrated scores are not accused",
            f"“{calm.verdict}”",
            calm.leaning == "none",
            "at 99.9 %, so that one calibrated model in a thousand is accused of something",
        ),
        Shape(
            "the slope of the calibration line says by how much to expand or to pull back: 2, 1, 1/2",
            ", ".join(f"{slope.value:.3f} [{slope.low:.3f}, {slope.high:.3f}]" for slope in slopes.values()),
            all(abs(slope.value * STRETCH[name] - 1) < 0.1 for name, slope in slopes.items()),
            "not in the lecture",
        ),
        Shape(
            "all three rank alike",
            f"AUC-ROC {br.roc_auc(curves['calibrated']):.4f}",
            len({br.roc_auc(curve) for curve in curves.values()}) == 1,
        ),
    )


def picture(found: dict[str, br.results.Reliability]) -> Figure:
    figure, axes = drawing.panels(3, width=3.8, height=3.8)
    for ax, (name, one) in zip(axes, found.items(), strict=True):
        reliability_diagram(ax, one, name)
        drawing.say(ax, f"ECE {one.ece:.3f}", 0.6, 0.1)
    return figure
