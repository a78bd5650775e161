"""A test set brought to another prevalence by throwing negatives away, beside the closed form that keeps them.

Brabec, Komárek, Franc & Machlica, On Model Evaluation under Non-constant Class Imbalance, ICCS 2020
(doi:10.1007/978-3-030-50423-6_6), figure 6. There: a ResNet-50 that looks for agamas in ImageNet, 30 sub-samples at
prevalence 0.01. Here: card fraud found by a logistic regression, 147 frauds in 85,443 payments, at the same prevalence.
"""

import data
import drawing
import numpy as np
import polars as pl
from experiment import Experiment, MissingDataError, Setup, Shape
from matplotlib.figure import Figure
from numpy.typing import NDArray

import baserate as br

PREVALENCE = 0.01
SAMPLES = 30
RECALLS = np.linspace(0.02, 0.98, 97)

Precisions = NDArray[np.float64]


def scores() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    path = data.FOLDER / "creditcard_scores.parquet"
    if not path.exists():
        raise MissingDataError(
            f"the scores of the credit card test set ({path.name}: y, score) are not here; set BASERATE_DATA to their "
            "folder."
        )
    table = pl.read_parquet(path)
    return table["y"].cast(pl.Int64).to_numpy(), table["score"].cast(pl.Float64).to_numpy()


def precisions(curve: br.Curve) -> Precisions:
    """Precision at the strictest threshold that reaches each recall, as ``curve.at_recall`` chooses it."""
    return br.precision(curve)[np.searchsorted(curve.tpr, RECALLS)]


def subsample(y: NDArray[np.int64], score: NDArray[np.float64], rng: np.random.Generator) -> br.Curve:
    """All positives, and as many negatives as make the prevalence."""
    pos, neg = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    kept = rng.choice(neg, round(pos.size * (1 - PREVALENCE) / PREVALENCE), replace=False)
    rows = np.concatenate([pos, kept])
    return br.Curve.from_scores(y[rows], score[rows])


def run(setup: Setup) -> Experiment:
    y, score = scores()
    whole = br.Curve.from_scores(y, score)
    rng = np.random.default_rng(6)
    drawn = np.array([precisions(subsample(y, score, rng)) for _ in range(SAMPLES)])
    closed = precisions(whole.at_prevalence(PREVALENCE))
    runs = 300 if setup.quick else 2000
    area = br.undersampled(br.average_precision, whole, PREVALENCE, n_samples=runs, rng=6)
    return Experiment(
        title="Throwing negatives away adds noise, and nothing else",
        source="Brabec et al. 2020, Fig. 6 (on card fraud in place of ImageNet)",
        story=(
            f"The prevalence of the test set is {whole.prevalence:.4f}; wanted is 0.01. The black line keeps all "
            "85,296 negatives and reads the curve there. The bands show what 30 test sets of about 14,700 payments "
            "say, in which five negatives of six were thrown away. The closed form is what they scatter around."
        ),
        findings=findings(closed, drawn, area),
        figure=picture(closed, drawn, area),
    )


def findings(closed: Precisions, drawn: Precisions, area: br.Undersampled) -> tuple[Shape, ...]:
    low, high = np.quantile(drawn, [0.25, 0.75], axis=0)
    inside = ((drawn >= low) & (drawn <= high)).mean(axis=1)
    partly = int(((inside > 0) & (inside < 1)).sum())
    spread = np.ptp(drawn, axis=0)
    between = (closed >= drawn.min(axis=0)) & (closed <= drawn.max(axis=0))
    middle = np.median(drawn, axis=0)
    return (
        Shape(
            "sub-sampled PR curves scatter considerably",
            f"precision at one recall by up to {spread.max():.3f} between 30 test sets, {np.median(spread):.3f} at a "
            "middling recall",
            bool(spread.max() > 0.05),
        ),
        Shape(
            "the closed form lies within what they say, and near their median",
            f"within at {between.mean():.0%} of recalls; median off by {np.abs(middle - closed).mean():.4f} on average",
            bool(between.mean() > 0.95 and np.abs(middle - closed).mean() < 0.01),
        ),
        Shape(
            "some curves lie within the middle half only partly",
            f"{partly} of 30 do; the 30 lie within it at {inside.min():.0%} to {inside.max():.0%} of recalls",
            partly > 0,
        ),
        Shape(
            "the same holds for the area",
            f"average precision {area.value:.4f} by the closed form; sub-sampled {area.mean:.4f} ± {area.spread:.4f}",
            bool(abs(area.mean - area.value) < area.spread and area.spread > 0),
        ),
    )


def picture(closed: Precisions, drawn: Precisions, area: br.Undersampled) -> Figure:
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
