"""The cheapest sizes for which the interval of average precision comes out as narrow as wanted.

The influence function says roughly how the width depends on both sizes: its square is a sum of two parts, each of them
a constant over a size. Constants and powers are mended by what drawn test sets say, at a few sizes.
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

# Populations that are drawn to look for the sizes, and to settle them; and how many for a test set lie beyond an end.
_LOOK = {"populations": 22_000, "beyond": 8}
_SETTLE = {"populations": 160_000, "beyond": 10}
# By which factor intervals are wider than the influence function says, before any has been seen: a usual one.
_USUAL = 1.4
_LEAST_VARIANCE = 1e-12
# How well the mean logarithm of widths is known from a look, and how far parameters like to be, and may be, from where
# they began: two logarithms of constants and two powers.
_NOISE = 0.005
_LEEWAY = np.array([1.0, 1.0, 0.2, 0.2])
_BOUND = np.array([10.0, 10.0, 0.6, 0.6])
# How far apart the first sizes lie, as logarithms; how far the next may be; and when they are near enough.
_APART = 0.5
_FAR = 2.5
_NEAR = 0.1
_ROUNDS = 8
# Splits that are tried out where nothing can be fitted, as logarithms.
_TURNS = (-3.0, -1.5, 1.5, 3.0)
_ROUGH = 0.2
# A class takes no part in the width any more if this is its share of the square.
_NO_PART = 0.002
# A class that costs next to nothing is taken to cost this share of the other.
_NOTHING = 1e-12


class ApGoal(NamedTuple):
    """What is expected and what is wanted."""

    model: RocModel
    x: float  # negatives to a positive where it is read
    width: float
    confidence_level: float


class Found(NamedTuple):
    """Sizes, and the widths that they give."""

    sizes: Sizes
    widths: Widths


def cheapest_for_ap(
    goal: ApGoal, share: float, prices: Prices, *, n_pos: int | None = None, n_neg: int | None = None
) -> Found | None:
    """The cheapest sizes whose intervals are narrow enough in a share of the test sets; None where none are."""
    with ProgressLine("Drawing test sets") as line:
        search = _Search(goal, share, prices, (n_pos, n_neg), line)
        at = search.looked_for()
        found = None if at is None else search.settled(at)
        return found or search.tried_out()


class _Search:
    """What is known about widths, and where to look next."""

    def __init__(
        self, goal: ApGoal, share: float, prices: Prices, given: tuple[int | None, int | None], line: ProgressLine
    ) -> None:
        self.goal = goal
        self.z = float(scipy.special.ndtri(share))
        self.prices = np.array(prices)
        self.given = given
        self.line = line
        self.first = self.fit = _by_influence(goal)
        self.places: list[FloatArray] = []  # logarithms of sizes that were looked at
        self.seen: list[Seen] = []  # the widths there

    def looked_for(self) -> FloatArray | None:
        """Near the best sizes, as logarithms; None where no size is enough."""
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

    def settled(self, at: FloatArray) -> Found | None:
        """Sizes next to these, from more test sets; None where what is fitted leads away from what is seen."""
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
        return Found(final, Widths(self.seen[-1].middle + moved, self._spread))

    def tried_out(self) -> Found | None:
        """Without any fit, which takes longer: of some splits the cheapest, each scaled until it is enough."""
        even = self._scaled(0.0, 0.0, math.log(LARGEST))
        if even is None:
            return None
        turns = _TURNS if self._free.all() else ()
        found = [self._scaled(turn, even[0] - abs(turn), even[0] + abs(turn)) for turn in turns]
        at = min([even, *(one for one in found if one is not None)], key=lambda one: float(np.exp(one) @ self.prices))
        while at.max() <= math.log(LARGEST):
            sizes = self._whole(at)
            seen = self._widths(sizes, **_SETTLE)
            if self._is_enough(seen):
                return Found(sizes, Widths(seen.middle, spread_of([seen])))
            at = at + _NEAR / 2 * self._free
        return None

    def _scaled(self, turn: float, low: float, high: float) -> FloatArray | None:
        """Where the sizes of a split begin to be enough, nearly; None where the largest are not."""
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
        """Whole sizes; what is given stays as it is."""
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

    # --- how the width depends on sizes, whose logarithms are in the last axis -----------------------------------

    def _log_width(self, at: FloatArray) -> FloatArray:
        """The mean logarithm of the width, as fitted to what was looked at."""
        return _log_width(self.fit, at)

    def _refit(self) -> None:
        """Parameters that suit what was seen, above all near by, and are not far from where they began."""
        from scipy import optimize

        places, seen = np.array(self.places), np.array([one.middle for one in self.seen])
        doubt = _NOISE * np.exp(np.abs(places - places[-1]).max(axis=1))

        def off(fit: FloatArray) -> FloatArray:
            return np.append((_log_width(fit, places) - seen) / doubt, (fit - self.first) / _LEEWAY)

        self.fit = optimize.least_squares(off, self.fit, bounds=(self.first - _BOUND, self.first + _BOUND)).x

    def _enough(self, at: FloatArray, beyond: float = 0.0, far: float = np.inf) -> FloatArray:
        """The smallest scale of free sizes that is enough, from each place; infinite where none within reach is."""
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
        """The cheapest of many splits; as far as may be gone where nothing is enough."""
        turns = np.linspace(-1, 1, 201)[:, np.newaxis] * min(far, 20.0) if self._free.all() else np.zeros((1, 1))
        found = self._enough(at + turns * np.array([1.0, -1.0]), far=far)
        with np.errstate(over="ignore"):
            cost = np.exp(found) @ np.maximum(self.prices, _NOTHING * self.prices.max())
        best = found[np.argmin(cost)]
        return best if np.isfinite(best).all() else at + min(far, 20.0) * self._free

    def _in_vain(self, at: FloatArray) -> bool:
        """Whether more of the free class would not help any more."""
        if self._free.all():
            return False
        parts = _parts(self.fit, at)
        enough = float(self._log_width(at)) + self.z * self._spread <= math.log(self.goal.width)
        return bool(parts @ self._free < _NO_PART * parts.sum()) and not enough


def _by_influence(goal: ApGoal) -> FloatArray:
    """What the influence function says, times a usual factor."""
    variances = np.array(ap_moments(goal.model, goal.x)[1:])
    parts = np.log(np.maximum(variances, _LEAST_VARIANCE)) + 2 * math.log(_USUAL * 2 * z_score(goal.confidence_level))
    return np.append(parts, [1.0, 1.0])


def _parts(fit: FloatArray, at: FloatArray) -> FloatArray:
    """What each class adds to the square of the width: a constant over a power of its size, nearly the first."""
    return np.exp(fit[:2] - fit[2:] * at)


def _log_width(fit: FloatArray, at: FloatArray) -> FloatArray:
    return np.asarray(np.log(_parts(fit, at).sum(axis=-1)) / 2)
