"""Draws the pictures in docs/theory: ``python docs/make_theory_pictures.py``."""

import io
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import ndtr

import baserate as br
from baserate import plots
from baserate.arrays import FloatArray

FOLDER = Path(__file__).with_name("theory")
GREY, BLUE, ORANGE = "#777", "#0072b2", "#d55e00"

# Text stays text, is grey enough for a light and a dark page, and nothing says when or by what the file was made.
LOOKS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "baserate",
    "font.size": 9,
    **dict.fromkeys(["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], GREY),
}
NAMELESS = dict.fromkeys(["Creator", "Date", "Format", "Type"])

# One threshold on scores that are normal in each class.
THRESHOLD, APART = 1.5, 2.5
# Two classifiers whose AUC-PR is 0.4, where half of the rows are positive and where one in twenty is.
FORTY = (
    br.Curve.from_counts([0.9, 0.5, 0.1], pos=[12, 15, 23], neg=[25, 15, 10]),
    br.Curve.from_counts([0.9, 0.5, 0.1], pos=[15, 20, 15], neg=[10, 40, 900]),
)
THREE_SCORES = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[30, 50, 20], neg=[9, 91, 100])
CALIBRATED = br.Curve.from_counts([0.9, 0.7, 0.5, 0.3, 0.1], pos=[90, 70, 50, 30, 10], neg=[10, 30, 50, 70, 90])


def prior_shift() -> Figure:
    """The same two classes, mixed half and half and one to nineteen, and what is above a threshold."""
    figure, axes = _panels()
    score = np.linspace(-3.2, 5.8, 121)
    beyond = score >= THRESHOLD
    point = br.Point.from_rates(tpr=float(ndtr(APART - THRESHOLD)), fpr=float(ndtr(-THRESHOLD)))
    for ax, prevalence in zip(axes, (0.5, 0.05), strict=True):
        negatives, positives = (1 - prevalence) * _normal(score), prevalence * _normal(score - APART)
        for density, colour, name in ((negatives, ORANGE, "negatives"), (positives, BLUE, "positives")):
            ax.plot(score, density, color=colour, linewidth=1.6, label=name)
            ax.fill_between(score[beyond], density[beyond], color=colour, alpha=0.35, linewidth=0)
        ax.axvline(THRESHOLD, color=GREY, linewidth=1, linestyle=":")
        read = point.at_prevalence(prevalence)
        says = f"recall {br.recall(read):.0%}\nprecision {br.precision(read):.0%}"
        ax.text(0.98, 0.95, says, transform=ax.transAxes, ha="right", va="top")
        ax.set(xlabel="score", yticks=[], ylim=(0, 1.3 * max(negatives)))
        ax.set_title(f"{prevalence:.0%} positive", fontsize=10)
    axes[0].legend(frameon=False, loc="upper left", fontsize=8, handlelength=1.4)
    return figure


def unachievable_region() -> Figure:
    """Two curves of the same area: one is worse than chance, the other eight times as good as chance."""
    figure, axes = _panels(3.0)
    for ax, curve in zip(axes, FORTY, strict=True):
        display = plots.PrecisionRecallDisplay.from_curve(curve, area=br.auc_pr).plot(ax, legend="none")
        assert display.region_ is not None
        display.region_.set(color=GREY, alpha=0.3)
        says = f"AUC-PR {br.auc_pr(curve):.2f}\nnormalized {br.normalized_auc_pr(curve):.2f}"
        ax.text(0.98, 0.97, says, transform=ax.transAxes, ha="right", va="top")
        ax.set_title(f"{curve.prevalence:.0%} positive", fontsize=10)
    axes[0].text(0.6, 0.12, "unachievable", ha="center")
    axes[0].text(0.02, 0.52, "chance")
    axes[1].set_ylabel("")
    return figure


def pr_gain() -> Figure:
    """One curve in both spaces, with lines of equal F1: bent on the left, straight and parallel on the right."""
    figure, (left, right) = _panels(3.0)
    levels = (0.5, 0.6, 0.7, 0.8)
    plots.PrecisionRecallDisplay.from_curve(THREE_SCORES, area=br.auc_pr).plot(
        left, legend="none", lowest=False, chance=False, f1_lines=levels
    )
    plots.PrecisionRecallGainDisplay.from_curve(THREE_SCORES).plot(right, legend="none")
    prevalence = THREE_SCORES.prevalence
    for level in levels:  # precision gain + recall gain = twice the gain of F1
        total = 2 * (level - prevalence) / ((1 - prevalence) * level)
        right.plot([total - 1, 1], [1, total - 1], color="#a6a6a6", linewidth=0.6)
    left.set_title("precision and recall", fontsize=10)
    right.set_title("precision gain and recall gain", fontsize=10)
    for ax in (left, right):
        ax.set(xlim=(0, 1.02), ylim=(0, 1.02))
    return figure


def calibration_under_shift() -> Figure:
    """Scores that are right where half are positive, read where one in a hundred is: a parallel in log-odds."""
    figure = Figure(figsize=(4.4, 3.4), layout="constrained")
    ax = figure.add_subplot()
    rare = CALIBRATED.at_prevalence(0.01)
    shown = (
        ("right at 50 %", CALIBRATED),
        ("the same, read at 1 %", rare),
        ("moved to 1 %", rare.shift_scores(0.01)),
    )
    for name, curve in shown:
        display = plots.ReliabilityDisplay.from_curve(
            curve, name=name, bins=[0, 0.002, 0.006, 0.02, 0.06, 0.2, 0.4, 0.6, 0.8, 1]
        )
        display.plot(ax, scale="log-odds", histogram=False, off=False, legend="none", label=name)
        assert display.intervals_ is not None
        display.intervals_.remove()
    ax.legend(handles=sorted(ax.lines, key=lambda line: line.get_linestyle() == ":"), frameon=False, fontsize=8)
    _bare(ax)
    return figure


def sampled_labels() -> Figure:
    """Left: rows by score, and how many are labelled. Right: how many rows each label stands for."""
    figure, (left, right) = _panels()
    score = np.array(br.examples.payments()["new_model"])
    plan = br.design.labelling(score, threshold=0.3, budget=1000)
    drawn = br.design.draw_rows(plan, score, rng=0)
    edges = np.logspace(-5, 0, 26)
    left.stairs(np.histogram(score, edges)[0], edges, color=GREY, linewidth=1.2, label="rows")
    left.stairs(np.histogram(drawn.score, edges)[0], edges, color=BLUE, fill=True, alpha=0.6, label="labelled")
    left.set(xlabel="score", ylabel="rows", yscale="log", ylim=(3, 2e4))
    left.legend(frameon=False, loc="upper right", fontsize=8, handlelength=1.4, ncols=2)
    lowest = [1.0, *(max(one.lowest, edges[0]) for one in plan.strata)]
    for one, top, bottom in zip(plan.strata, lowest, lowest[1:], strict=False):
        stands_for = one.n_rows / one.n_labels
        right.plot([bottom, top], [stands_for, stands_for], color=BLUE, linewidth=2)
        right.text(np.sqrt(bottom * top), stands_for + 0.7, f"{stands_for:.3g}", ha="center", va="bottom")
    for ax in (left, right):
        ax.set_xscale("log")
        ax.minorticks_off()
        for cut in lowest[1:-1]:
            ax.axvline(cut, color=GREY, linewidth=1, linestyle=":")
    right.set(xlabel="score", ylabel="rows for each label", ylim=(0, 31))
    return figure


PICTURES = {
    "prior-shift": prior_shift,
    "unachievable-region": unachievable_region,
    "pr-gain": pr_gain,
    "calibration-under-shift": calibration_under_shift,
    "sampled-labels": sampled_labels,
}


def _normal(score: FloatArray) -> FloatArray:
    """The density of the normal distribution, up to a factor."""
    return np.exp(-(score**2) / 2)


def _panels(height: float = 2.5) -> tuple[Figure, tuple[Axes, Axes]]:
    """Two pictures side by side."""
    figure = Figure(figsize=(6.6, height), layout="constrained")
    left, right = figure.subplots(1, 2)
    _bare(left)
    _bare(right)
    return figure, (left, right)


def _bare(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def picture(name: str) -> str:
    """The SVG of this name, without what only matplotlib needs."""
    with mpl.rc_context(LOOKS):
        made, file = PICTURES[name](), io.StringIO()
        made.savefig(file, format="svg", transparent=True, metadata=NAMELESS)
    text = re.sub(r"<\?xml.*?<svg", "<svg role='img'", file.getvalue(), flags=re.DOTALL)
    text = re.sub(r">", f">\n<title>{PICTURES[name].__doc__}</title>", text, count=1)
    text = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", text, flags=re.DOTALL)
    text = re.sub(r" transform=\"rotate\(-0 [^\"]*\"", "", text)
    text = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", text)
    text = re.sub(r"\d+\.\d{2,}(?![^<>]*</)", lambda number: f"{float(number[0]):.1f}", text)  # not what is read
    return re.sub(r"\s*\n\s*", "\n", text)


def target(name: str) -> Path:
    """Where a picture is kept."""
    return FOLDER / f"{name}.svg"


if __name__ == "__main__":
    for each in PICTURES:
        target(each).write_text(picture(each), encoding="utf-8")
