"""Draws docs/two-estimands.svg, the picture in docs/intervals.md: ``python docs/make_estimands_picture.py``."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from make_theory_pictures import BLUE, GREY, LOOKS, NAMELESS, ORANGE
from matplotlib.figure import Figure
from scipy.special import ndtr, ndtri

import baserate as br

TARGET = Path(__file__).with_name("two-estimands.svg")
RECALL, APART, N_POS, N_NEG, TIMES = 0.6, 1.5, 50, 500, 12


def samples() -> list[br.Curve]:
    """Test sets of one model."""
    labels = np.repeat([1, 0], [N_POS, N_NEG])
    return [br.Curve.from_scores(labels, np.random.default_rng(k).normal(APART * labels)) for k in range(TIMES)]


def picture() -> Figure:
    """Left: what the threshold of each test set does in the population. Right: where it lies."""
    figure = Figure(figsize=(7, 2.7), layout="constrained")
    left, right = figure.subplots(1, 2)
    points = [curve.at_recall(RECALL) for curve in samples()]
    rows = np.arange(TIMES)
    intervals = [br.estimate(br.recall, point) for point in points]
    left.hlines(rows, [one.low for one in intervals], [one.high for one in intervals], color=BLUE, linewidth=1.5)
    left.plot([ndtr(APART - float(point.threshold or 0)) for point in points], rows, "o", color=ORANGE, markersize=4)
    left.axvline(RECALL, color=GREY, linewidth=0.8)
    left.set(xlabel="recall from now on", title="This threshold, shipped as it is", yticks=[], ylabel="test sets")
    right.plot([point.threshold for point in points], rows, "o", color=BLUE, markersize=4)
    right.axvline(APART - float(ndtri(RECALL)), color=ORANGE, linewidth=1.5)
    right.set(xlabel="threshold with recall 0.6", title="The rule, applied again", yticks=[])
    return figure


if __name__ == "__main__":
    with mpl.rc_context(LOOKS):
        picture().savefig(TARGET, metadata=NAMELESS)
