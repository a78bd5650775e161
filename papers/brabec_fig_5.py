"""How well precision is known when each rate is known to an interval, at the worst prevalence.

Brabec, Komárek, Franc & Machlica, On Model Evaluation under Non-constant Class Imbalance, ICCS 2020
(doi:10.1007/978-3-030-50423-6_6), figure 5 with theorem 1 and the examples of section 5.
"""

from typing import NamedTuple

import drawing
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import ndtr

import baserate as br

PREVALENCES = np.geomspace(1e-5, 0.5, 400)


class Rate(NamedTuple):
    """A rate and how far to either side it may be off."""

    value: float
    sigma: float

    @property
    def ends(self) -> tuple[float, float]:
        return self.value - self.sigma, self.value + self.sigma

    @property
    def cv(self) -> float:
        return self.sigma / self.value


TPR = Rate(0.6, 0.06)
NARROW, WIDE = Rate(0.001, 0.0001), Rate(0.001, 0.0005)
BOX = "in the authors' tests (nci_eval, test_metrics.py); the corners of the box in equation 4"

Floats = NDArray[np.float64]


def with_recall_fixed(band: br.results.Band, recall: float) -> tuple[Floats, Floats]:
    """The band of F1 that comes of a band of precision if recall is taken to be known exactly."""
    return 2 * band.low * recall / (band.low + recall), 2 * band.high * recall / (band.high + recall)


def run(setup: Setup) -> Experiment:
    band, f1_band = (
        br.papers.box_band(metric, PREVALENCES, tpr=TPR.ends, fpr=WIDE.ends) for metric in (br.precision, br.f1)
    )
    fixed = with_recall_fixed(band, TPR.value)
    return Experiment(
        title="How well precision is known, at worst",
        source="Brabec et al. 2020, Fig. 5",
        story=(
            "TPR 0.6 ± 0.06 with FPR 0.001 ± 0.0001 (left) and ± 0.0005 (middle): between the lower and the upper "
            "bound lies the precision of every pair of rates within the two intervals. An error of FPR that looks "
            "tiny makes precision unknown to a third. Right: the same for F1, and how much too narrow its band is if "
            "only precision is varied."
        ),
        findings=(*of_widths(band), *of_boxes(), how_often(setup), of_few_cases(), of_f1(f1_band, fixed)),
        figure=picture(f1_band, fixed),
    )


def of_widths(band: br.results.Band) -> list[Number | Shape]:
    narrow, wide = (br.design.max_width(tpr=TPR.ends, fpr=fpr.ends) for fpr in (NARROW, WIDE))
    cvs = np.linspace(0.05, 0.95, 19)
    excess = np.array([[max(a, b) - br.papers.max_width_from_cvs(float(a), float(b)) for a in cvs] for b in cvs])
    equal = np.eye(len(cvs), dtype=bool)
    return [
        Number("CV of both rates, and so Δ, for FPR 0.001 ± 0.0001", 0.1, narrow.width, 5e-10),
        Number(
            "Δ for FPR 0.001 ± 0.0005 (their footnote 8)", 0.31, wide.width, 0.005, "of a bound of 0.5, the larger CV"
        ),
        Number("… and the prevalence where it is", 1.45e-3, wide.prevalence, 5e-6),
        Shape(
            "theorem 1: Δ is at most the larger CV, and equal to it only if both are",
            f"{(excess[equal] < 1e-12).sum()} of {equal.sum()} pairs of equal CVs reach it, "
            f"{(excess[~equal] > 1e-6).sum()} of {(~equal).sum()} others stay below, by up to {excess.max():.3f}",
            bool(np.all(np.abs(excess[equal]) < 1e-12) and np.all(excess[~equal] > 1e-6)),
        ),
        Shape(
            "the band over all prevalences is nowhere wider than Δ",
            f"{(band.high - band.low).max():.6f} of {wide.width:.6f}",
            0 <= wide.width - (band.high - band.low).max() < 1e-4,
        ),
    ]


def of_boxes() -> list[Number]:
    box = br.papers.box_band(br.precision, [0.01], tpr=(0.4, 0.6), fpr=(0.009, 0.011))
    return [
        Number(what, value, float(ours[0]), 5e-5, BOX, printed=False)
        for what, value, ours in (
            ("lower end of the box TPR 0.5 ± 0.1, FPR 0.01 ± 0.001 at 0.01", 0.2686, box.low),
            ("… its upper end", 0.4024, box.high),
        )
    ]


def how_often(setup: Setup) -> Number:
    """How often the band around normal estimates holds the true precision."""
    n = 200_000 if setup.quick else 4_000_000
    margins = (TPR.cv + WIDE.cv) / np.hypot(TPR.cv, WIDE.cv)
    expected = round(float(2 * ndtr(margins) - 1), 6)
    return Number(
        "how often the second band holds the true precision",
        expected,
        br.papers.box_level(tpr=TPR, fpr=WIDE, n_samples=n, rng=5),
        round(float(4 * np.sqrt(expected * (1 - expected) / n)), 6),
        "of normal estimates, 2Φ((CV₁ + CV₂) / √(CV₁² + CV₂²)) − 1; ours is a simulation: 4 standard errors. "
        "Corollary 1 promises 0.466",
        printed=False,
    )


def of_few_cases() -> Shape:
    few = br.design.supports(br.Point.from_counts(tp=60, fp=10, fn=40, tn=9_990)).points[0]
    return Shape(
        "an FPR of 0.001 from 10,000 negatives rests on 10 false positives",
        f"“{few}”",
        "rests on 10 of 10,000 negatives" in str(few),
    )


def of_f1(band: br.results.Band, fixed: tuple[Floats, Floats]) -> Shape:
    return Shape(
        "a band of F1 from that of precision with recall held fixed is too narrow",
        f"at most {(fixed[1] - fixed[0]).max():.3f} wide, where it is {(band.high - band.low).max():.3f}",
        bool(np.all((band.low < fixed[0]) & (band.high > fixed[1]))),
        "ours lets recall vary within its interval too",
    )


def picture(f1_band: br.results.Band, fixed: tuple[Floats, Floats]) -> Figure:
    figure, (left, middle, right) = drawing.panels(3, width=4.1, height=3.9)
    for ax, fpr in ((left, NARROW), (middle, WIDE)):
        _precision(ax, fpr)
    _band(right, f1_band, drawing.BLUE, "recall varies too")
    right.plot(PREVALENCES, fixed[0], color=drawing.ORANGE, linewidth=1.4, linestyle=(0, (4, 2)))
    right.plot(PREVALENCES, fixed[1], color=drawing.ORANGE, linewidth=1.4, linestyle=(0, (4, 2)), label="recall fixed")
    drawing.describe(right, "F1, FPR 0.001 ± 0.0005", "", "F1")
    drawing.legend(right, "upper left")
    for ax in (left, middle, right):
        drawing.prevalence_axis(ax, (0.0001, 0.01, 0.5))
        ax.set_ylim(-0.02, 1.02)
    return figure


def _precision(ax: Axes, fpr: Rate) -> None:
    band = br.papers.box_band(br.precision, PREVALENCES, tpr=TPR.ends, fpr=fpr.ends)
    widest = br.design.max_width(tpr=TPR.ends, fpr=fpr.ends)
    _band(ax, band, drawing.BLUE, "between the bounds")
    at = br.papers.box_band(br.precision, [widest.prevalence], tpr=TPR.ends, fpr=fpr.ends)
    ax.vlines(widest.prevalence, at.low, at.high, color=drawing.ORANGE, linewidth=2.4)
    words = f"Δ = {widest.width:.2f} at\n{widest.prevalence:.3g}"
    drawing.label(ax, widest.prevalence, float(at.low[0]), words, drawing.ORANGE, rise=-6)
    drawing.describe(ax, f"Precision, FPR {fpr.value:g} ± {fpr.sigma:g}", "", "precision")
    drawing.legend(ax, "upper left")


def _band(ax: Axes, band: br.results.Band, colour: str, name: str) -> None:
    ax.fill_between(band.place, band.low, band.high, color=colour, alpha=0.2, linewidth=0, label=name)
    ax.plot(band.place, band.value, color=colour, linewidth=2)
