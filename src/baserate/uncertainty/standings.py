"""What a page asks of models on the same rows, from one set of draws: who is better at each of many prevalences."""

from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.uncertainty import ends
from baserate.uncertainty.contests import Contest, differences_in, methods_of, of_bias, resampled
from baserate.uncertainty.estimate import IntervalSettings


class Standings(NamedTuple):
    """Pairs and models at each prevalence.

    Attributes
    ----------
    first_better : array
        For each pair, the probability that the first model is better; ties count half.
    half_width : array
        Half the width of the interval of their difference, as `difference` gives it.
    best : array
        For each model, the probability that it is better than all others.
    drawn : array
        The differences in bootstrap samples, by observer, sample and pair.
    """

    first_better: FloatArray
    half_width: FloatArray
    best: FloatArray
    drawn: FloatArray


def standings(contest: Contest, settings: IntervalSettings) -> Standings:
    """Compare curves on the same rows; intervals are those of `lead`.

    With few rows of a class the default method of `lead` is another one, which draws populations of its own.
    """
    worth, _ = resampled(contest, settings)
    drawn = differences_in(contest, worth)
    first_better = ((drawn > 0) + (drawn == 0) / 2).mean(axis=(0, 1))
    same = (drawn == drawn[:1, :1]).all(axis=(0, 1))  # the bootstrap says nothing there
    name, method = next(iter(methods_of(contest).items()))
    if name != "expanded" or same.any():
        low, high, p_value, best = method(contest, settings)
        sign = np.sign(contest.values())
        first_better = np.where(same & ~np.isnan(p_value), 0.5 + sign * (1 - p_value) / 2, first_better)
        return Standings(first_better, (high - low) / 2, best, drawn)
    curve = contest.models.curves[0]
    fewer = float(min(curve.n_pos, curve.n_neg))
    low, high, _ = ends.expanded(drawn, contest.values(), settings.confidence_level, fewer, of_bias(contest))
    return Standings(first_better, (high - low) / 2, ends.leading(worth, worth), drawn)
