"""Intervals at a threshold fixed in advance: TPR and FPR are two independent proportions."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import BoolArray, CountArray, FloatArray
from baserate.curves.point import Point, Points
from baserate.formulas import two_proportions
from baserate.formulas.pointwise import Confusion
from baserate.formulas.proportions import PROPORTIONS, Interval, between
from baserate.formulas.quadrature import beta_at_nodes, weighted_quantiles
from baserate.formulas.weighted_means import Law, Rows, Sides
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import DependsOn, Family, bound_parameters, row_of, traits_of

# A pointwise metric that depends on one rate, or on the ratio of both, has the interval of that rate or ratio,
# transformed by the metric.
_RATES = (DependsOn.TPR, DependsOn.FPR)
_RATIOS = (DependsOn.LR_POSITIVE, DependsOn.LR_NEGATIVE, DependsOn.F_BETA)

# Quadrature nodes by panel of probability, to integrate a metric over both random rates.
_NODES = (8, 16, 64, 16, 8)
_NODES_OF_OWN = (3, 6, 16, 6, 3)  # for a user's own function, which is called for each pair of nodes
_STRATA_OF_OWN = 8  # of an uncertain prevalence
_FINER = 8  # times as many nodes if only one rate is random


# If weights halve the effective sample size, this many effective rows on a side are too few to tell what others weigh.
_UNEVEN = 2.0
_FEW = 5
FEW_HEAVY = (
    f"weights are very uneven, and one side of the threshold has an effective sample size below {_FEW}; coverage may "
    f"be below the confidence level"
)


class Cases(NamedTuple):
    """A confusion matrix in cases; for weighted rows, in effective sample sizes.

    The effective size differs between the two rates. Methods that use the weights themselves read `pos` and `neg`.
    """

    tp: float
    fn: float
    fp: float
    tn: float
    pos: Sides | None = None
    neg: Sides | None = None

    @property
    def n_pos(self) -> float:
        """Positives."""
        return self.tp + self.fn

    @property
    def n_neg(self) -> float:
        """Negatives."""
        return self.fp + self.tn

    @property
    def laws(self) -> tuple[tuple[Law, Law], tuple[Law, Law]]:
        """The distributions behind the lower and the upper limit, of TPR and of FPR."""
        return (
            _laws(self.tp, self.fn) if self.pos is None else self.pos.laws,
            _laws(self.fp, self.tn) if self.neg is None else self.neg.laws,
        )


def cases(point: Point) -> Cases:
    """The numbers of cases behind the rates of a point."""
    shares, curve = point.rates, point.curve
    if curve is not None:
        curve._check_not_sampled("this interval")
    n_pos, n_neg = float(point.n_pos), float(point.n_neg)
    pos = neg = None
    if curve is not None and curve.weighted and point.threshold is not None:
        above = curve.score >= point.threshold
        pos = sides_of(curve.pos, curve.pos_squares, above) if n_pos else None
        neg = sides_of(curve.neg, curve.neg_squares, above) if n_neg else None
        n_pos, n_neg = (0.0 if sides is None else sides.effective_size for sides in (pos, neg))
    return Cases(shares.tpr * n_pos, shares.fnr * n_pos, shares.fpr * n_neg, shares.tnr * n_neg, pos, neg)


def caution(metric: MetricFunction, point: Point) -> str | None:
    """A caution if weights are very uneven and one side of the threshold has few rows."""
    depends_on, seen = traits_of(metric).depends_on, cases(point)
    classes = [seen.pos] * (depends_on is not DependsOn.FPR) + [seen.neg] * (depends_on is not DependsOn.TPR)
    few = any(sides is not None and sides.uneven > _UNEVEN and sides.fewest < _FEW for sides in classes)
    return FEW_HEAVY if few else None


def sides_of(weight: CountArray, squares: CountArray, above: BoolArray) -> Sides:
    """The rows of one class above and below a threshold; `above` marks the entries of the curve above it."""
    return Sides(*(rows_of(weight[side], squares[side]) for side in (above, ~above)))


def rows_of(weight: CountArray, squares: CountArray) -> Rows:
    """Sums over entries of a curve; rows that share an entry are assumed to have equal weights."""
    there = weight > 0
    each = squares[there] / weight[there]
    rows = float(np.sum(weight[there] / each))
    return Rows(float(weight.sum()), float(squares.sum()), float(np.max(each, initial=0.0)), rows)


PointInterval = Callable[[MetricFunction, Cases, FloatArray, float], Interval]


def methods(metric: MetricFunction) -> Mapping[str, PointInterval]:
    """The methods for a metric, the default first."""
    row = row_of(metric)
    if row is None or row.family is not Family.POINTWISE:
        return {"melded": melded, "box": box}
    if row.traits.depends_on in _RATES:
        names = ("clopper_pearson", *(name for name in PROPORTIONS if name != "clopper_pearson"))
        of_rates = {name: _rate_interval(name) for name in names}
        return of_rates | {"melded": _rate_interval("clopper_pearson"), "box": box}
    available: dict[str, PointInterval] = {"melded": melded}
    if row.traits.depends_on in _RATIOS:
        available["score"] = _by_ratio(two_proportions.ratio_by_score, two_proportions.f_beta_by_score)
        available["logit_delta"] = _by_ratio(two_proportions.ratio_by_delta, two_proportions.f_beta_by_delta)
    return available | {"box": box}


# --- one rate -------------------------------------------------------------------------------------


def _rate_interval(name: str) -> PointInterval:
    def interval(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
        tpr, fpr = rate_intervals(seen, confidence_level, name)
        return through(metric, _with_width(tpr), _with_width(fpr), x)

    return interval


def rate_intervals(seen: Cases, confidence_level: float, name: str = "clopper_pearson") -> tuple[Interval, Interval]:
    """Intervals of TPR and FPR; Clopper and Pearson's take weights into account."""
    known = zip(((seen.tp, seen.n_pos), (seen.fp, seen.n_neg)), (seen.pos, seen.neg), strict=True)
    tpr, fpr = (
        PROPORTIONS[name](k, n, confidence_level)
        if sides is None or name != "clopper_pearson"
        else between(*sides.laws, confidence_level)
        for (k, n), sides in known
    )
    return tpr, fpr


def _with_width(interval: Interval) -> Interval:
    """An interval, or nan if its width is 0."""
    return interval if interval.low < interval.high else Interval(np.asarray(np.nan), np.asarray(np.nan))


def box(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
    """The extremes of the metric in a box of two exact intervals, each at the square root of the level.

    Both rates are inside with at least the probability of the level, so coverage of the metric is conservative.
    """
    each = float(np.sqrt(confidence_level))
    return through(metric, *rate_intervals(seen, each), x)


def through(metric: MetricFunction, tpr: Interval, fpr: Interval, x: FloatArray) -> Interval:
    """The extremes of a metric over the corners of a box of rates."""
    corner = [values(metric, t, f, x) for t in tpr for f in fpr]
    return Interval(np.fmin.reduce(corner), np.fmax.reduce(corner))


def values(
    metric: MetricFunction,
    tpr: FloatArray,
    fpr: FloatArray,
    x: FloatArray,
    *,
    sizes: tuple[float | None, float | None] = (None, None),
) -> FloatArray:
    """A metric of a point with these rates, for each x; arrays broadcast. A user's own function may read the sizes."""
    if row_of(metric) is not None:
        shares = Confusion(tpr, 1 - tpr, fpr, 1 - fpr)
        return np.asarray(evaluate(metric, Points(shares, x))[0], np.float64)
    one_by_one = np.broadcast(tpr, fpr, x)
    at_rates = partial(Point.from_rates, n_pos=sizes[0], n_neg=sizes[1])
    flat = [
        evaluate(metric, at_rates(float(t), float(f), prevalence=1 / (1 + float(x_j))))[0] for t, f, x_j in one_by_one
    ]
    return np.array(flat, np.float64).reshape(one_by_one.shape)


# --- two rates ------------------------------------------------------------------------------------


def _by_ratio(of_ratio: Callable[..., Interval], of_f_beta: Callable[..., Interval]) -> PointInterval:
    """The interval of a ratio of rates, or of F-beta, transformed by the metric."""

    def interval(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
        depends_on = traits_of(metric).depends_on
        if depends_on is DependsOn.F_BETA:
            beta = checks.positive_number(bound_parameters(metric).get("beta", 1.0), "beta")
            counts = (seen.tp, seen.n_pos, seen.fp, seen.n_neg)
            return of_f_beta(*counts, x=x, beta=beta, confidence_level=confidence_level)
        negative = depends_on is DependsOn.LR_NEGATIVE
        k_pos, k_neg = (seen.fn, seen.tn) if negative else (seen.tp, seen.fp)
        ends = of_ratio(k_pos, seen.n_pos, k_neg, seen.n_neg, confidence_level)
        at_ends = [_at_ratio(metric, end, x, negative=negative) for end in ends]
        return Interval(np.minimum(*at_ends), np.maximum(*at_ends))

    return interval


def _at_ratio(metric: MetricFunction, ratio: FloatArray, x: FloatArray, *, negative: bool) -> FloatArray:
    """A metric that depends only on the ratio of two rates, at a given ratio."""
    if np.isnan(ratio):
        return np.full(len(x), np.nan)
    upper = np.minimum(ratio, 1.0)
    lower = np.asarray(1.0 if ratio <= 1 else 1 / ratio)
    return values(metric, 1 - upper, 1 - lower, x) if negative else values(metric, upper, lower, x)


def melded(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
    """Quantiles of the metric when each rate follows a confidence distribution behind Clopper and Pearson's limits.

    Each rate has two of them, one for the lower limit and one for the upper. Each end of the interval is the most
    extreme over all combinations. Integration is by quadrature, so the result is not random.
    """
    ends = [melded_over(metric, seen, x_j[np.newaxis], confidence_level) for x_j in x]
    return Interval(np.array([end.low for end in ends]), np.array([end.high for end in ends]))


def melded_over(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
    """The melded interval where the prevalence is uncertain: each x is equally likely."""
    return over_laws(metric, *seen.laws, x, confidence_level)


def over_laws(
    metric: MetricFunction, of_tpr: Sequence[Law], of_fpr: Sequence[Law], x: FloatArray, confidence_level: float
) -> Interval:
    """The melded interval of a metric of two rates, or means, from the distributions of their limits."""
    tail = (1 - confidence_level) / 2
    sizes = _NODES
    if row_of(metric) is None:
        sizes = _NODES_OF_OWN
        x = x[len(x) // _STRATA_OF_OWN // 2 :: max(1, len(x) // _STRATA_OF_OWN)]
    low, high = np.inf, -np.inf
    for tpr in of_tpr:
        for fpr in of_fpr:
            # If one of the rates is certain, only the nodes of the other are left, and there must be more of them.
            finer = _FINER if 0 in (*tpr, *fpr) else 1
            (t, of_t), (f, of_f) = (beta_at_nodes(law, tuple(finer * n for n in sizes)) for law in (tpr, fpr))
            at_nodes = values(metric, t[:, np.newaxis, np.newaxis], f[:, np.newaxis], x).ravel()
            weights = np.repeat(np.outer(of_t, of_f).ravel(), len(x)) / len(x)
            ends = weighted_quantiles(at_nodes, weights, (tail, 1 - tail))
            low, high = np.fmin(low, ends[0]), np.fmax(high, ends[1])
    return Interval(np.asarray(low), np.asarray(high))


def _laws(k: float, rest: float) -> tuple[Law, Law]:
    """The beta distributions behind the lower and the upper limit of a rate."""
    return Law(k, rest + 1), Law(k + 1, rest)
