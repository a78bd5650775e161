"""What a metric says of many drawn curves at once."""

import numpy as np

from baserate.arrays import Counts, FloatArray
from baserate.curves.counting import Counted, merge_counts
from baserate.curves.curve import Curve
from baserate.curves.point import Point, Points
from baserate.curves.table import CountTable, Table
from baserate.formulas import areas
from baserate.formulas.pointwise import Confusion
from baserate.formulas.steps import Steps
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, bound_parameters, row_of
from baserate.uncertainty import cells
from baserate.uncertainty.cells import Cells
from baserate.uncertainty.choosing import cells_to_choose_from, choose
from baserate.uncertainty.draws import Drawn


def cells_for(metric: MetricFunction, at: Curve | Point, *, every_corner: bool = False) -> Cells:
    """The coarsest cells that the question cannot look into, or not so far that it would matter."""
    if isinstance(at, Point):
        return cells_to_choose_from(at, every_corner=every_corner)
    if row_of(metric) is None:
        return cells.thresholds(at)
    return cells.corners(at) if every_corner else cells.corners_for_areas(at)


def values(metric: MetricFunction, at: Curve | Point, drawn: Drawn, x: FloatArray) -> FloatArray:
    """The metric of each drawn curve, or of the point chosen on it, for each x: one row per curve."""
    if isinstance(at, Point):
        return _of_chosen_points(metric, at, drawn, x)
    row = row_of(metric)
    if row is not None and row.over_odds is not None:
        found = row.over_odds(Curve(_DrawnTable(drawn), at._n), x, **bound_parameters(metric))
        return np.broadcast_to(found, (len(drawn.steps.tp), len(x)))
    curves = [_as_curve(drawn, i, at) for i in range(len(drawn.steps.tp))]
    return np.array([[_value(metric, curve.at_prevalence(1 / (1 + x_j))) for x_j in x] for curve in curves])


def average_precision_of(drawn: Drawn, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
    """The step sum where scores are discrete; elsewhere a positive's weight is spread along its rise.

    A drawn curve stands for a population, which has no steps where scores are continuous.
    """
    steps, atoms = drawn.steps, drawn.atoms
    if atoms.all():
        return areas.average_precision(steps, x, low, high, deficit=deficit)
    if not atoms.any():
        return areas.auc_pr(steps, x, low, high, deficit=deficit)
    stepped = areas.average_precision(steps.each(lambda column: column[..., atoms]), x, low, high, deficit=deficit)
    spread = areas.auc_pr(steps.each(lambda column: column[..., ~atoms]), x, low, high, deficit=deficit)
    return stepped + spread


class _DrawnTable(Table):
    """Drawn curves as a table that areas can read, all at once."""

    score = None
    total_pos = total_neg = 1.0

    def __init__(self, drawn: Drawn) -> None:
        self.drawn = drawn

    def steps_from(self) -> Steps:
        return self.drawn.steps

    @property
    def merged_steps(self) -> Steps:
        return self.drawn.steps  # where pieces are vertical differs from curve to curve

    def average_precision(self, x: FloatArray, low: float, high: float, *, deficit: bool = False) -> FloatArray:
        return average_precision_of(self.drawn, x, low, high, deficit=deficit)

    def cumulative(self) -> tuple[Counts, Counts]:
        return self.drawn.steps.tp, self.drawn.steps.fp

    def remaining(self) -> tuple[Counts, Counts]:
        return 1 - self.drawn.steps.tp, 1 - self.drawn.steps.fp

    def __len__(self) -> int:
        return int(self.drawn.steps.tp.shape[-1])

    def confusion_at(self, row: int) -> Confusion[float]:
        raise NotImplementedError("these are many curves; each has its own")


def _as_curve(drawn: Drawn, i: int, at: Curve) -> Curve:
    """One of the drawn curves as a Curve of its own, as large as the one it stands for."""
    _, fp, pos, tied, n_pos, n_neg = drawn.steps.each(lambda column: column[i])
    gap = np.maximum(np.append(fp - tied, n_neg) - np.append(0.0, fp), 0.0)
    with np.errstate(invalid="ignore"):  # halfway between two infinities is nowhere, and nothing is there
        between = np.concatenate([[np.inf], drawn.score[1:] / 2 + drawn.score[:-1] / 2, [-np.inf]])
    score = np.concatenate([between, drawn.score])
    counts = Counted(
        score, np.append(np.zeros(len(gap)), pos) * (at.n_pos / n_pos), np.append(gap, tied) * (at.n_neg / n_neg)
    )
    table = CountTable(merge_counts(counts))
    return Curve(table, (table.total_pos, table.total_neg))


def _value(metric: MetricFunction, at: Curve | Point) -> float:
    return float(evaluate(metric, at)[0])


def _of_chosen_points(metric: MetricFunction, at: Point, drawn: Drawn, x: FloatArray) -> FloatArray:
    tpr, fpr, _ = choose(at, drawn)
    row = row_of(metric)
    if row is not None and row.family is Family.POINTWISE:
        shares = Confusion(*(share[:, np.newaxis] for share in (tpr, 1 - tpr, fpr, 1 - fpr)))
        return np.asarray(evaluate(metric, Points(shares, x))[0])
    n_pos, n_neg = at._n
    rates = zip(tpr.tolist(), np.minimum(fpr, 1).tolist(), strict=True)
    points = [Point.from_rates(t, f, n_pos=n_pos, n_neg=n_neg) for t, f in rates]
    return np.array([[_value(metric, point.at_prevalence(1 / (1 + x_j))) for x_j in x] for point in points])
