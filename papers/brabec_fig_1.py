"""Precision of one operating point over the prevalence: the positive-prevalence precision curve.

Brabec, Komárek, Franc & Machlica, On Model Evaluation under Non-constant Class Imbalance, ICCS 2020
(doi:10.1007/978-3-030-50423-6_6), figure 1 with equations 4 and 8.
"""

import drawing
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure

import baserate as br

POINT = br.Point.from_rates(tpr=0.6, fpr=0.001)
PREVALENCES = np.geomspace(1e-5, 0.5, 300)

# TPR, FPR, prevalence, what equation 4 gives, and the same in the authors' tests.
BAYES = (
    (0.5, 0.01, 0.01, 0.3355704698, 0.3355),
    (0.5, 0.01, 0.001, 0.0476644423, 0.0477),
    (0.2, 0.001, 0.03, 0.8608321377, 0.8608),
)


def run(setup: Setup) -> Experiment:
    found = br.sweep(br.precision, POINT, PREVALENCES)
    ratio = np.log(found.value / (1 - found.value)) - np.log(PREVALENCES / (1 - PREVALENCES))
    counted = br.Point.from_counts(tp=60, fp=10, fn=40, tn=9_990)
    numbers = tuple(
        Number(
            f"precision at TPR {tpr:g}, FPR {fpr:g}, prevalence {prevalence:g}",
            value,
            br.precision(br.Point.from_rates(tpr, fpr, prevalence=prevalence)),
            5e-11,
            f"what equation 4 gives; {tested} in the authors' tests (nci_eval, test_metrics.py)",
            printed=False,
        )
        for tpr, fpr, prevalence, value, tested in BAYES
    )
    return Experiment(
        title="Precision of one classifier over all prevalences",
        source="Brabec et al. 2020, Fig. 1",
        story=(
            "A classifier that finds 60 % of the positives and takes one negative in a thousand for one. Neither rate "
            "depends on the prevalence; precision does, from nearly 1 to nearly 0."
        ),
        findings=(
            *numbers,
            Shape(
                "precision only rises with the prevalence, over the whole range",
                f"from {found.value[0]:.4f} at 0.00001 to {found.value[-1]:.4f} at 0.5",
                bool(np.all(np.diff(found.value) > 0) and found.value[0] < 0.01 and found.value[-1] > 0.99),
            ),
            Shape(
                "on the scale of log-odds it is a straight line: the prevalence plus the log of TPR/FPR",
                f"from {ratio.min():.6f} to {ratio.max():.6f} at {ratio.size} prevalences, log 600 is "
                f"{np.log(600):.6f}",
                bool(np.allclose(ratio, np.log(600), atol=1e-9, rtol=0)),
            ),
            Shape(
                "at the prevalence of the data it is the share of true among all alarms",
                f"60/70 = {60 / 70:.6f} and {br.precision(counted):.6f}",
                abs(br.precision(counted) - 60 / 70) < 1e-15,
            ),
        ),
        figure=picture(found),
    )


def picture(found: br.results.Sweep) -> Figure:
    figure, (ax,) = drawing.panels(width=5.8, height=3.9)
    ax.plot(found.prevalence, found.value, color=drawing.BLUE, linewidth=2.4)
    for prevalence in (0.0001, 0.001, 0.01, 0.1):
        value = float(br.precision(POINT.at_prevalence(prevalence)))
        ax.plot(prevalence, value, "o", color=drawing.BLUE, markersize=6)
        drawing.label(ax, prevalence, value, f"{value:.3f}", drawing.INK, rise=-8)
    drawing.describe(ax, "TPR 0.6, FPR 0.001", "", "precision")
    drawing.prevalence_axis(ax, (0.00001, 0.0001, 0.001, 0.01, 0.1, 0.5))
    ax.set_ylim(-0.02, 1.05)
    return figure
