"""Half of the positives leave: recall and false positive rate stay, precision falls.

Siblini, Fréry, He-Guelton, Oblé & Wang, Master Your Metrics with Calibration, IDA 2020, figure 3.
doi:10.1007/978-3-030-44584-3_36.
"""

import drawing
import numpy as np
from experiment import Experiment, Setup, Shape
from matplotlib.figure import Figure

import baserate as br

# From the highest score to the lowest; every second positive leaves.
LABELS = np.array([1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0])
SCORES = np.linspace(0.97, 0.03, len(LABELS))
THRESHOLD = 0.5


def run(setup: Setup) -> Experiment:
    leaving = np.zeros(len(LABELS), dtype=bool)
    leaving[np.flatnonzero(LABELS)[1::2]] = True
    every = br.Curve.from_scores(LABELS, SCORES).at_threshold(THRESHOLD)
    half = br.Curve.from_scores(LABELS[~leaving], SCORES[~leaving]).at_threshold(THRESHOLD)
    assert half.prevalence is not None
    read = every.at_prevalence(half.prevalence)
    findings = (
        Shape(
            "recall stays",
            f"{br.recall(every):.3f} and {br.recall(half):.3f}",
            bool(np.isclose(br.recall(every), br.recall(half))),
        ),
        Shape("the false positive rate stays", f"{every.fpr:.3f} and {half.fpr:.3f}", bool(every.fpr == half.fpr)),
        Shape(
            "precision falls",
            f"{br.precision(every):.3f} and {br.precision(half):.3f}",
            bool(br.precision(half) < br.precision(every)),
        ),
        Shape(
            "the first test set, read at the share of the second, says so without it",
            f"precision {br.precision(read):.3f}",
            bool(np.isclose(br.precision(read), br.precision(half))),
        ),
    )
    return Experiment(
        title="Half of the positives leave",
        source="Siblini et al. 2020, Fig. 3",
        story=(
            "Cases in the order of their scores, positives as discs; what is left of the line is called positive. If "
            "every second positive is taken away, the model is the same and so are its rates, but precision falls: "
            "it counts false alarms per hit, and hits have become rarer."
        ),
        findings=findings,
        figure=picture(leaving, every, half),
    )


def picture(leaving: np.ndarray, every: br.Point, half: br.Point) -> Figure:
    figure, (ax,) = drawing.panels(width=9.5, height=2.6)
    place = np.arange(len(LABELS))
    line = np.searchsorted(-SCORES, -THRESHOLD, side="right") - 0.5
    for height, gone, point in ((1.0, np.zeros(len(LABELS), dtype=bool), every), (0.0, leaving, half)):
        positive = (LABELS == 1) & ~gone
        ax.plot(place[positive], np.full(positive.sum(), height), "o", color=drawing.BLUE, markersize=13)
        ax.plot(place[gone], np.full(gone.sum(), height), "o", color="#cfdfe9", markersize=13, fillstyle="none")
        ax.plot(place[LABELS == 0], np.full((LABELS == 0).sum(), height), "s", color=drawing.ORANGE, markersize=11)
        words = (
            f"recall {br.recall(point):.2f}\nfalse positive rate {point.fpr:.2f}\nprecision {br.precision(point):.2f}"
        )
        drawing.say(ax, words, len(LABELS) + 0.2, height)
    ax.axvline(line, color=drawing.INK, linewidth=1.5)
    ax.set_xlim(-1, len(LABELS) + 6)
    ax.set_ylim(-0.6, 1.7)
    drawing.say(ax, "called positive", line - 3.4, 1.55)
    drawing.say(ax, "called negative", line + 0.3, 1.55)
    ax.set_axis_off()
    return figure
