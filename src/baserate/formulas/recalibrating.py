"""Maps from scores to probabilities, fitted to counts by score by maximum likelihood.

Scores are ascending; `pos` and `neg` are the masses of the classes at each of them, in any scale.
"""

from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.formulas import logistic
from baserate.formulas.isotonic import isotonic_rates
from baserate.formulas.logistic import LogisticRows

_STEPS = 200
_HALVINGS = 60

# A step that changes no log-odds by more than this is the last.
_CLOSE = 1e-11


class BetaLogOdds(NamedTuple):
    """Log-odds as ``a log(p) - b log(1 - p) + c``; with a = b it is a line in the log-odds of p."""

    a: float
    b: float
    c: float

    def at(self, share: FloatArray) -> FloatArray:
        """The log-odds; a score of 0 or 1 has a limit."""
        with np.errstate(divide="ignore"):
            return np.asarray(
                self.c + scipy.special.xlogy(self.a, share) - scipy.special.xlog1py(self.b, -share), np.float64
            )


class Targets(NamedTuple):
    """The masses of both outcomes, after each row has lent a little of itself to the other one."""

    pos: FloatArray
    neg: FloatArray


def platt_targets(
    pos: FloatArray, neg: FloatArray, *, n_pos: float, n_neg: float, odds: float, smoothing: float
) -> Targets:
    """Platt's targets: a positive counts as ``(n_pos + s) / (n_pos + 2 s)`` of one, and so does a negative.

    `odds` is the weight of a negative if a positive has weight 1.
    """
    lent_by_pos, lent_by_neg = smoothing / (n_pos + 2 * smoothing), smoothing / (n_neg + 2 * smoothing)
    read = odds * neg
    return Targets(
        pos * (1 - lent_by_pos) + read * lent_by_neg,
        pos * lent_by_pos + read * (1 - lent_by_neg),
    )


def line(x: FloatArray, targets: Targets) -> tuple[float, float]:
    """Intercept and slope of the log-odds along x."""
    rows = LogisticRows(x, *targets)
    best = logistic.maximum(rows, logistic.start(rows, 0.0), "both").line
    return best.intercept, best.slope


def temperature(share: FloatArray, targets: Targets) -> float:
    """The number that log-odds are divided by; infinite or negative if scores rank no better than chance."""
    (slope,) = _maximum(scipy.special.logit(share)[np.newaxis], targets)
    return float(np.divide(1.0, slope))


def beta(share: FloatArray, targets: Targets) -> BetaLogOdds:
    """The increasing map of the beta family: a and b are not negative."""
    terms = {"a": np.log(share), "b": -np.log1p(-share), "c": np.ones(len(share))}
    return BetaLogOdds(**_increasing(terms, targets))


def _increasing(terms: dict[str, FloatArray], targets: Targets) -> dict[str, float]:
    """The best coefficients of which a and b are not negative.

    The likelihood is concave: if the best point of all has negative ones, the best allowed one has 0 for one of them.
    """
    found = dict(zip(terms, _maximum(np.array(list(terms.values())), targets).tolist(), strict=True))
    against = [name for name in ("a", "b") if found.get(name, 0.0) < 0]
    if not against:
        return {"a": 0.0, "b": 0.0} | found
    fewer = [_increasing({k: x for k, x in terms.items() if k != name}, targets) for name in against]
    return max(fewer, key=lambda one: _likelihood(sum(one[name] * x for name, x in terms.items()), targets))


def _maximum(terms: FloatArray, targets: Targets) -> FloatArray:
    """The maximum-likelihood coefficients of terms, by Newton's method with steps that never lose likelihood."""
    scale = np.maximum(np.abs(terms).max(1), 1e-300)
    terms = terms / scale[:, np.newaxis]
    mass = targets.pos + targets.neg
    at = np.zeros(len(terms))
    best = _likelihood(at @ terms, targets)
    for _ in range(_STEPS):
        log_odds = at @ terms
        share, rest = scipy.special.expit(log_odds), scipy.special.expit(-log_odds)
        gradient = terms @ (targets.pos * rest - targets.neg * share)
        information = (terms * (mass * share * rest)) @ terms.T
        step = np.linalg.lstsq(information, gradient)[0]
        for _ in range(_HALVINGS):
            there = _likelihood((at + step) @ terms, targets)
            if there >= best:
                break
            step = step / 2
        else:
            break
        at, best = at + step, there
        if np.abs(step @ terms).max() <= _CLOSE:
            break
    return np.asarray(at / scale, np.float64)


def _likelihood(log_odds: FloatArray | float, targets: Targets) -> float:
    return -float(
        np.sum(targets.pos * np.logaddexp(0.0, np.negative(log_odds)) + targets.neg * np.logaddexp(0.0, log_odds))
    )


class Knots(NamedTuple):
    """Scores, ascending, and the rate at each; between them it is interpolated or stays, by the method."""

    score: FloatArray
    rate: FloatArray


def isotonic(
    low: FloatArray, high: FloatArray, pos: FloatArray, neg: FloatArray, *, odds: float, added: float
) -> Knots:
    """Isotonic rates at the ends of each block of pooled scores, for entries from `low` to `high`.

    Rows are added beyond both ends, positives below and negatives above, so many as `added` rows have of each at the
    data's own prevalence. With them no rate is 0 or 1.
    """
    share = float(pos.sum() / (pos.sum() + neg.sum()))
    with_ends = [
        np.concatenate([[below], masses, [above]])
        for below, masses, above in ((added * share, pos, 0.0), (0.0, odds * neg, odds * added * (1 - share)))
    ]
    rate = isotonic_rates(*with_ends)[1:-1]
    first = np.flatnonzero(np.append(True, rate[1:] != rate[:-1]))
    last = np.append(first[1:], len(rate)) - 1
    ends, rates = np.column_stack([low[first], high[last]]).ravel(), np.repeat(rate[first], 2)
    kept = np.append(True, ends[1:] > ends[:-1])  # a block of one score has one knot
    return Knots(ends[kept], rates[kept])


def bin_rates(pos: FloatArray, neg: FloatArray, odds: float, added: float) -> FloatArray:
    """The rate of each bin, with `added` rows of the data's own prevalence in each."""
    share = float(pos.sum() / (pos.sum() + neg.sum()))
    events = pos + added * share
    return np.asarray(events / (events + odds * (neg + added * (1 - share))), np.float64)
