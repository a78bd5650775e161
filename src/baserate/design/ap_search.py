"""The cheapest sizes for which the interval of average precision is narrow enough.

The influence function gives a first approximation: the squared width is a sum of two terms, one per class, each a
constant divided by the size. Constants and exponents are then refitted to simulated test sets of a few sizes.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy

from baserate.arrays import FloatArray
from baserate.design.ap_widths import Seen, Widths, ap_widths, spread_of
from baserate.design.roc_models import RocModel, ap_moments
from baserate.design.search import LARGEST, Prices, Sizes
from baserate.formulas.proportions import z_score
from baserate.progress import ProgressLine

# Populations drawn in the search and in the final step; and how many of a test set lie beyond an end.
_LOOK = {"populations": 22_000, "beyond": 8}
_SETTLE = {"populations": 160_000, "beyond": 10}
# The initial ratio of simulated widths to those of the influence function: a typical one.
_USUAL = 1.4
_LEAST_VARIANCE = 1e-12
# Standard error of the mean log-width of one simulation; prior standard deviations of the parameters (two logarithms of
# constants, two exponents), and their bounds.
_NOISE = 0.005
_LEEWAY = np.array([1.0, 1.0, 0.2, 0.2])
_BOUND = np.array([10.0, 10.0, 0.6, 0.6])
# In logarithms of sizes: the distance of the first ones, the largest step, and the tolerance.
_APART = 0.5
_FAR = 2.5
_NEAR = 0.1
_ROUNDS = 8
# Splits between the classes that are tried without a fit, as logarithms.
_TURNS = (-3.0, -1.5, 1.5, 3.0)
_ROUGH = 0.2
# A class with less than this share of the squared width no longer matters.
_NO_PART = 0.002
# The lowest cost of a class, relative to the other.
_NOTHING = 1e-12


class ApGoal(NamedTuple):
    """The expected ROC curve, and the interval that is wanted."""

    model: RocModel
    x: float  # negatives per positive at the prevalence of interest
    width: float
    confidence_level: float


class SizesAndWidths(NamedTuple):
    """Sizes, and the distribution of widths that they give."""

    sizes: Sizes
    widths: Widths


def cheapest_for_ap(
    goal: ApGoal, share: float, prices: Prices, *, n_pos: int | None = None, n_neg: int | None = None
) -> SizesAndWidths | None:
    """The cheapest sizes whose intervals are narrow enough in a share of the test sets; None if there are none."""
    with ProgressLine("Drawing test sets") as line:
        search = _ApSearch(goal, share, prices, (n_pos, n_neg), line)
        at = search.looked_for()
        fitted = None if at is None else search.settled(at)
        return fitted or search.tried_out()


class _ApSearch:
    """Simulated widths so far, and the model fitted to them."""

    def __init__(
        self, goal: ApGoal, share: float, prices: Prices, given: tuple[int | None, int | None], line: ProgressLine
    ) -> None:
        self.goal = goal
        self.z = float(scipy.special.ndtri(share))
        self.prices = np.array(prices)
        self.given = given
        self.line = line
        self.first = self.fit = _by_influence(goal)
        self.places: list[FloatArray] = []  # logarithms of simulated sizes
        self.seen: list[Seen] = []  # the widths there

    def looked_for(self) -> FloatArray | None:
        """Logarithms of sizes near the cheapest; None if no size is enough."""
        at = self._best(np.log([value or 1000.0 for value in self.given]), np.inf)
        self._look(at)
        for direction in np.diag(self._free)[self._free > 0]:
            self._look(at + _APART * direction)
        for _ in range(_ROUNDS):
            best = self._best(at, _FAR)
            if best.max() > math.log(LARGEST):
                return None
            self._look(best)
            moved, at = np.abs(best - at).max(), best
            if self._in_vain(at):
                return None
            if moved < _NEAR:
                break
        return at

    def settled(self, at: FloatArray) -> SizesAndWidths | None:
        """The final sizes, from more test sets; None if the fit does not converge."""
        for _ in range(3):
            sizes = self._whole(at)
            self.places.append(np.log(sizes))
            self.seen.append(self._widths(sizes, **_SETTLE))
            beyond = self.seen[-1].middle - float(self._log_width(np.log(sizes)))
            at = self._enough(np.log(sizes), beyond)
            if not np.isfinite(at).all() or at.max() > math.log(LARGEST):
                return None
            if np.abs(at - np.log(sizes)).max() < _NEAR:
                break
        else:
            return None
        final = self._whole(at)
        moved = float(self._log_width(np.log(final)) - self._log_width(np.log(sizes)))
        return SizesAndWidths(final, Widths(self.seen[-1].middle + moved, self._spread))

    def tried_out(self) -> SizesAndWidths | None:
        """Sizes without a fit, which takes longer: the cheapest of a few splits, each scaled until it is enough."""
        even = self._scaled(0.0, 0.0, math.log(LARGEST))
        if even is None:
            return None
        turns = _TURNS if self._free.all() else ()
        splits = [self._scaled(turn, even[0] - abs(turn), even[0] + abs(turn)) for turn in turns]
        at = min([even, *(one for one in splits if one is not None)], key=lambda one: float(np.exp(one) @ self.prices))
        while at.max() <= math.log(LARGEST):
            sizes = self._whole(at)
            seen = self._widths(sizes, **_SETTLE)
            if self._is_enough(seen):
                return SizesAndWidths(sizes, Widths(seen.middle, spread_of([seen])))
            at = at + _NEAR / 2 * self._free
        return None

    def _scaled(self, turn: float, low: float, high: float) -> FloatArray | None:
        """The smallest sizes of a split that are enough, by bisection; None if the largest are not."""
        split = turn * np.array([1.0, -1.0])

        def narrow(scale: float) -> bool:
            self.line.show(0.9)
            return self._is_enough(self._widths(self._whole(split + scale), **_LOOK))

        if not narrow(high):
            return None
        while high - low > _ROUGH:
            middle = (low + high) / 2
            low, high = (low, middle) if narrow(middle) else (middle, high)
        return np.maximum(split + low, np.where(self._free, 0.0, split + low))

    def _is_enough(self, seen: Seen) -> bool:
        return seen.middle + self.z * spread_of([seen]) <= math.log(self.goal.width)

    def _whole(self, at: FloatArray) -> Sizes:
        """Sizes as integers; a given size stays."""
        free = (min(max(1, math.ceil(math.exp(size) - 1e-9)), LARGEST) for size in at)
        return Sizes(*(one if own is None else own for one, own in zip(free, self.given, strict=True)))

    @property
    def _free(self) -> FloatArray:
        return np.array([size is None for size in self.given], np.float64)

    @property
    def _spread(self) -> float:
        return spread_of(self.seen) if self.seen else 0.0

    def _look(self, at: FloatArray) -> None:
        sizes = self._whole(at)
        self.places.append(np.log(sizes))
        self.seen.append(self._widths(sizes, **_LOOK))
        self._refit()
        self.line.show(len(self.places) / (len(self.places) + 4))

    def _widths(self, sizes: Sizes, *, populations: int, beyond: int) -> Seen:
        model, x, _, level = self.goal
        return ap_widths(model, x, *sizes, confidence_level=level, populations=populations, beyond=beyond)

    # --- the width as a function of the sizes, whose logarithms are the last axis --------------------------------

    def _log_width(self, at: FloatArray) -> FloatArray:
        """The mean log-width, by the fitted model."""
        return _log_width(self.fit, at)

    def _refit(self) -> None:
        """Fit the parameters by regularised least squares; sizes near the last one weigh most."""
        from scipy import optimize

        places, seen = np.array(self.places), np.array([one.middle for one in self.seen])
        doubt = _NOISE * np.exp(np.abs(places - places[-1]).max(axis=1))

        def off(fit: FloatArray) -> FloatArray:
            return np.append((_log_width(fit, places) - seen) / doubt, (fit - self.first) / _LEEWAY)

        self.fit = optimize.least_squares(off, self.fit, bounds=(self.first - _BOUND, self.first + _BOUND)).x

    def _enough(self, at: FloatArray, beyond: float = 0.0, far: float = np.inf) -> FloatArray:
        """The smallest multiple of the free sizes that is enough, by bisection; infinite if none within reach is."""
        wanted = math.log(self.goal.width) - self.z * self._spread - beyond
        reach = min(far, math.log(LARGEST))
        low, high = np.full(at.shape[:-1], -reach), np.full(at.shape[:-1], reach)

        def scaled(by: FloatArray) -> FloatArray:
            return np.maximum(at + by[..., np.newaxis] * self._free, np.where(self._free, 0.0, at))

        reachable = self._log_width(scaled(high)) <= wanted
        for _ in range(50):
            middle = (low + high) / 2
            narrow = self._log_width(scaled(middle)) <= wanted
            low, high = np.where(narrow, low, middle), np.where(narrow, middle, high)
        return np.where(reachable[..., np.newaxis], scaled(high), np.inf)

    def _best(self, at: FloatArray, far: float) -> FloatArray:
        """The cheapest of many splits; the farthest allowed step if none is enough."""
        turns = np.linspace(-1, 1, 201)[:, np.newaxis] * min(far, 20.0) if self._free.all() else np.zeros((1, 1))
        enough = self._enough(at + turns * np.array([1.0, -1.0]), far=far)
        with np.errstate(over="ignore"):
            cost = np.exp(enough) @ np.maximum(self.prices, _NOTHING * self.prices.max())
        best = enough[np.argmin(cost)]
        return best if np.isfinite(best).all() else at + min(far, 20.0) * self._free

    def _in_vain(self, at: FloatArray) -> bool:
        """Whether more cases of the free class no longer help."""
        if self._free.all():
            return False
        parts = _parts(self.fit, at)
        enough = float(self._log_width(at)) + self.z * self._spread <= math.log(self.goal.width)
        return bool(parts @ self._free < _NO_PART * parts.sum()) and not enough


def _by_influence(goal: ApGoal) -> FloatArray:
    """Initial parameters, from the influence function and a typical factor."""
    variances = np.array(ap_moments(goal.model, goal.x)[1:])
    parts = np.log(np.maximum(variances, _LEAST_VARIANCE)) + 2 * math.log(_USUAL * 2 * z_score(goal.confidence_level))
    return np.append(parts, [1.0, 1.0])


def _parts(fit: FloatArray, at: FloatArray) -> FloatArray:
    """The part of each class in the squared width: a constant divided by a power of its size, of about 1."""
    return np.exp(fit[:2] - fit[2:] * at)


def _log_width(fit: FloatArray, at: FloatArray) -> FloatArray:
    return np.asarray(np.log(_parts(fit, at).sum(axis=-1)) / 2)
