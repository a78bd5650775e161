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
ONE_SIGMA = 0.6826894921  # of a normal distribution within one standard deviation


def with_recall_fixed(band: br.Band, recall: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The band of F1 that comes of a band of precision if recall is taken to be known exactly."""
    return 2 * band.low * recall / (band.low + recall), 2 * band.high * recall / (band.high + recall)


def run(setup: Setup) -> Experiment:
    n = 200_000 if setup.quick else 4_000_000
    narrow, wide = (br.max_width(tpr=TPR.ends, fpr=fpr.ends) for fpr in (NARROW, WIDE))
    box = br.box_band(br.precision, [0.01], tpr=(0.4, 0.6), fpr=(0.009, 0.011))
    level = br.box_level(tpr=TPR, fpr=WIDE, n_samples=n, rng=5)
    error = round(5e-4 + 4 * 0.5 / np.sqrt(n), 5)
    bound = _bound()
    band = br.box_band(br.precision, PREVALENCES, tpr=TPR.ends, fpr=WIDE.ends)
    f1_band, fixed = br.box_band(br.f1, PREVALENCES, tpr=TPR.ends, fpr=WIDE.ends), with_recall_fixed(band, TPR.value)
    few = br.design.supports(br.Point.from_counts(tp=60, fp=10, fn=40, tn=9_990)).points[0]
    findings = (
        Number("CV of both rates, and so Δ, for FPR 0.001 ± 0.0001", 0.1, narrow.width, 5e-10),
        Number("bound of Δ for FPR 0.001 ± 0.0005: the larger CV", 0.5, max(TPR.cv, WIDE.cv), 5e-10),
        Number("Δ itself (their footnote 8)", 0.31, wide.width, 0.005),
        Number("… and the prevalence where it is", 1.45e-3, wide.prevalence, 5e-6),
        Number("lower end of the box TPR 0.5 ± 0.1, FPR 0.01 ± 0.001 at 0.01", 0.2686, float(box.low[0]), 5e-5, BOX),
        Number("… its middle", 0.3356, float(box.value[0]), 5e-5, BOX),
        Number("… its upper end", 0.4024, float(box.high[0]), 5e-5, BOX),
        Number("how often the second band holds the true precision", 0.761, level, error, "by simulation: 4 errors"),
        Shape(
            "corollary 1: at least as often as both rates lie in their intervals",
            f"{level:.3f}, at least {ONE_SIGMA**2:.3f}",
            level > ONE_SIGMA**2,
        ),
        Shape(
            "theorem 1: Δ is at most the larger CV, and equal to it only if both are",
            f"on {bound.size} pairs the bound is too large by 0 to {bound.max():.3f}",
            bool(np.all(np.diag(np.abs(bound)) < 1e-12) and np.all(bound[~np.eye(len(bound), dtype=bool)] > 1e-6)),
        ),
        Shape(
            "the band over all prevalences is nowhere wider than Δ",
            f"{(band.high - band.low).max():.6f} of {wide.width:.6f}",
            0 <= wide.width - (band.high - band.low).max() < 1e-4,
        ),
        Shape(
            "an FPR of 0.001 from 10,000 negatives rests on 10 false positives",
            f"“{few}”",
            "rests on 10 of 10,000 negatives" in str(few),
        ),
        Shape(
            "a band of F1 from that of precision with recall held fixed is too narrow",
            f"at most {(fixed[1] - fixed[0]).max():.3f} wide, where it is {(f1_band.high - f1_band.low).max():.3f}",
            bool(np.all((f1_band.low < fixed[0]) & (f1_band.high > fixed[1]))),
            "ours lets recall vary within its interval too",
        ),
    )
    return Experiment(
        title="How well precision is known, at worst",
        source="Brabec et al. 2020, Fig. 5",
        story=(
            "TPR 0.6 ± 0.06 with FPR 0.001 ± 0.0001 (left) and ± 0.0005 (middle): between the lower and the upper "
            "bound lies the precision of every pair of rates within the two intervals. An error of FPR that looks "
            "tiny makes precision unknown to a third. Right: the same for F1, and how much too narrow its band is if "
            "only precision is varied."
        ),
        findings=findings,
        figure=picture(f1_band, fixed),
    )


BOX = "not printed: the corners of the box in equation 4"


def _bound() -> NDArray[np.float64]:
    """By how much the larger CV exceeds Δ, for pairs of CVs."""
    cvs = np.linspace(0.05, 0.95, 19)
    return np.array([[max(a, b) - br.max_width_from_cvs(float(a), float(b)) for a in cvs] for b in cvs])


def picture(f1_band: br.Band, fixed: tuple[NDArray[np.float64], NDArray[np.float64]]) -> Figure:
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
    band = br.box_band(br.precision, PREVALENCES, tpr=TPR.ends, fpr=fpr.ends)
    widest = br.max_width(tpr=TPR.ends, fpr=fpr.ends)
    _band(ax, band, drawing.BLUE, "between the bounds")
    at = br.box_band(br.precision, [widest.prevalence], tpr=TPR.ends, fpr=fpr.ends)
    ax.vlines(widest.prevalence, at.low, at.high, color=drawing.ORANGE, linewidth=2.4)
    words = f"Δ = {widest.width:.2f} at\n{widest.prevalence:.2g}"
    drawing.label(ax, widest.prevalence, float(at.low[0]), words, drawing.ORANGE, rise=-6)
    drawing.describe(ax, f"Precision, FPR {fpr.value:g} ± {fpr.sigma:g}", "", "precision")
    drawing.legend(ax, "upper left")


def _band(ax: Axes, band: br.Band, colour: str, name: str) -> None:
    ax.fill_between(band.place, band.low, band.high, color=colour, alpha=0.2, linewidth=0, label=name)
    ax.plot(band.place, band.value, color=colour, linewidth=2)
