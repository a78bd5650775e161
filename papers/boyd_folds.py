"""Folds of different skew: means of areas, and a PR curve for all folds that keeps the mean area.

Boyd, Costa, Davis & Page, Unachievable Region in Precision-Recall Space and Its Effect on Empirical Evaluation,
ICML 2012 (arXiv:1206.4667), section 4.1, which leaves open how to summarize PR curves of folds.
"""

import drawing
import numpy as np
from experiment import Difference, Experiment, Setup, Shape
from matplotlib.figure import Figure

import baserate as br

SKEWS = (0.03, 0.05, 0.08, 0.2, 0.5)
POSITIVES, ROWS = 1_000, 20_000  # of a fold
SEPARATION = 1.2
NOISE = 0.05  # the area of a fold is known to some 0.02, that with the fewest negatives worst


def fold(n_pos: int, n: int, rng: np.random.Generator) -> br.Curve:
    """Rows that one model finds as hard as those of any other fold; only the share of positives differs."""
    label = np.arange(n) < n_pos
    return br.Curve.from_scores(label, rng.normal(SEPARATION * label))


def run(setup: Setup) -> Experiment:
    rng = np.random.default_rng(1)
    same_rows = {f"{skew:g}": fold(round(skew * ROWS), ROWS, rng) for skew in SKEWS}
    curves = {f"{skew:g}": fold(POSITIVES, round(POSITIVES / skew), rng) for skew in SKEWS}
    pooled, pooled_rows = (br.Curve.pool(made.values()) for made in (curves, same_rows))
    own, own_rows = (br.folds.mean_over_folds(br.auc_pr, made) for made in (curves, same_rows))
    common = br.folds.mean_over_folds(br.auc_pr, curves, prevalence=pooled.prevalence)
    common_rows = br.folds.mean_over_folds(br.auc_pr, same_rows, prevalence=pooled_rows.prevalence)
    summary = br.folds.summary_pr_curve(curves, pooled.prevalence)
    truth, truth_rows = br.auc_pr(pooled), br.auc_pr(pooled_rows)
    normalized = br.folds.mean_over_folds(br.normalized_auc_pr, curves)
    findings = (
        Shape(
            "the plain mean over folds can be too optimistic: folds with as many positives each",
            f"{own.value:.3f}; all rows together {truth:.3f}, at prevalence {pooled.prevalence:.3f}",
            own.value > truth + 0.02,
        ),
        Difference(
            "… and too pessimistic as well: folds with as many rows each",
            "",
            f"{own_rows.value:.3f}; all rows together {truth_rows:.3f}, at prevalence {pooled_rows.prevalence:.3f}",
            own_rows.value < truth_rows - 0.02,
            "the paper warns of the first only; which of the two it is depends on the sizes of the folds",
        ),
        Shape(
            "folds of different skew differ less in AUCNPR than in AUCPR, and still differ",
            f"standard deviation {normalized.spread:.3f} and {own.spread:.3f}",
            0.5 * own.spread < normalized.spread < own.spread,
        ),
        Shape(
            "read at one prevalence they hardly differ, and their mean is that of all rows together",
            f"standard deviation {common.spread:.3f}, mean {common.value:.3f}; folds with as many rows each "
            f"{common_rows.spread:.3f}, {common_rows.value:.3f}",
            common.spread < 0.25 * own.spread
            and abs(common.value - truth) < NOISE
            and abs(common_rows.value - truth_rows) < NOISE,
            "this model scores all folds on one scale, so that the rows may be pooled; means may differ by "
            f"{NOISE}, more than four standard errors",
        ),
        Shape(
            "a summary curve that keeps the area: the vertical mean of curves read at one prevalence",
            f"its area less the mean area: {summary.area - common.value:.0e}",
            abs(summary.area - common.value) < 1e-12,
            "answers what section 4.1 leaves open: at one prevalence all folds have one unachievable region",
        ),
    )
    return Experiment(
        title="Folds of different skew",
        source="Boyd et al. 2012, section 4.1",
        story=(
            "Five folds, equally hard, with 1,000 positives each that are 3 % to 50 % of the rows. Their PR curves "
            "(left) are far apart because each starts from another floor. Read at the prevalence of all rows together "
            "(right) they are one curve but for noise, and their vertical mean has exactly the mean of their areas."
        ),
        findings=findings,
        figure=picture(curves, pooled.prevalence, summary),
    )


def picture(curves: dict[str, br.Curve], prevalence: float, summary: br.results.SummaryPRCurve) -> Figure:
    from baserate.plots import PrecisionRecallDisplay

    figure, (left, right) = drawing.panels(2, width=4.8, height=3.9)
    for (name, curve), colour in zip(curves.items(), drawing.PALETTE, strict=False):
        for ax, read in ((left, curve), (right, curve.at_prevalence(prevalence))):
            shown = PrecisionRecallDisplay.from_curve(read, area=br.auc_pr)
            shown.plot(ax, legend="none", chance=False, lowest=False, color=colour, linestyle="-", linewidth=1.3)
            shown.line_.set_label(f"{float(name):.0%} positive: {shown.area:.2f}")
    right.plot(summary.recall, summary.precision, color=drawing.INK, linewidth=2.4, label=f"mean: {summary.area:.2f}")
    drawing.describe(left, "Each at its own prevalence", "recall", "precision")
    drawing.describe(right, f"All at prevalence {prevalence:.3f}", "recall", "precision")
    for ax in (left, right):
        drawing.unit_square(ax)
        ax.set_ylim(-0.02, 1.36)
        ax.set_yticks(np.linspace(0, 1, 6))
        drawing.legend(ax, "upper right", ncols=2)
    return figure
