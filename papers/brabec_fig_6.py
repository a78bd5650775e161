"""A test set brought to another prevalence by throwing negatives away, beside the closed form that keeps them.

Brabec, Komárek, Franc & Machlica, On Model Evaluation under Non-constant Class Imbalance, ICCS 2020
(doi:10.1007/978-3-030-50423-6_6), figure 6. There: a ResNet-50 that looks for agamas in ImageNet, 30 sub-samples at
prevalence 0.01. Here: card fraud found by a logistic regression, 147 frauds in 85,443 payments, at the same prevalence.
"""

import drawing
import models
import numpy as np
from experiment import Difference, Experiment, Finding, Setup, Shape
from matplotlib.figure import Figure
from noise import standard_errors_away
from numpy.typing import NDArray
from thinning import thinned

import baserate as br

PREVALENCE = 0.01
SAMPLES = 30
RECALLS = np.linspace(0.02, 0.98, 97)
LIMIT = "limit 4 standard errors of the mean"

Precisions = NDArray[np.float64]


def precisions(curve: br.Curve) -> Precisions:
    """Precision at the strictest threshold that reaches each recall, as ``curve.at_recall`` chooses it."""
    return br.precision(curve)[np.searchsorted(curve.tpr, RECALLS)]


def run(setup: Setup) -> Experiment:
    whole = models.credit_card_curve(setup)
    rng = np.random.default_rng(6)
    drawn = np.array([precisions(thinned(whole, PREVALENCE, rng)) for _ in range(SAMPLES)])
    closed = precisions(whole.at_prevalence(PREVALENCE))
    runs = 300 if setup.quick else 2000
    area = br.papers.undersampled(br.average_precision, whole, PREVALENCE, n_samples=runs, rng=6)
    return Experiment(
        title="Throwing negatives away adds noise",
        source="Brabec et al. 2020, Fig. 6 (on card fraud in place of ImageNet)",
        story=(
            "The authors look for agamas in ImageNet; here frauds are looked for among card payments, by the logistic "
            f"regression of the experiments after Siblini et al. The prevalence of the test set is "
            f"{whole.prevalence:.4f}; wanted is 0.01. The black line keeps all {whole.n_neg:,.0f} negatives and reads "
            f"the curve there. The bands show what {SAMPLES} test sets of about 14,700 payments say, in which five "
            "negatives of six were thrown away. The closed form is what they scatter around."
        ),
        findings=(*findings(closed, drawn, area), thinned_positives(runs)),
        figure=picture(closed, drawn, area),
    )


def findings(closed: Precisions, drawn: Precisions, area: br.results.Undersampled) -> tuple[Finding, ...]:
    low, high = np.quantile(drawn, [0.25, 0.75], axis=0)
    inside = ((drawn >= low) & (drawn <= high)).mean(axis=1)
    partly = int(((inside > 0) & (inside < 1)).sum())
    spread = np.ptp(drawn, axis=0)
    between = (closed >= drawn.min(axis=0)) & (closed <= drawn.max(axis=0))
    off = float(standard_errors_away(drawn.mean(axis=1), float(closed.mean())))
    off_area = float(standard_errors_away(area.samples, area.value))
    return (
        Shape(
            "sub-sampled PR curves scatter considerably, and some lie within their middle half only partly",
            f"precision at one recall by up to {spread.max():.3f} between {SAMPLES} test sets, {np.median(spread):.3f} "
            f"at a middling recall; {partly} of {SAMPLES} lie within partly",
            bool(spread.max() > 0.05 and partly > 0),
        ),
        Shape(
            "the closed form lies within what they say",
            f"at {between.mean():.0%} of recalls; mean precision over all recalls {closed.mean():.4f}, sub-sampled "
            f"{drawn.mean():.4f}, {off:.1f} standard errors away",
            bool(between.mean() > 0.95 and off < 4),
            LIMIT,
        ),
        Shape(
            "a sub-sampled test set has the prevalence that was asked for",
            f"{area.n_pos} frauds and {area.n_neg:,} other payments",
            area.n_neg == 99 * area.n_pos,
        ),
        Shape(
            "the area scatters around its closed form, too",
            f"average precision {area.value:.4f} by the closed form; sub-sampled {area.mean:.4f} ± {area.spread:.4f}, "
            f"the mean {off_area:.1f} standard errors away",
            bool(off_area < 4 and area.spread > 0.005),
            LIMIT,
        ),
    )


def thinned_positives(runs: int) -> Finding:
    """The same with positives thrown away: of 200 ten are left, and the mean is not the closed form."""
    rng = np.random.default_rng(0)
    label = np.repeat([1, 0], [200, 10_000])
    curve = br.Curve.from_scores(label, rng.normal(label, 1))
    area = br.papers.undersampled(br.average_precision, curve, 0.001, n_samples=runs, rng=1)
    off = float(standard_errors_away(area.samples, area.value))
    return Difference(
        "throwing positives away instead is biased",
        f"average precision {area.value:.4f} by the closed form",
        f"{area.mean:.4f} on average of {runs:,} test sets with {area.n_pos} positives, {off:.0f} standard errors away",
        bool(off > 6 and area.mean > 1.5 * area.value),
        "of scores N(0, 1) and N(1, 1), read at 0.001. The highest of few positives has few negatives above it by "
        "chance, and that raises the mean; the papers throw negatives away",
    )


def picture(closed: Precisions, drawn: Precisions, area: br.results.Undersampled) -> Figure:
    figure, (whole, close, right) = drawing.panels(3, width=4.2, height=3.9)
    low, high = np.quantile(drawn, [0.25, 0.75], axis=0)
    for ax in (whole, close):
        ends = drawn.min(axis=0), drawn.max(axis=0)
        ax.fill_between(RECALLS, *ends, color=drawing.SKY, alpha=0.35, linewidth=0, label="lowest to highest of 30")
        ax.fill_between(RECALLS, low, high, color=drawing.BLUE, alpha=0.35, linewidth=0, label="their middle half")
        ax.plot(RECALLS, closed, color=drawing.INK, linewidth=1.8, label="all negatives, read at 0.01")
    whole.set_ylim(0, 1.02)
    close.set_xlim(0.15, 0.87)
    close.set_ylim(0.86, 1.005)
    drawing.describe(whole, "PR curves at prevalence 0.01", "recall", "precision")
    drawing.describe(close, "The upper part of it", "recall", "precision")
    drawing.legend(whole, "lower left")
    right.hist(area.samples, bins=25, color=drawing.SKY, edgecolor="white", linewidth=0.6)
    right.axvline(area.value, color=drawing.INK, linewidth=1.8)
    right.set_ylim(0, right.get_ylim()[1] * 1.1)
    drawing.label(right, area.value, right.get_ylim()[1] * 0.96, "closed form", drawing.INK)
    right.set_yticks([])
    drawing.describe(right, f"Areas of {area.samples.size:,} sub-samples", "average precision", "test sets")
    return figure
