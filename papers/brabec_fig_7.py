"""How uncertain one rate may be so that precision is known well enough, when the uncertainty of the other is given.

Brabec, Komárek, Franc & Machlica, On Model Evaluation under Non-constant Class Imbalance, ICCS 2020
(doi:10.1007/978-3-030-50423-6_6), figure 7 and appendix B; with the sizes of test sets that follow from section 5.
"""

from typing import Literal

import drawing
import numpy as np
from experiment import Experiment, Finding, Number, Setup, Shape
from matplotlib.figure import Figure
from numpy.typing import NDArray

import baserate as br

Floats = NDArray[np.float64]

Method = Literal["exact", "normal", "wilson", "hoeffding"]

GIVEN = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5)
WIDTHS = np.linspace(0.005, 0.9, 359)


def affordable(given: float, widths: Floats = WIDTHS) -> Floats:
    return np.array([br.design.affordable_cv(float(width), given) for width in widths])


def printed_formula(given: float, widths: Floats = WIDTHS) -> Floats:
    """As in appendix B; negative where nothing can be afforded."""
    k = ((1 - widths) / (1 + widths)) ** 2
    return ((given + 1) * (1 + k) - 2) / ((given + 1) * (1 - k) - 2)


def run(setup: Setup) -> Experiment:
    ours, theirs = (np.array([formula(given) for given in GIVEN]) for formula in (affordable, printed_formula))
    methods: tuple[Method, ...] = (
        ("normal", "wilson", "hoeffding") if setup.quick else ("exact", "normal", "wilson", "hoeffding")
    )
    plans = {method: br.design.test_set(0.6, 0.001, delta=0.3, method=method) for method in methods}
    negatives = {method: plan.n_neg for method, plan in plans.items()}
    return Experiment(
        title="How uncertain one rate may be",
        source="Brabec et al. 2020, Fig. 7",
        story=(
            "Left: given the coefficient of variation of one rate (one line for each), the one that the other may have "
            "so that precision is known to Δ at every prevalence. A line starts where the given rate alone uses up all "
            "of Δ; it crosses the dotted diagonal, the rule CV = Δ of theorem 1, where both are equal. Right: how many "
            "negatives a test set needs for one such Δ, by the way its intervals are made."
        ),
        findings=findings(ours, theirs, negatives),
        figure=picture(ours, negatives),
    )


def findings(ours: Floats, theirs: Floats, negatives: dict[Method, int]) -> tuple[Finding, ...]:
    possible = ~np.isnan(ours)
    apart = float(np.abs(ours - theirs)[possible].max())
    back = [br.papers.max_width_from_cvs(float(cv), 0.1) for cv in affordable(0.1) if not np.isnan(cv)]
    kept = WIDTHS[~np.isnan(affordable(0.1))]
    sharp = max(n for method, n in negatives.items() if method != "hoeffding")
    return (
        Number(
            "affordable CV for Δ 0.1 beside a CV of 0.1", 0.1, br.design.affordable_cv(0.1, 0.1), 5e-10, "theorem 1"
        ),
        Number(
            "affordable CV for Δ 0.3138593384 beside a CV of 0.1: the second example of section 5, backwards",
            0.5,
            br.design.affordable_cv(0.3138593384, 0.1),
            5e-9,
        ),
        Shape(
            "appendix B gives the same wherever something can be afforded, and less than 0 where not",
            f"within {apart:.0e} at {possible.sum():,} places; of the other {(~possible).sum():,} it is below 0 at "
            f"{(theirs[~possible] < 1e-12).sum():,}",
            apart < 1e-9 and bool(np.all(theirs[~possible] < 1e-12)),
        ),
        Shape(
            "it undoes the width",
            f"back to Δ within {np.abs(np.array(back) - kept).max():.0e}",
            bool(np.allclose(back, kept, atol=1e-10, rtol=0)),
        ),
        Shape(
            "the rule of theorem 1, CV = Δ, is pessimistic when the other CV is smaller",
            f"for Δ 0.2 beside 0.01: {br.design.affordable_cv(0.2, 0.01):.3f} instead of 0.2",
            br.design.affordable_cv(0.2, 0.01) > 0.3,
        ),
        Shape(
            "Hoeffding's inequality asks for far more negatives than needed",
            "; ".join(f"{method} {n:,}" for method, n in negatives.items()),
            negatives["hoeffding"] > 10 * sharp,
            "TPR 0.6, FPR 0.001, Δ 0.3 at 95 % for each rate, in 95 % of test sets",
        ),
    )


def picture(ours: Floats, negatives: dict[Method, int]) -> Figure:
    figure, (left, right) = drawing.panels(2, width=4.9, height=3.9)
    for given, line, colour in zip(GIVEN, ours, drawing.PALETTE, strict=True):
        left.plot(WIDTHS, line, color=colour, linewidth=2, label=f"{given:g}")
    left.plot([0, 0.9], [0, 0.9], color=drawing.GREY, linewidth=1, linestyle=":")
    left.set_ylim(0, 1.02)
    drawing.describe(left, "What the other rate may have", "Δ: largest width of precision", "affordable CV")
    drawing.legend(left, "lower right", title="CV given", title_fontsize=9)
    colours = [drawing.ORANGE if name == "hoeffding" else drawing.BLUE for name in negatives]
    right.barh(list(negatives), list(negatives.values()), color=colours, height=0.6)
    for place, n in enumerate(negatives.values()):
        drawing.label(right, n, place, f"{n:,}", drawing.INK)
    right.set_xscale("log")
    right.set_xlim(1e3, max(negatives.values()) * 30)
    right.grid(visible=False, axis="y")
    drawing.describe(right, "Negatives for Δ = 0.3 at FPR 0.001", "negatives in the test set")
    return figure
