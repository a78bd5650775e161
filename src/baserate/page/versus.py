"""Which model leads where, and how sure that is: models on the same rows are read in pairs, from one set of draws."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.curves.pair import SameRows
from baserate.metrics.areas import average_precision
from baserate.page.words import Json, numbers
from baserate.results import Crossing, CrossingEstimate
from baserate.results.intervals import Estimate
from baserate.uncertainty.contests import standings
from baserate.uncertainty.difference import contest_among
from baserate.uncertainty.estimate import IntervalSettings
from baserate.uncertainty.lead import crossings_in

# A model leads if it is better with this probability.
SURE = 0.95

# So many models are compared row by row, those that are nearest to the best ones; the cost grows faster than their
# number. The others are compared by their own intervals.
MOST_COMPARED = 6

# Of more rows than this, fewer models are compared, from fewer populations: each draw takes longer.
_MANY_ROWS = 200_000
_COMPARED_OF_MANY, _DRAWS_OF_MANY = 3, 200

# Populations to draw, at most; a probability is then known to about one percent.
DRAWS_OF_PAIRS = 500

# More labels than this multiple of what there is are not proposed.
MOST_TIMES = 25


class Versus(NamedTuple):
    """All pairs of models at the nodes of the slider.

    Attributes
    ----------
    nodes : array
        Log-odds of the prevalence.
    better : array
        The probability that one model (first axis) is better than another (second axis), at each node. Models that
        were not compared row by row are surely better (1) if their own intervals do not overlap, else one half.
    best : array
        The probability that a model is better than all others.
    apart : array
        Half the width of the interval of a difference; nan without the rows.
    compared : tuple of int
        The models that were compared row by row.
    n_pos : float
        The number of positives.
    """

    nodes: FloatArray
    better: FloatArray
    best: FloatArray
    apart: FloatArray
    compared: tuple[int, ...]
    n_pos: float

    @property
    def json(self) -> Json:
        """The arrays as lists: of pairs in the order of models, the first one before the second one."""
        n = len(self.best)
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        return {
            "nodes": numbers(self.nodes, 17),
            "better": [numbers(self.better[i, j], 4) for i, j in pairs],
            "apart": [numbers(self.apart[i, j], 4) for i, j in pairs],
            "best": [numbers(row, 4) for row in self.best],
            "compared": list(self.compared),
            "positives": self.n_pos,
            "sure": SURE,
            "most_times": MOST_TIMES,
        }

    def at(self, log_odds: float, value: Sequence[float]) -> "Standing":
        """The leader at a prevalence, where the models have these values; straight between nodes."""
        better, best, apart = (_between(self.nodes, part, log_odds) for part in (self.better, self.best, self.apart))
        first = int(np.argmax(value))
        others = [k for k in range(len(value)) if k != first]
        if not others or best[first] >= SURE:
            return Standing(
                (first,), tuple(others), float(best[first]) if others else math.nan, None, self._paired(first, others)
            )
        doubtful = [k for k in others if better[first, k] < SURE] or [
            min(others, key=lambda k: float(better[first, k]))
        ]
        behind = tuple(k for k in others if k not in doubtful)
        sure = min((float(better[first, k]) for k in behind), default=math.nan)
        return Standing(
            (first, *doubtful), behind, sure, self._more(value, first, doubtful, apart), self._paired(first, others)
        )

    def _paired(self, first: int, others: Sequence[int]) -> bool:
        return {first, *others} <= {*self.compared}

    def _more(self, value: Sequence[float], first: int, doubtful: Sequence[int], apart: FloatArray) -> float | None:
        """How many more positives would decide between the first model and the next, if the difference stays."""
        second = max(doubtful, key=lambda k: value[k])
        difference = value[first] - value[second]
        if not difference > 0 or not np.isfinite(apart[first, second]):
            return None
        # The width of an interval falls with the square root of the number of rows.
        times = (float(apart[first, second]) / difference) ** 2
        return self.n_pos * (times - 1) if 1 < times <= MOST_TIMES else None


class Standing(NamedTuple):
    """The leader at a prevalence."""

    ahead: tuple[int, ...]  # one model, or several that cannot be told apart
    behind: tuple[int, ...]
    sure: float  # the probability that those are ahead of these
    more: float | None  # positives that would decide between those ahead
    paired: bool  # whether all models were compared row by row


def _between(nodes: FloatArray, part: FloatArray, log_odds: float) -> FloatArray:
    """Values at nodes, straight between them."""
    k = int(np.clip(np.searchsorted(nodes, log_odds), 1, len(nodes) - 1))
    share = float(np.clip((log_odds - nodes[k - 1]) / (nodes[k] - nodes[k - 1]), 0.0, 1.0))
    if share in (0.0, 1.0):  # a node itself may stand beside one without a value
        return part[..., k - 1 if share == 0 else k]
    between: FloatArray = part[..., k - 1] + share * (part[..., k] - part[..., k - 1])
    return between


@dataclass(frozen=True)
class PairsCompared:
    """The models compared: at the nodes, and where they cross."""

    versus: Versus
    crossings: list[Crossing | CrossingEstimate]


def compared(
    models: Mapping[str, Curve],
    rows: SameRows | None,
    nodes: FloatArray,
    own: Mapping[str, list[Estimate]],
    *,
    swaps: list[Crossing],
    settings: IntervalSettings,
) -> PairsCompared:
    """Compare models: on the same rows where these are known, else by the intervals of each.

    `own` has the interval of average precision of each model at the nodes.
    """
    names = list(models)
    value, low, high = (
        np.array([[getattr(one, end) for one in own[name]] for name in names]) for end in ("value", "low", "high")
    )
    better = np.where(low[:, np.newaxis] > high, 1.0, np.where(high[:, np.newaxis] < low, 0.0, 0.5))
    apart = np.full(better.shape, np.nan)
    n_pos = float(next(iter(models.values())).n_pos)
    many = rows is not None and len(rows.positive) > _MANY_ROWS
    chosen = _nearest(value, low, high, _COMPARED_OF_MANY if many else MOST_COMPARED) if rows is not None else ()
    if rows is None or len(chosen) < 2:
        return PairsCompared(Versus(nodes, better, _best(better), apart, (), n_pos), list(swaps))
    contest = contest_among(average_precision, rows._only(*chosen), None)._replace(x=np.exp(-nodes))
    found = standings(contest, settings._replace(n_draws=min(settings.n_draws, _DRAWS_OF_MANY)) if many else settings)
    for (a, b), p, half in zip(contest.pairs, found.first_better, found.half_width, strict=True):
        i, j = chosen[a], chosen[b]
        better[i, j], better[j, i], apart[i, j], apart[j, i] = p, 1 - p, half, half
    best = _best(better)
    # A model that is surely behind another one takes nothing from what is known of those compared.
    rest = np.delete(better[list(chosen)], chosen, axis=1).min(axis=1, initial=1.0)
    known = np.where(np.isnan(found.best), _best(better)[list(chosen)], found.best)
    best[list(chosen)] = np.minimum(known, rest)
    versus = Versus(nodes, better, best, apart, chosen, n_pos)
    drawn = {(names[chosen[a]], names[chosen[b]]): found.drawn[:, :, k] for k, (a, b) in enumerate(contest.pairs)}
    return PairsCompared(versus, [_with_interval(swap, drawn, nodes, settings.confidence_level) for swap in swaps])


def _best(better: FloatArray) -> FloatArray:
    """At least about the probability that each model is better than all others, from pairs."""
    others = ~np.eye(len(better), dtype=bool)
    return np.array([better[k][others[k]].min(axis=0, initial=1.0) for k in range(len(better))])


def _nearest(value: FloatArray, low: FloatArray, high: FloatArray, most: int) -> tuple[int, ...]:
    """The models that come nearest to the best one somewhere, in their own order."""
    width = np.maximum((high - low).max(axis=0), 1e-300)
    behind = ((value.max(axis=0) - value) / width).min(axis=1)
    order = np.argsort(np.where(np.isnan(behind), np.inf, behind), kind="stable")[:most]
    return tuple(sorted(order.tolist()))


def _with_interval(
    swap: Crossing, drawn: Mapping[tuple[str, str], FloatArray], nodes: FloatArray, level: float
) -> Crossing | CrossingEstimate:
    """A crossing with its interval, where both models were compared row by row."""
    below, above = swap.leads_below, swap.leads_above
    if (below, above) in drawn:
        return crossings_in(swap, drawn[below, above], nodes, level)
    return crossings_in(swap, -drawn[above, below], nodes, level) if (above, below) in drawn else swap
