"""F1 of two classifiers over the prevalence: which one is better depends on it.

Brabec, Komárek, Franc & Machlica, On Model Evaluation under Non-constant Class Imbalance, ICCS 2020
(doi:10.1007/978-3-030-50423-6_6), figure 3.
"""

import drawing
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure

import baserate as br

EAGER = br.Point.from_rates(tpr=0.9, fpr=0.01)
CAREFUL = br.Point.from_rates(tpr=0.6, fpr=0.001)
NAMES = ("eager", "careful")
PREVALENCES = np.geomspace(1e-4, 0.5, 300)


def run(setup: Setup) -> Experiment:
    found = br.crossings(br.f1, EAGER, CAREFUL, names=NAMES)
    swap = found[0]
    sides = [
        br.f1(EAGER.at_prevalence(prevalence)) - br.f1(CAREFUL.at_prevalence(prevalence))
        for prevalence in (0.99 * swap.prevalence, swap.prevalence, 1.01 * swap.prevalence)
    ]
    precision = br.crossings(br.precision, EAGER, CAREFUL)
    return Experiment(
        title="The better F1 depends on the prevalence",
        source="Brabec et al. 2020, Fig. 3",
        story=(
            "Two operating points, those of the authors' notebook: an eager one (TPR 0.9, FPR 0.01) and a careful one "
            "(TPR 0.6, FPR 0.001). A table of F1 at one prevalence can be made to show either as the better one. "
            "Precision alone never swaps, as it depends on TPR/FPR only."
        ),
        findings=(
            Number(
                "prevalence at which the two swap",
                0.0167158309,
                swap.prevalence,
                5e-11,
                "where the two formulas of F1 are equal",
                printed=False,
            ),
            Shape(
                "the careful one leads below, the eager one above, and there is one swap only",
                f"{len(found)} swap; below {swap.leads_below}, above {swap.leads_above}",
                len(found) == 1 and (swap.leads_below, swap.leads_above) == ("careful", "eager"),
            ),
            Shape(
                "F1 itself says so on either side",
                f"eager − careful: {sides[0]:+.1e}, {sides[1]:+.1e}, {sides[2]:+.1e}",
                bool(sides[0] < -1e-4 and abs(sides[1]) < 1e-12 and sides[2] > 1e-4),
            ),
            *(
                Number(f"{what} at 0.01", value, metric(point.at_prevalence(0.01)), 5e-10, "by hand", printed=False)
                for what, value, metric, point in (
                    ("F1 of the eager one", 0.6228373702, br.f1, EAGER),
                    ("F1 of the careful one", 0.7062978222, br.f1, CAREFUL),
                    ("precision of the eager one", 0.4761904762, br.precision, EAGER),
                    ("precision of the careful one", 0.8583690987, br.precision, CAREFUL),
                )
            ),
            Shape("precision does not swap", f"{len(precision)} swaps", precision == []),
        ),
        figure=picture(swap),
    )


def picture(swap: br.results.Crossing) -> Figure:
    figure, (ax,) = drawing.panels(width=5.8, height=3.9)
    for point, name, colour in zip((EAGER, CAREFUL), NAMES, drawing.PALETTE, strict=False):
        found = br.sweep(br.f1, point, PREVALENCES)
        words = f"{name}: TPR {point.tpr}, FPR {point.fpr}"
        ax.plot(PREVALENCES, found.value, color=colour, linewidth=2.2, label=words)
    ax.axvline(swap.prevalence, color=drawing.GREY, linewidth=1, linestyle=":")
    ax.plot(swap.prevalence, swap.value, "o", color=drawing.INK, markersize=6)
    drawing.label(ax, swap.prevalence, swap.value, f"equal at {swap.prevalence:.4f}", drawing.INK, rise=-12)
    drawing.describe(ax, "Two classifiers", "", "F1")
    drawing.prevalence_axis(ax, (0.0001, 0.001, 0.01, 0.1, 0.5))
    ax.set_ylim(-0.02, 1.02)
    drawing.legend(ax, "upper left")
    return figure
