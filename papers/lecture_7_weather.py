"""Eight days of rain forecasts: where they were too high and where too low.

Applied Machine Learning, Performance Evaluation: Calibration versus Discrimination (lecture slides, LMU Munich):
over- and under-estimates, with the calibration errors of the slide before.
"""

import drawing
import numpy as np
from diagrams import reliability_diagram
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure

import baserate as br

FORECAST = (0.1, 0.1, 0.4, 0.4, 0.7, 0.7, 0.7, 0.9)
RAIN = (0, 0, 0, 1, 0, 1, 1, 1)
PRINTED = {0.1: 0.0, 0.4: 0.5, 0.7: 0.67, 0.9: 1.0}
DIRECTION = ("over", "under", "over", "under")


def run(setup: Setup) -> Experiment:
    curve = br.Curve.from_scores(RAIN, FORECAST)
    found = br.reliability(curve, bins=5)
    seen = tuple("over" if gap > 0 else "under" for gap in found.mean_score - found.event_rate)
    rates = tuple(
        Number(f"it rained, where {said:.0%} was said", printed, float(rate), 0.005)
        for (said, printed), rate in zip(PRINTED.items(), found.event_rate, strict=True)
    )
    findings: tuple[Number | Shape, ...] = (
        *rates,
        Shape(
            "10 % was too high, 40 % too low, 70 % too high, 90 % too low",
            ", ".join(f"{score:.0%} {word}" for score, word in zip(found.mean_score, seen, strict=True)),
            seen == DIRECTION,
        ),
        Number(
            "ECE", 0.075, found.ece, 5e-10, "(2 · 0.1 + 2 · 0.1 + 3 · 0.0333 + 1 · 0.1) / 8, by hand", printed=False
        ),
        Number("MCE", 0.1, br.mce(curve, bins=5), 5e-10, "the largest of the four gaps", printed=False),
        Shape(
            "a good classifier, and eight days are too few to find fault with it",
            f"AUC-ROC {br.roc_auc(curve):.3f}; “{found.verdict}”",
            br.roc_auc(curve) > 0.8 and found.leaning == "none",
            "the second half is not in the lecture",
        ),
    )
    return Experiment(
        title="Rain: over- and under-estimates",
        source="LMU lecture, over- and under-estimates",
        story=(
            "Four probabilities were forecast. What happened is near each of them, twice below and twice above. The "
            "thin lines are 95 % intervals of the event rates: with one to three days each they say next to nothing."
        ),
        findings=findings,
        figure=picture(found),
    )


def picture(found: br.results.Reliability) -> Figure:
    figure, (ax,) = drawing.panels(width=5.2, height=4.2)
    ax.vlines(found.mean_score, found.rate_low, found.rate_high, color=drawing.BLUE, linewidth=1, alpha=0.6)
    reliability_diagram(ax, found, "Chance of rain, said and seen")
    for score, rate, n in zip(found.mean_score, found.event_rate, found.n, strict=True):
        below = rate < score
        drawing.label(
            ax,
            score,
            rate,
            f"{rate:.0%} of {n}",
            drawing.INK,
            side="right" if below else "left",
            rise=-12 if below else 8,
        )
    ax.set_xlim(-0.02, 1.12)
    ax.set_ylim(-0.08, 1.1)
    ax.set_xticks(np.linspace(0, 1, 6))
    ax.set_xlabel("forecast")
    ax.set_ylabel("share of days with rain")
    return figure
