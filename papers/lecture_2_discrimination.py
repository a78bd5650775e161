"""Four observations, two models each: calibrated and useless, separating and miscalibrated.

Applied Machine Learning, Performance Evaluation: Calibration versus Discrimination (lecture slides, LMU Munich):
calibration and discrimination.
"""

from collections.abc import Mapping

import drawing
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure

import baserate as br

TRUTH = (1, 1, 0, 0)
POOR = {"f1": (1.0, 1.0, 0.0, 0.0), "f2": (0.0, 0.0, 1.0, 1.0)}
GOOD = {"f1": (0.7, 0.7, 0.3, 0.3), "f2": (0.9, 0.9, 0.5, 0.5)}


def curves(models: Mapping[str, tuple[float, ...]]) -> dict[str, br.Curve]:
    return {name: br.Curve.from_scores(TRUTH, score) for name, score in models.items()}


def run(setup: Setup) -> Experiment:
    poor, good = curves(POOR), curves(GOOD)
    large = {"poor": {name: br.calibration.in_the_large(curve) for name, curve in poor.items()}}
    large["good"] = {name: br.calibration.in_the_large(curve) for name, curve in good.items()}
    area = {name: br.roc_auc(curve) for name, curve in poor.items()}
    findings = (
        Number("first table: mean of f1", 0.5, large["poor"]["f1"].mean_score, 0.005),
        Number("first table: mean of f2", 0.5, large["poor"]["f2"].mean_score, 0.005),
        Number("first table: share of positives", 0.5, large["poor"]["f1"].event_rate, 0.005),
        Shape(
            "f1 separates the classes, f2 has them the wrong way round, with the same calibration in the large",
            f"AUC-ROC {area['f1']:g} and {area['f2']:g}; accuracy at 0.5 "
            f"{br.accuracy(poor['f1'].at_threshold(0.5)):g} and {br.accuracy(poor['f2'].at_threshold(0.5)):g}",
            (area["f1"], area["f2"]) == (1, 0),
        ),
        Number(
            "accuracy of f1 at 0.5",
            1.0,
            br.accuracy(poor["f1"].at_threshold(0.5)),
            5e-10,
            "counted by hand",
            printed=False,
        ),
        Shape(
            "in the small it shows: by bins f2 is as far off as can be",
            f"ECE {br.ece(poor['f1']):g} and {br.ece(poor['f2']):g}",
            br.ece(poor["f1"]) == 0 and br.ece(poor["f2"]) == 1,
            "not in the lecture",
        ),
        Number("second table: mean of f1", 0.5, large["good"]["f1"].mean_score, 0.005),
        Number("second table: mean of f2", 0.7, large["good"]["f2"].mean_score, 0.005),
        Shape(
            "both models of the second table separate the classes; only f2 is off in the large",
            f"AUC-ROC {br.roc_auc(good['f1']):g} and {br.roc_auc(good['f2']):g}; off by "
            f"{large['good']['f1'].difference:+.2f} and {large['good']['f2'].difference:+.2f}",
            br.roc_auc(good["f1"]) == br.roc_auc(good["f2"]) == 1
            and abs(large["good"]["f1"].difference) < 1e-12
            and abs(large["good"]["f2"].difference) > 0.19,
        ),
    )
    return Experiment(
        title="Calibration and discrimination are two things",
        source="LMU lecture, calibration and discrimination",
        story=(
            "Left, two models with the right mean, one of which has every case wrong. Right, two models that separate "
            "the classes perfectly, one of which is too high on average."
        ),
        findings=findings,
        figure=picture(),
    )


def picture() -> Figure:
    figure, axes = drawing.panels(2, width=4.8, height=3.6)
    titles = ("Same mean, one is useless", "Both separate, one is too high")
    for ax, models, title in zip(axes, (POOR, GOOD), titles, strict=True):
        for place, (name, score) in enumerate(models.items()):
            truth = np.array(TRUTH)
            for value, colour, shift in ((1, drawing.ORANGE, -0.12), (0, drawing.BLUE, 0.12)):
                there = np.array(score)[truth == value]
                spots = place + shift + np.array([-0.04, 0.04])
                label = ("positives" if value else "negatives") if place == 0 else None
                ax.plot(spots, there, "o", color=colour, markersize=9, label=label)
            mean = float(np.mean(score))
            ax.hlines(mean, place - 0.3, place + 0.3, color=drawing.INK, linewidth=1.4)
            area = br.roc_auc(curves(models)[name])
            ax.text(place, 1.12, f"mean {mean:.0%}, AUC {area:g}", ha="center", fontsize=9, color=drawing.INK)
        ax.axhline(0.5, color=drawing.GREY, linewidth=1, linestyle=":")
        ax.set_xticks([0, 1], list(models))
        ax.set_xlim(-0.5, 1.6)
        ax.set_ylim(-0.06, 1.22)
        ax.set_yticks(np.linspace(0, 1, 6))
        ax.grid(visible=False, axis="x")
        drawing.describe(ax, title, "", "predicted probability")
    drawing.legend(axes[1], "lower right")
    return figure
