"""A formula beside a thousand thinned test sets: metrics of a credit card model at other shares of fraud.

Siblini, Fréry, He-Guelton, Oblé & Wang, Master Your Metrics with Calibration, IDA 2020, figure 6
(doi:10.1007/978-3-030-44584-3_36), figures 7 and 8 of its long version (arXiv:1909.02827). Thinning out the test set is
what Jeni, Cohn & De la Torre proposed, ACII 2013 (doi:10.1109/ACII.2013.47).
"""

from collections.abc import Callable
from typing import NamedTuple

import drawing
import models
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import baserate as br

Floats = NDArray[np.float64]

SHARES = np.geomspace(0.00172044520908676, 0.5, 20)
# Read off the authors' figure, where a pixel is about 0.0002.
FIGURE = (
    0.7653, 0.7879, 0.8068, 0.8226, 0.8360, 0.8478, 0.8583, 0.8681, 0.8773, 0.8861,
    0.8949, 0.9035, 0.9122, 0.9209, 0.9297, 0.9388, 0.9481, 0.9575, 0.9673, 0.9771,
)  # fmt: skip
METRICS: dict[str, Callable[[br.Curve], float]] = {
    "AUC-PR": br.average_precision,
    "AUC-PR gain": br.auc_prg,
    "F1": lambda curve: float(br.f1(curve.at_threshold(0.5))),
}
REFERENCE = 0.5


class Thinned(NamedTuple):
    """Test sets thinned out to some shares: each metric at their own share and at the reference, and the formula."""

    shares: Floats
    own: dict[str, Floats]
    calibrated: dict[str, Floats]
    formula: dict[str, Floats]


def thin(curve: br.Curve, setup: Setup) -> Thinned:
    shares, n_runs = (SHARES[[7, 13, 19]], 60) if setup.quick else (SHARES, 1000)
    rng = np.random.default_rng(6)
    own, calibrated = ({name: np.zeros((n_runs, len(shares))) for name in METRICS} for _ in range(2))
    for k, share in enumerate(shares):
        kept: list[br.Curve] = []

        def keep(thinned: br.Curve, kept: list[br.Curve] = kept) -> float:
            kept.append(thinned)
            return 0.0

        br.undersampled(keep, curve, share, n_samples=n_runs, rng=rng)
        for name, metric in METRICS.items():
            own[name][:, k] = [metric(one) for one in kept[-n_runs:]]
            calibrated[name][:, k] = [metric(one.at_prevalence(REFERENCE)) for one in kept[-n_runs:]]
    formula = {name: br.sweep(metric, curve, shares).value for name, metric in METRICS.items()}
    return Thinned(shares, own, calibrated, formula)


def run(setup: Setup) -> Experiment:
    curve = models.credit_card_curve(setup)
    thinned = thin(curve, setup)
    return Experiment(
        title="A formula, or a thousand thinned test sets",
        source="Siblini et al. 2020, Fig. 6; long version, Fig. 7 and 8",
        story=(
            "A logistic regression on 85,443 card payments with 147 frauds. Left: AUC-PR at 20 shares of fraud, by the "
            "formula (blue, one reading of one curve) and as the mean over test sets from which honest payments were "
            f"thrown away until the share was reached (orange, {thinned.own['F1'].shape[0]:,} runs, band: one standard "
            "deviation). Right: the three metrics on these thinned test sets, at their own share and read at 0.5, "
            "where they stay."
        ),
        findings=(*published(curve), *shapes(thinned)),
        figure=picture(curve, thinned),
    )


def published(curve: br.Curve) -> list[Number]:
    at_half = curve.at_prevalence(0.5)
    printed = [
        Number("frauds in the test set", 147, curve.n_pos, 0),
        Number("rows in the test set", 85_443, curve.n_pos + curve.n_neg, 0),
        Number("AUC-PR at the test set's share", 0.765329, br.average_precision(curve), 5e-7),
        Number("F1 at score 0.5, there", 0.728000, METRICS["F1"](curve), 5e-7),
        Number("AUC-ROC", 0.968966, br.roc_auc(curve), 5e-7),
        Number("AUC-PR at 0.5", 0.977171, br.average_precision(at_half), 5e-7),
        Number("F1 at score 0.5, at 0.5", 0.764639, METRICS["F1"](at_half), 5e-7),
    ]
    ours = br.sweep(br.average_precision, curve, SHARES).value
    why = "read off the figure, to about 0.0002"
    return printed + [
        Number(f"AUC-PR by the formula at {share:.5f}", value, mine, 0.0002, why)
        for share, value, mine in zip(SHARES, FIGURE, ours, strict=True)
    ]


def shapes(thinned: Thinned) -> list[Shape]:
    name = "AUC-PR"
    values, formula = thinned.own[name], thinned.formula[name]
    mean, spread = values.mean(0), values.std(0, ddof=1)
    moves = spread > 1e-9  # at the share of the test set nothing is thrown away
    off = np.abs(mean - formula)[moves] / spread[moves]
    surprise = off * np.sqrt(len(values))
    found = [
        Shape(
            "the mean over thinned test sets is the formula",
            f"at most {surprise.max():.1f} standard errors of the mean away, {np.abs(mean - formula).max():.4f}",
            bool(surprise.max() < 4),
            f"limit 4, for {moves.sum()} means",
        ),
        Shape(
            "one thinned test set is not: throwing rows away adds noise, which the formula does not have",
            f"standard deviation of one run up to {spread.max():.4f}",
            bool(spread.max() > 0.002),
        ),
    ]
    for one in METRICS:
        own, calibrated = thinned.own[one].mean(0), thinned.calibrated[one].mean(0)
        level = thinned.formula[one][-1]
        found.append(
            Shape(
                f"{one}: read at 0.5 it stays where it is, whatever was thrown away",
                f"within {np.abs(calibrated - level).max():.4f} of {level:.4f}; at the own share it moves by "
                f"{np.ptp(own):.4f}",
                bool(np.abs(calibrated - level).max() < 0.25 * np.ptp(own)),
            )
        )
    return found


def picture(curve: br.Curve, thinned: Thinned) -> Figure:
    figure, axes = drawing.panels(4, width=3.7, height=3.8)
    values = thinned.own["AUC-PR"]
    mean, spread = values.mean(0), values.std(0, ddof=1)
    fine = br.sweep(br.average_precision, curve, np.geomspace(SHARES[0], 0.5, 200))
    ax = axes[0]
    ax.fill_between(thinned.shares, mean - spread, mean + spread, color=drawing.ORANGE, alpha=0.25, linewidth=0)
    ax.plot(thinned.shares, mean, color=drawing.ORANGE, linewidth=2, label="thinned test sets")
    ax.plot(fine.prevalence, fine.value, color=drawing.BLUE, linewidth=0.8)
    ax.plot(SHARES, br.sweep(br.average_precision, curve, SHARES).value, "o", color=drawing.BLUE, markersize=4.5,
            label="formula")  # fmt: skip
    drawing.describe(ax, "AUC-PR, two ways")
    drawing.legend(ax, "lower right")
    drawing.prevalence_axis(ax, (0.002, 0.02, 0.1, 0.5), name="share of fraud")
    for ax, name in zip(axes[1:], METRICS, strict=True):
        metric_over_shares(ax, name, thinned)
    drawing.legend(axes[1], "lower right")
    return figure


def metric_over_shares(ax: Axes, name: str, thinned: Thinned) -> None:
    for values, colour, words in (
        (thinned.own[name], drawing.ORANGE, "at the share it has"),
        (thinned.calibrated[name], drawing.BLUE, "read at 0.5"),
    ):
        mean, spread = values.mean(0), values.std(0, ddof=1)
        ax.fill_between(thinned.shares, mean - 2 * spread, mean + 2 * spread, color=colour, alpha=0.2, linewidth=0)
        ax.plot(thinned.shares, mean, "o-", color=colour, linewidth=2, markersize=3.5, label=words)
    drawing.describe(ax, f"{name} of thinned test sets")
    drawing.prevalence_axis(ax, (0.002, 0.02, 0.1, 0.5), name="share of fraud")
