"""Six passengers of the Titanic: calibrated as a whole, and not among men nor among women.

Applied Machine Learning, Performance Evaluation: Calibration versus Discrimination (lecture slides, LMU Munich):
calibration in the large and in the small.
"""

import drawing
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure

import baserate as br

# Probability of survival as predicted, and whether the passenger survived.
PASSENGERS = {
    "male": ([0.2, 0.1, 0.3], [0, 0, 1]),
    "female": ([0.8, 0.9, 0.7], [0, 1, 1]),
}


def run(setup: Setup) -> Experiment:
    curves = {sex: br.Curve.from_scores(survived, score) for sex, (score, survived) in PASSENGERS.items()}
    large, small = br.calibration.in_the_large(br.Curve.pool(curves.values())), br.calibration.in_the_small(curves)
    male, female = small.subsets["male"], small.subsets["female"]
    findings = (
        Number("all: mean predicted probability", 0.5, large.mean_score, 0.005),
        Number("all: observed", 0.5, large.event_rate, 0.005),
        Number("male: mean predicted probability", 0.20, male.mean_score, 0.005),
        Number("male: observed", 0.33, male.event_rate, 0.005),
        Number("female: mean predicted probability", 0.80, female.mean_score, 0.005),
        Number("female: observed", 0.67, female.event_rate, 0.005),
        Shape(
            "right in the large, wrong in the small: too low for men, too high for women",
            f"differences {large.difference:+.2f}, {male.difference:+.2f}, {female.difference:+.2f}",
            abs(large.difference) < 1e-12 and male.difference * female.difference < 0,
        ),
        Shape(
            "three passengers are too few to know any of this",
            f"for men the difference is between {male.low:+.2f} and {male.high:+.2f}; significantly off: "
            f"{', '.join(map(str, small.disagreeing)) or 'none'}",
            not small.disagreeing and male.low < 0 < male.high,
            "not in the lecture",
        ),
    )
    return Experiment(
        title="Calibrated in the large, not in the small",
        source="LMU lecture, calibration in the large and in the small (Titanic)",
        story=(
            "Six passengers with a predicted probability of survival. On average the predictions are right; within "
            "each sex they are not. The library says so too, and adds what three rows can tell: nothing for sure."
        ),
        findings=findings,
        figure=picture({"all six": large, "male": male, "female": female}),
    )


def picture(means: dict[str, br.results.InTheLarge]) -> Figure:
    figure, (ax,) = drawing.panels(width=5.6, height=3.7)
    places = np.arange(len(means))
    for place, found in zip(places, means.values(), strict=True):
        ends = [found.mean_score - found.high, found.mean_score - found.low]  # from those of the difference
        ax.plot([place + 0.1] * 2, ends, color=drawing.ORANGE, linewidth=1.4, alpha=0.6)
    score, rate = ([getattr(found, name) for found in means.values()] for name in ("mean_score", "event_rate"))
    ax.plot(places - 0.1, score, "D", color=drawing.BLUE, markersize=9, label="mean predicted probability")
    ax.plot(places + 0.1, rate, "o", color=drawing.ORANGE, markersize=9, label="observed, with 95 % interval")
    for place, predicted, observed in zip(places, score, rate, strict=True):
        drawing.label(ax, place - 0.13, predicted, f"{predicted:.2f}", drawing.BLUE, side="left")
        drawing.label(ax, place + 0.13, observed, f"{observed:.2f}", drawing.ORANGE)
    ax.set_xticks(places, list(means))
    ax.set_xlim(-0.5, 2.5)
    ax.set_ylim(-0.02, 1.22)
    ax.set_yticks(np.linspace(0, 1, 6))
    ax.grid(visible=False, axis="x")
    drawing.describe(ax, "Survival on the Titanic, six passengers", "", "probability of survival")
    drawing.legend(ax, "upper left", ncols=2)
    return figure
