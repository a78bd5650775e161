"""Intervals at a threshold that was fixed beforehand: TPR and FPR are two independent proportions."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import FloatArray
from baserate.curves.point import Point, Points
from baserate.formulas import two_proportions
from baserate.formulas.pointwise import Confusion
from baserate.formulas.proportions import PROPORTIONS, Interval, clopper_pearson
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, bound_parameters, row_of
from baserate.uncertainty.cells import corners

# What a pointwise metric depends on, where that is less than both rates: then its interval is that of the rate, or of
# the ratio of rates, read through the metric.
_OF_TPR = frozenset({"recall", "recall_gain", "min_precision"})
_OF_FPR = frozenset({"specificity"})
_OF_LR_POSITIVE = frozenset({"precision", "lift", "lr_positive", "precision_gain"})
_OF_LR_NEGATIVE = frozenset({"npv", "lr_negative"})
_F_BETA = frozenset({"f1", "f_beta"})

# Panels of probabilities, and how many nodes each gets, when a metric of two random rates is averaged over both.
_PANELS = (0.0, 1e-4, 0.02, 0.98, 1 - 1e-4, 1.0)
_NODES = (8, 16, 64, 16, 8)
_NODES_OF_OWN = (4, 8, 24, 8, 4)  # for a user's own function, which is called for each pair of them
_FINER = 8  # times as many where there is one random rate only


class Cases(NamedTuple):
    """A confusion matrix in cases; of weighted rows, in the number of equal ones that are worth as much."""

    tp: float
    fn: float
    fp: float
    tn: float

    @property
    def n_pos(self) -> float:
        """Positives."""
        return self.tp + self.fn

    @property
    def n_neg(self) -> float:
        """Negatives."""
        return self.fp + self.tn


def cases(point: Point) -> Cases:
    """How many cases the rates of a point rest on."""
    n_pos, n_neg = float(point.n_pos), float(point.n_neg)
    if point.curve is not None and point.curve.weighted:
        cells = corners(point.curve)
        n_pos, n_neg = cells.pos.effective_size, cells.neg.effective_size
    shares = point.rates
    return Cases(shares.tpr * n_pos, shares.fnr * n_pos, shares.fpr * n_neg, shares.tnr * n_neg)


PointInterval = Callable[[MetricFunction, Cases, FloatArray, float], Interval]


def methods(metric: MetricFunction) -> Mapping[str, PointInterval]:
    """The methods there are for a metric, the default first."""
    row = row_of(metric)
    if row is None or row.family is not Family.POINTWISE:
        return MappingProxyType({"melded": melded, "box": box})
    if row.name in _OF_TPR | _OF_FPR:
        names = ("clopper_pearson", *(name for name in PROPORTIONS if name != "clopper_pearson"))
        of_rates = {name: _rate_interval(name) for name in names}
        return MappingProxyType(of_rates | {"melded": _rate_interval("clopper_pearson"), "box": box})
    found: dict[str, PointInterval] = {"melded": melded}
    if row.name in _OF_LR_POSITIVE | _OF_LR_NEGATIVE | _F_BETA:
        found["score"] = _by_ratio(two_proportions.ratio_by_score, two_proportions.f_beta_by_score)
        found["logit_delta"] = _by_ratio(two_proportions.ratio_by_delta, two_proportions.f_beta_by_delta)
    return MappingProxyType(found | {"box": box})


# --- one rate -------------------------------------------------------------------------------------


def _rate_interval(name: str) -> PointInterval:
    def interval(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
        tpr = _with_width(PROPORTIONS[name](seen.tp, seen.n_pos, confidence_level))
        fpr = _with_width(PROPORTIONS[name](seen.fp, seen.n_neg, confidence_level))
        return through(metric, tpr, fpr, x)

    return interval


def _with_width(found: Interval) -> Interval:
    """An interval, or nan where it would claim to know the rate exactly."""
    return found if found.low < found.high else Interval(np.asarray(np.nan), np.asarray(np.nan))


def box(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
    """The worst and the best within a box of two exact intervals, each at the root of the level.

    Both rates are inside at least as often as the level says, so the metric is inside its interval even more often.
    """
    each = float(np.sqrt(confidence_level))
    tpr, fpr = clopper_pearson(seen.tp, seen.n_pos, each), clopper_pearson(seen.fp, seen.n_neg, each)
    return through(metric, tpr, fpr, x)


def through(metric: MetricFunction, tpr: Interval, fpr: Interval, x: FloatArray) -> Interval:
    """The extremes of a metric in the corners of a box of rates."""
    corner = [values(metric, t, f, x) for t in tpr for f in fpr]
    return Interval(np.fmin.reduce(corner), np.fmax.reduce(corner))


def values(metric: MetricFunction, tpr: FloatArray, fpr: FloatArray, x: FloatArray) -> FloatArray:
    """A metric of a point at rates, for each x; all of them broadcast."""
    if row_of(metric) is not None:
        shares = Confusion(tpr, 1 - tpr, fpr, 1 - fpr)
        return np.asarray(evaluate(metric, Points(shares, x))[0], np.float64)
    one_by_one = np.broadcast(tpr, fpr, x)
    found = [
        evaluate(metric, Point.from_rates(float(t), float(f), prevalence=1 / (1 + float(x_j))))[0]
        for t, f, x_j in one_by_one
    ]
    return np.array(found, np.float64).reshape(one_by_one.shape)


# --- two rates ------------------------------------------------------------------------------------


def _by_ratio(of_ratio: Callable[..., Interval], of_f_beta: Callable[..., Interval]) -> PointInterval:
    """The interval of a ratio of rates, or of F-beta, read through the metric."""

    def interval(metric: MetricFunction, seen: Cases, x: FloatArray, confidence_level: float) -> Interval:
        row = row_of(metric)
        assert row is not None
        if row.name in _F_BETA:
            beta = checks.positive_number(bound_parameters(metric).get("beta", 1.0), "beta")
            counts = (seen.tp, seen.n_pos, seen.fp, seen.n_neg)
            return of_f_beta(*counts, x=x, beta=beta, confidence_level=confidence_level)
        negative = row.name in _OF_LR_NEGATIVE
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
    tail = (1 - confidence_level) / 2
    sizes = _NODES if row_of(metric) is not None else _NODES_OF_OWN
    low, high = np.inf, -np.inf
    for tpr in _laws(seen.tp, seen.fn):
        for fpr in _laws(seen.fp, seen.tn):
            # Where one of the rates is certain, the nodes of the other are all there is, and have to be finer.
            finer = _FINER if 0 in (*tpr, *fpr) else 1
            (t, of_t), (f, of_f) = (_at_nodes(law, tuple(finer * n for n in sizes)) for law in (tpr, fpr))
            found = values(metric, t[:, np.newaxis, np.newaxis], f[:, np.newaxis], x).ravel()
            weights = np.repeat(np.outer(of_t, of_f).ravel(), len(x)) / len(x)
            ends = _weighted_quantiles(found, weights, (tail, 1 - tail))
            low, high = np.fmin(low, ends[0]), np.fmax(high, ends[1])
    return Interval(np.asarray(low), np.asarray(high))


class _Law(NamedTuple):
    """A Beta distribution; without the first parameter the rate is certainly 0, without the second 1."""

    a: float
    b: float


def _laws(k: float, rest: float) -> tuple[_Law, _Law]:
    """The laws of the lower and of the upper limit of a rate."""
    return _Law(k, rest + 1), _Law(k + 1, rest)


def _at_nodes(law: _Law, sizes: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
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
