"""Rows, the same rows in buckets, and every metric to try on both."""

import functools
import warnings
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

import baserate as br
from baserate.curves.buckets import bucket_of
from baserate.registry import Family

ETAS = [None, 1e-9, 1e-3, 0.3, 0.5, 0.9, 1 - 1e-9]
SLOW = {"chance_average_precision"}  # depends on the class sizes only, and has a test of its own


def settings_of(*families):
    for row in br.METRICS.values():
        if row.family in families and row.name not in SLOW:
            for parameters in row.examples:
                yield functools.partial(row.function, **parameters)


POINTWISE = list(settings_of(Family.POINTWISE))
BINNED = [br.ece, br.mce, br.rms_calibration_error, br.debiased_ece]
PROBABILITIES = [
    *settings_of(Family.PROBABILITY),
    *(functools.partial(metric, bins="equal_frequency(3)") for metric in BINNED),
    *(functools.partial(metric, bins=br.calibration.equal_width(4, closed="left")) for metric in BINNED),
]
RANGES = [(0.0, 0.7), (0.3, 0.5), (0.4, 0.41)]
RANGED = [br.average_precision, br.auc_pr, br.auc_prg, br.normalized_auc_pr, br.best_f1]
AREAS = [
    *settings_of(Family.AREA, Family.BASELINE),
    *(functools.partial(metric, recall_range=part) for metric in RANGED for part in RANGES),
]


class Rows(NamedTuple):
    """Labelled, scored rows, and the number of the bucket that each belongs to."""

    y: np.ndarray
    s: np.ndarray
    weight: np.ndarray | None
    bucket: np.ndarray

    def exact(self):
        return br.Curve.from_scores(self.y, self.s, weight=self.weight)

    def bucketed(self):
        def total(values):
            return sum(sorted(values))  # in the order in which curves add up weights

        weight = np.ones(len(self.y)) if self.weight is None else self.weight
        columns = {"score": [], "top": [], "pos": [], "neg": [], "pos_squares": [], "neg_squares": []}
        for number in np.unique(self.bucket):
            here = self.bucket == number
            columns["score"].append(self.s[here].min())
            columns["top"].append(self.s[here].max())
            for label, name in ((1, "pos"), (0, "neg")):
                some = weight[here & (self.y == label)]
                columns[name].append(total(some))
                columns[f"{name}_squares"].append(total(some**2))
        if self.weight is None:
            del columns["pos_squares"], columns["neg_squares"]
        return br.Curve.from_counts(**columns)


weights = st.none() | st.sampled_from([(0.1, 0.2, 0.3), (0.25, 1.0, 3.0), (1e-6, 0.7, 1e6)])
# Few scores, so that rows are tied within a bucket and buckets touch; the ends of the float line, too.
plain_scores = st.integers(0, 7).map(float) | st.sampled_from([-np.inf, np.inf])
octaves = st.sampled_from([0.0, -0.0, 0.5, 1.0]) | st.floats(-3, 3) | st.floats(0.9999, 1.0001) | st.floats(0, 1e-3)


@st.composite
def samples(draw, max_rows=11):
    """Both classes, often only one row of one; cut into one bucket, one per score, anyhow, or by few bits."""
    n = draw(st.integers(2, max_rows))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < n)))
    if draw(st.integers(0, 5)) == 0:
        y = np.sort(y) if draw(st.booleans()) else (np.arange(n) == n // 2).astype(int)
    weight = draw(weights)
    if weight is not None:
        weight = np.array(draw(st.lists(st.sampled_from(weight), min_size=n, max_size=n)))
    if draw(st.integers(0, 3)) == 0:
        s = np.array(draw(st.lists(octaves, min_size=n, max_size=n)))
        return Rows(y, s, weight, bucket_of(s, draw(st.integers(0, 3))))
    s = np.array(draw(st.lists(plain_scores, min_size=n, max_size=n)))
    distinct, place = np.unique(s, return_inverse=True)
    cuts = draw(st.just([False] * n) | st.lists(st.booleans(), min_size=n, max_size=n) | st.sampled_from([[True] * n]))
    return Rows(y, s, weight, np.cumsum(cuts[: len(distinct)])[place])


def at(curve, eta):
    return curve if eta is None else curve.at_prevalence(eta)


def value(metric, where):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.errors.UndefinedMetricWarning)
        warnings.simplefilter("ignore", br.errors.FewerBinsWarning)
        return metric(where)


def assert_between(found, values, where):
    """Every value that exists; where none is known to exist, bounds may be nan."""
    for number in np.atleast_1d(values):
        assert np.isnan(number) or found.low <= number <= found.high, (found, number, where)


def one_of(found, k):
    return br.results.Bounds(found.metric, found.value[k], found.low[k], found.high[k], found.prevalence)


def chosen(curve, rule, level):
    try:
        return getattr(curve, rule)(level)
    except (br.errors.NoSuchPointError, br.errors.MissingInformationError):
        return None
