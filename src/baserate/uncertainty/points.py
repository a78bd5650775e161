"""Intervals at a threshold that was fixed beforehand: TPR and FPR are two independent proportions."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import BoolArray, CountArray, FloatArray
from baserate.curves.point import Point, Points
from baserate.formulas import two_proportions
from baserate.formulas.pointwise import Confusion
from baserate.formulas.proportions import PROPORTIONS, Interval, between
from baserate.formulas.weighted_means import Law, Rows, Sides
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import DependsOn, Family, bound_parameters, row_of, traits_of

# Where a pointwise metric depends on less than both rates, its interval is that of the rate, or of the ratio of rates,
# read through the metric.
_RATES = (DependsOn.TPR, DependsOn.FPR)
_RATIOS = (DependsOn.LR_POSITIVE, DependsOn.LR_NEGATIVE, DependsOn.F_BETA)

# Panels of probabilities, and how many nodes each gets, when a metric of two random rates is averaged over both.
_PANELS = (0.0, 1e-4, 0.02, 0.98, 1 - 1e-4, 1.0)
_NODES = (8, 16, 64, 16, 8)
_NODES_OF_OWN = (3, 6, 16, 6, 3)  # for a user's own function, which is called for each pair of them
_STRATA_OF_OWN = 8  # of an uncertain prevalence
_FINER = 8  # times as many where there is one random rate only


# Of weights that halve what rows are worth, fewer rows than this on a side are too few to know what others weigh.
_UNEVEN = 2.0
_FEW = 5
FEW_HEAVY = (
    f"weights differ much, and a side of the threshold has fewer than {_FEW} rows' worth; it may hold less often than "
    f"it says"
)


class Cases(NamedTuple):
    """A confusion matrix in cases; of weighted rows, in the number of equal ones that are worth as much.

    That number is another one for each rate. Intervals that know the weights, `pos` and `neg`, go by them.
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
        """The laws of the lower and of the upper limit, of TPR and of FPR."""
        return (
            _laws(self.tp, self.fn) if self.pos is None else self.pos.laws,
            _laws(self.fp, self.tn) if self.neg is None else self.neg.laws,
        )


def cases(point: Point) -> Cases:
    """How many cases the rates of a point rest on."""
    shares, curve = point.rates, point.curve
    n_pos, n_neg = float(point.n_pos), float(point.n_neg)
    pos = neg = None
    if curve is not None and curve.weighted and point.threshold is not None:
        above = curve.score >= point.threshold
        pos = sides_of(curve.pos, curve.pos_squares, above) if n_pos else None
        neg = sides_of(curve.neg, curve.neg_squares, above) if n_neg else None
        n_pos, n_neg = (0.0 if sides is None else sides.effective_size for sides in (pos, neg))
    return Cases(shares.tpr * n_pos, shares.fnr * n_pos, shares.fpr * n_neg, shares.tnr * n_neg, pos, neg)


def caution(metric: MetricFunction, point: Point) -> str | None:
    """A sentence where the rows that a point rests on are few and of very different weight."""
    depends_on, seen = traits_of(metric).depends_on, cases(point)
    classes = [seen.pos] * (depends_on is not DependsOn.FPR) + [seen.neg] * (depends_on is not DependsOn.TPR)
    few = any(sides is not None and sides.uneven > _UNEVEN and sides.fewest < _FEW for sides in classes)
    return FEW_HEAVY if few else None


def sides_of(weight: CountArray, squares: CountArray, above: BoolArray) -> Sides:
    """The rows of one class on both sides, by which entries of a curve are above."""
    return Sides(*(rows_of(weight[side], squares[side]) for side in (above, ~above)))


def rows_of(weight: CountArray, squares: CountArray) -> Rows:
    """Sums over the entries of a curve; rows that share an entry are taken to weigh the same."""
    there = weight > 0
    each = squares[there] / weight[there]
    rows = float(np.sum(weight[there] / each))
    return Rows(float(weight.sum()), float(squares.sum()), float(np.max(each, initial=0.0)), rows)


PointInterval = Callable[[MetricFunction, Cases, FloatArray, float], Interval]


def methods(metric: MetricFunction) -> Mapping[str, PointInterval]:
    """The methods there are for a metric, the default first."""
    row = row_of(metric)
    if row is None or row.family is not Family.POINTWISE:
        return MappingProxyType({"melded": melded, "box": box})
    if row.traits.depends_on in _RATES:
        names = ("clopper_pearson", *(name for name in PROPORTIONS if name != "clopper_pearson"))
        of_rates = {name: _rate_interval(name) for name in names}
        return MappingProxyType(of_rates | {"melded": _rate_interval("clopper_pearson"), "box": box})
    found: dict[str, PointInterval] = {"melded": melded}
    if row.traits.depends_on in _RATIOS:
        found["score"] = _by_ratio(two_proportions.ratio_by_score, two_proportions.f_beta_by_score)
        found["logit_delta"] = _by_ratio(two_proportions.ratio_by_delta, two_proportions.f_beta_by_delta)
    return MappingProxyType(found | {"box": box})


# --- one rate -------------------------------------------------------------------------------------


def _rate_interval(name: str) -> PointInterval:
    def interval(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
        tpr, fpr = rate_intervals(seen, confidence_level, name)
        return through(metric, _with_width(tpr), _with_width(fpr), x)

    return interval


def rate_intervals(seen: Cases, confidence_level: float, name: str = "clopper_pearson") -> tuple[Interval, Interval]:
    """Intervals of TPR and FPR; of weighted rows, Clopper and Pearson's are those between the laws of their limits."""
    known = zip(((seen.tp, seen.n_pos), (seen.fp, seen.n_neg)), (seen.pos, seen.neg), strict=True)
    tpr, fpr = (
        PROPORTIONS[name](k, n, confidence_level)
        if sides is None or name != "clopper_pearson"
        else between(*sides.laws, confidence_level)
        for (k, n), sides in known
    )
    return tpr, fpr


def _with_width(found: Interval) -> Interval:
    """An interval, or nan where it would claim to know the rate exactly."""
    return found if found.low < found.high else Interval(np.asarray(np.nan), np.asarray(np.nan))


def box(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
    """The worst and the best within a box of two exact intervals, each at the root of the level.

    Both rates are inside at least as often as the level says, so the metric is inside its interval even more often.
    """
    each = float(np.sqrt(confidence_level))
    return through(metric, *rate_intervals(seen, each), x)


def through(metric: MetricFunction, tpr: Interval, fpr: Interval, x: FloatArray) -> Interval:
    """The extremes of a metric in the corners of a box of rates."""
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
    """A metric of a point at rates, for each x; all of them broadcast. A user's own function may ask for the sizes."""
    if row_of(metric) is not None:
        shares = Confusion(tpr, 1 - tpr, fpr, 1 - fpr)
        return np.asarray(evaluate(metric, Points(shares, x))[0], np.float64)
    one_by_one = np.broadcast(tpr, fpr, x)
    at_rates = partial(Point.from_rates, n_pos=sizes[0], n_neg=sizes[1])
    found = [
        evaluate(metric, at_rates(float(t), float(f), prevalence=1 / (1 + float(x_j))))[0] for t, f, x_j in one_by_one
    ]
    return np.array(found, np.float64).reshape(one_by_one.shape)


# --- two rates ------------------------------------------------------------------------------------


def _by_ratio(of_ratio: Callable[..., Interval], of_f_beta: Callable[..., Interval]) -> PointInterval:
    """The interval of a ratio of rates, or of F-beta, read through the metric."""

    def interval(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
        depends_on = traits_of(metric).depends_on
        if depends_on is DependsOn.F_BETA:
            beta = checks.positive_number(bound_parameters(metric).get("beta", 1.0), "beta")
            counts = (seen.tp, seen.n_pos, seen.fp, seen.n_neg)
            return of_f_beta(*counts, x=x, beta=beta, confidence_level=confidence_level)
        negative = depends_on is DependsOn.LR_NEGATIVE
        k_pos, k_neg = (seen.fn, seen.tn) if negative else (seen.tp, seen.fp)
        ends = of_ratio(k_pos, seen.n_pos, k_neg, seen.n_neg, confidence_level)
        found = [_at_ratio(metric, end, x, negative=negative) for end in ends]
        return Interval(np.minimum(*found), np.maximum(*found))

    return interval


def _at_ratio(metric: MetricFunction, ratio: FloatArray, x: FloatArray, *, negative: bool) -> FloatArray:
    """A metric that depends on the ratio of two rates only, at rates that have this ratio."""
    if np.isnan(ratio):
        return np.full(len(x), np.nan)
    upper = np.minimum(ratio, 1.0)
    lower = np.asarray(1.0 if ratio <= 1 else 1 / ratio)
    return values(metric, 1 - upper, 1 - lower, x) if negative else values(metric, upper, lower, x)


def melded(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
    """Quantiles of the metric when each rate follows the law behind Clopper and Pearson's interval.

    The lower end is found with whichever of the two laws, that of the lower and that of the upper limit, does most
    harm, the upper end likewise. There is no randomness in it: the average runs over nodes.
    """
    ends = [melded_over(metric, seen, x_j[np.newaxis], confidence_level) for x_j in x]
    return Interval(np.array([end.low for end in ends]), np.array([end.high for end in ends]))


def melded_over(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
    """The same where any of the x is equally likely."""
    return over_laws(metric, *seen.laws, x, confidence_level)


def over_laws(
    metric: MetricFunction, of_tpr: tuple[Law, Law], of_fpr: tuple[Law, Law], x: FloatArray, confidence_level: float
) -> Interval:
    """The same for two rates, or means, of which the laws of their limits are known."""
    tail = (1 - confidence_level) / 2
    sizes = _NODES
    if row_of(metric) is None:
        sizes = _NODES_OF_OWN
        x = x[len(x) // _STRATA_OF_OWN // 2 :: max(1, len(x) // _STRATA_OF_OWN)]
    low, high = np.inf, -np.inf
    for tpr in of_tpr:
        for fpr in of_fpr:
            # Where one of the rates is certain, the nodes of the other are all there is, and have to be finer.
            finer = _FINER if 0 in (*tpr, *fpr) else 1
            (t, of_t), (f, of_f) = (_at_nodes(law, tuple(finer * n for n in sizes)) for law in (tpr, fpr))
            found = values(metric, t[:, np.newaxis, np.newaxis], f[:, np.newaxis], x).ravel()
            weights = np.repeat(np.outer(of_t, of_f).ravel(), len(x)) / len(x)
            ends = _weighted_quantiles(found, weights, (tail, 1 - tail))
            low, high = np.fmin(low, ends[0]), np.fmax(high, ends[1])
    return Interval(np.asarray(low), np.asarray(high))


def _laws(k: float, rest: float) -> tuple[Law, Law]:
    """The laws of the lower and of the upper limit of a rate."""
    return Law(k, rest + 1), Law(k + 1, rest)


@lru_cache(maxsize=16)  # each law meets two others
def _at_nodes(law: Law, sizes: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Quantiles of a law and their weights."""
    if 0 in law:
        return np.array([0.0 if law.a == 0 else 1.0]), np.ones(1)
    nodes, weights = _quantile_nodes(sizes)
    return scipy.special.betaincinv(law.a, law.b, nodes), weights


@lru_cache(maxsize=4)
def _quantile_nodes(sizes: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Probabilities and their weights: Gauss and Legendre's in each panel, so that the tails have nodes, too."""
    nodes, weights = [], []
    for start, end, n in zip(_PANELS, _PANELS[1:], sizes, strict=False):
        places, sizes_of = np.polynomial.legendre.leggauss(n)
        nodes.append(start + (end - start) * (places + 1) / 2)
        weights.append((end - start) * sizes_of / 2)
    return np.concatenate(nodes), np.concatenate(weights)


def _weighted_quantiles(found: FloatArray, weights: FloatArray, tails: tuple[float, float]) -> FloatArray:
    """Quantiles, between values where they are finite."""
    order = np.argsort(found)
    ordered, middle = found[order], np.cumsum(weights[order]) - weights[order] / 2
    if len(ordered) == 1:
        return np.repeat(ordered, 2)
    after = np.clip(np.searchsorted(middle, tails), 1, len(order) - 1)
    low, high = ordered[after - 1], ordered[after]
    share = np.clip((tails - middle[after - 1]) / (middle[after] - middle[after - 1]), 0.0, 1.0)
    with np.errstate(invalid="ignore"):
        between = low + share * (high - low)
    return np.where(np.isfinite(low) & np.isfinite(high), between, np.where(share < 0.5, low, high))
