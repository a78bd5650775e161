"""A formula beside a thousand thinned test sets: metrics of a credit card model at other shares of fraud.

Siblini, Fréry, He-Guelton, Oblé & Wang, Master Your Metrics with Calibration, IDA 2020, figure 6
(doi:10.1007/978-3-030-44584-3_36), figures 7 and 8 of its long version (arXiv:1909.02827). Thinning out the test set is
what Jeni, Cohn & De la Torre proposed, ACII 2013 (doi:10.1109/ACII.2013.47).
"""

from typing import NamedTuple

import drawing
import models
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from gaussians import METRICS
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from noise import standard_errors_away
from numpy.typing import NDArray
from thinning import thinned

import baserate as br

Floats = NDArray[np.float64]

SHARES = np.geomspace(0.00172044520908676, 0.5, 20)
# Read off the authors' figure, where a pixel is about 0.0002.
FIGURE = (
    0.7653, 0.7879, 0.8068, 0.8226, 0.8360, 0.8478, 0.8583, 0.8681, 0.8773, 0.8861,
    0.8949, 0.9035, 0.9122, 0.9209, 0.9297, 0.9388, 0.9481, 0.9575, 0.9673, 0.9771,
)  # fmt: skip
REFERENCE = 0.5
OF_FIT = "by scikit-learn's metrics on the same scores"


class Thinned(NamedTuple):
    """Test sets thinned out to some shares: each metric at their own share and at the reference, and the formula."""

    shares: Floats
    own: dict[str, Floats]
    calibrated: dict[str, Floats]
    formula: dict[str, Floats]


def thin(curve: br.Curve, setup: Setup) -> Thinned:
    shares, n_runs = (SHARES[[7, 13, 19]], 300) if setup.quick else (SHARES, 1000)
    rng = np.random.default_rng(6)
    own, calibrated = ({name: np.zeros((n_runs, len(shares))) for name in METRICS} for _ in range(2))
    for place in np.ndindex(n_runs, len(shares)):
        test_set = thinned(curve, float(shares[place[1]]), rng)
        for name, metric in METRICS.items():
            own[name][place] = metric(test_set)
            calibrated[name][place] = metric(test_set.at_prevalence(REFERENCE))
    formula = {name: br.sweep(metric, curve, shares).value for name, metric in METRICS.items()}
    return Thinned(shares, own, calibrated, formula)


def run(setup: Setup) -> Experiment:
    curve = models.credit_card_curve(setup)
    runs = thin(curve, setup)
    return Experiment(
        title="A formula, or a thousand thinned test sets",
        source="Siblini et al. 2020, Fig. 6; long version, Fig. 7 and 8",
        story=(
            f"A logistic regression on 85,443 card payments with 147 frauds. {models.OF_CARDS} Left: AUC-PR at 20 "
            "shares of fraud, by the formula (blue, one reading of one curve) and as the mean over test sets from "
            "which honest payments were thrown away until the share was reached (orange, "
            f"{len(runs.own['F1']):,} runs, band: one standard deviation). Right: the three metrics on these thinned "
            "test sets, at their own share and read at 0.5, where they stay."
        ),
        findings=(*published(curve), *shapes(runs), of_undersampled(curve, setup)),
        figure=picture(curve, runs),
    )


def published(curve: br.Curve) -> list[Number]:
    at_half = curve.at_prevalence(0.5)
    of_fit = [
        ("frauds in the test set", 147, curve.n_pos, 0),
        ("rows in the test set", 85_443, curve.n_pos + curve.n_neg, 0),
        ("AUC-PR at the test set's share", 0.765329, br.average_precision(curve), 5e-7),
        ("F1 at score 0.5, there", 0.728000, METRICS["F1"](curve), 5e-7),
        ("AUC-ROC", 0.968966, br.roc_auc(curve), 5e-7),
        ("AUC-PR at 0.5", 0.977171, br.average_precision(at_half), 5e-7),
        ("F1 at score 0.5, at 0.5", 0.764639, METRICS["F1"](at_half), 5e-7),
    ]
    ours = br.sweep(br.average_precision, curve, SHARES).value
    why = "read off the figure, to about 0.0002"
    return [Number(*what, OF_FIT, printed=False) for what in of_fit] + [
        Number(f"AUC-PR by the formula at {share:.5f}", value, mine, 0.0002, why)
        for share, value, mine in zip(SHARES, FIGURE, ours, strict=True)
    ]


def shapes(runs: Thinned) -> list[Shape]:
    values, formula = runs.own["AUC-PR"], runs.formula["AUC-PR"]
    off, spread = standard_errors_away(values, formula), values.std(0, ddof=1)
    found = [
        Shape(
            "the mean over thinned test sets is the formula",
            f"at most {off.max():.1f} standard errors of the mean away, {np.abs(values.mean(0) - formula).max():.4f}",
            bool(off.max() < 4),
            f"limit 4, for {len(off)} means",
        ),
        Shape(
            "one thinned test set is not: throwing rows away adds noise, which the formula does not have",
            f"standard deviation of one run up to {spread.max():.4f}",
            bool(spread.max() > 0.002),
        ),
    ]
    for name in METRICS:
        own, calibrated, level = runs.own[name].mean(0), runs.calibrated[name], runs.formula[name][-1]
        off = standard_errors_away(calibrated, level)
        found.append(
            Shape(
                f"{name}: read at 0.5 it stays where it is, whatever was thrown away",
                f"within {np.abs(calibrated.mean(0) - level).max():.5f} of {level:.4f}, at most {off.max():.1f} "
                f"standard errors of the mean; at the own share it moves by {np.ptp(own):.4f}",
                bool(off.max() < 4 and np.ptp(own) > 10 * np.ptp(calibrated.mean(0))),
                f"limit 4, for {len(off)} means",
            )
        )
    return found


def of_undersampled(curve: br.Curve, setup: Setup) -> Shape:
    """What the library says to the same question."""
    share = float(SHARES[13])
    found = br.papers.undersampled(br.average_precision, curve, share, n_samples=300 if setup.quick else 1000, rng=6)
    off = float(standard_errors_away(found.samples, found.value))
    kept = found.n_pos / (found.n_pos + found.n_neg)
    return Shape(
        "`undersampled` does the same",
        f"at a share of {share:.4f} it keeps {found.n_pos} frauds and {found.n_neg:,} other payments, {kept:.4f}; its "
        f"mean is {off:.1f} standard errors from the formula",
        off < 4 and abs(kept - share) < 1e-4,
        "limit 4 standard errors, and the share to four digits",
    )


def picture(curve: br.Curve, runs: Thinned) -> Figure:
    figure, axes = drawing.panels(4, width=3.7, height=3.8)
    values = runs.own["AUC-PR"]
    mean, spread = values.mean(0), values.std(0, ddof=1)
    fine = br.sweep(br.average_precision, curve, np.geomspace(SHARES[0], 0.5, 200))
    ax = axes[0]
    ax.fill_between(runs.shares, mean - spread, mean + spread, color=drawing.ORANGE, alpha=0.25, linewidth=0)
    ax.plot(runs.shares, mean, color=drawing.ORANGE, linewidth=2, label="thinned test sets")
    ax.plot(fine.prevalence, fine.value, color=drawing.BLUE, linewidth=0.8)
    ax.plot(SHARES, br.sweep(br.average_precision, curve, SHARES).value, "o", color=drawing.BLUE, markersize=4.5,
            label="formula")  # fmt: skip
    drawing.describe(ax, "AUC-PR, two ways")
    drawing.legend(ax, "lower right")
    drawing.prevalence_axis(ax, (0.002, 0.02, 0.1, 0.5), name="share of fraud")
    for ax, name in zip(axes[1:], METRICS, strict=True):
        metric_over_shares(ax, name, runs)
    drawing.legend(axes[1], "lower right")
    return figure


def metric_over_shares(ax: Axes, name: str, runs: Thinned) -> None:
    for values, colour, words in (
        (runs.own[name], drawing.ORANGE, "at the share it has"),
        (runs.calibrated[name], drawing.BLUE, "read at 0.5"),
    ):
        mean, spread = values.mean(0), values.std(0, ddof=1)
        ax.fill_between(runs.shares, mean - 2 * spread, mean + 2 * spread, color=colour, alpha=0.2, linewidth=0)
        ax.plot(runs.shares, mean, "o-", color=colour, linewidth=2, markersize=3.5, label=words)
    drawing.describe(ax, f"{name} of thinned test sets")
    drawing.prevalence_axis(ax, (0.002, 0.02, 0.1, 0.5), name="share of fraud")
