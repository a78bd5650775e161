"""Populations whose truth is known: how scores are distributed in each class, and what metrics then are."""

import math
from collections.abc import Callable, Mapping
from functools import cache, cached_property, partial
from typing import NamedTuple, Protocol

import numpy as np
import scipy.stats
from numpy.typing import NDArray
from scipy.special import ndtr

import baserate as br
from baserate.metrics.over_prevalence import MetricFunction

Floats = NDArray[np.float64]

# Tail probabilities at which continuous scores are looked at: so fine that sums over them are integrals.
_TAILS = ndtr(np.linspace(-12.0, 0.0, 250_001))


class Law(NamedTuple):
    """How the scores of one class are distributed."""

    draw: Callable[[np.random.Generator, int], Floats]
    above: Callable[[Floats], Floats]  # the share at or above each threshold
    places: Floats  # thresholds that tell the whole law
    atoms: Floats  # scores that many rows share


class Continuous(Protocol):
    """What scipy knows of a continuous law."""

    @property
    def sf(self) -> Callable[[Floats], Floats]:
        """The share above each score."""

    @property
    def isf(self) -> Callable[[Floats], Floats]:
        """The scores with these shares above them."""

    @property
    def ppf(self) -> Callable[[Floats], Floats]:
        """The scores with these shares below them."""


def continuous(law: Continuous) -> Law:
    def draw(rng: np.random.Generator, n: int) -> Floats:
        return np.asarray(law.isf(rng.random(n)), np.float64)

    places = np.concatenate([law.isf(_TAILS), law.ppf(_TAILS)])
    return Law(draw, law.sf, places[np.isfinite(places)], np.zeros(0))


def normal(mean: float, sd: float = 1.0) -> Law:
    return continuous(scipy.stats.norm(mean, sd))


def discrete(shares: Mapping[float, float]) -> Law:
    values, weights = (np.array(list(part), np.float64) for part in (shares.keys(), shares.values()))

    def draw(rng: np.random.Generator, n: int) -> Floats:
        return rng.choice(values, n, p=weights)

    def above(threshold: Floats) -> Floats:
        return np.asarray((values >= np.asarray(threshold)[..., np.newaxis]) @ weights, np.float64)

    return Law(draw, above, values, values)


def rounded(law: Law, step: float) -> Law:
    """Scores on a grid; the grid itself holds every score that is drawn, to the last digit."""
    grid = np.arange(-60.0, 80.0) * np.float64(step)

    def draw(rng: np.random.Generator, n: int) -> Floats:
        return np.asarray(np.round(law.draw(rng, n) / step) * step, np.float64)

    def above(threshold: Floats) -> Floats:
        return law.above((np.ceil(np.asarray(threshold) / step - 1e-6) - 0.5) * step)

    return Law(draw, above, grid, grid)


def mixed(*parts: tuple[float, Law]) -> Law:
    """Each row from one of several laws, with these shares."""
    shares, laws = [share for share, _ in parts], [law for _, law in parts]

    def draw(rng: np.random.Generator, n: int) -> Floats:
        numbers = rng.multinomial(n, shares)
        return np.concatenate([law.draw(rng, int(k)) for law, k in zip(laws, numbers, strict=True)])

    def above(threshold: Floats) -> Floats:
        return np.asarray(sum(share * law.above(threshold) for share, law in parts), np.float64)

    places, atoms = (np.concatenate([getattr(law, name) for law in laws]) for name in ("places", "atoms"))
    return Law(draw, above, places, atoms)


class Model:
    """Two classes of scores."""

    def __init__(self, pos: Law, neg: Law, tilt: float = 0.0) -> None:
        self.pos, self.neg = pos, neg
        self.tilt = tilt  # rows weigh exp(tilt * score), and are drawn as much less often; normal scores only

    def curve(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> br.Curve:
        """A test set."""
        score = np.append(self.pos.draw(rng, n_pos), self.neg.draw(rng, n_neg)) - self.tilt
        weight = np.exp(self.tilt * score) if self.tilt else None
        return br.Curve.from_scores(np.arange(n_pos + n_neg) < n_pos, score, weight=weight)

    def rates(self, threshold: float) -> tuple[float, float]:
        """TPR and FPR of a threshold."""
        at = np.array([threshold])
        return float(self.pos.above(at)[0]), float(self.neg.above(at)[0])

    def point(self, threshold: float, prevalence: float) -> br.Point:
        """What a threshold does in the population."""
        tpr, fpr = self.rates(threshold)
        return br.Point.from_rates(tpr, fpr, prevalence=prevalence)

    def with_unseen(self, *, pos: float = 0.0, neg: float = 0.0) -> "Model":
        """The same model with a share of a class above all others, which a test set may well have nothing of."""
        top = continuous(scipy.stats.uniform(self.thresholds[0] + 1, 1))
        return Model(mixed((1 - pos, self.pos), (pos, top)), mixed((1 - neg, self.neg), (neg, top)), self.tilt)

    @cached_property
    def thresholds(self) -> Floats:
        """All that matter, from the highest down."""
        return np.unique(np.append(self.pos.places, self.neg.places))[::-1]

    @cached_property
    def roc(self) -> tuple[Floats, Floats]:
        """TPR and FPR of all thresholds."""
        tpr, fpr = (np.maximum.accumulate(law.above(self.thresholds)) for law in (self.pos, self.neg))
        tpr[-1] = fpr[-1] = 1.0
        return np.minimum(tpr, 1.0), np.minimum(fpr, 1.0)

    @cached_property
    def population(self) -> br.Curve:
        """The curve without noise; between its points it is straight, which atoms are and the rest nearly is."""
        return br.Curve.from_rates(*self.roc)

    def area(self, metric: MetricFunction, prevalence: float) -> float:
        """An area in the population."""
        found = _known.get((id(self), metric, prevalence))
        if found is None:
            exact = self._average_precision if metric is br.average_precision else partial(_read, metric, self)
            found = _known[id(self), metric, prevalence] = exact(prevalence)
        return found

    def _average_precision(self, prevalence: float) -> float:
        """Precision at the end of a step where rows are tied, and along the way where they are not."""
        tpr, fpr = self.roc
        alerts = tpr + (1 - prevalence) / prevalence * fpr
        precision = np.divide(tpr, alerts, out=np.ones_like(tpr), where=alerts > 0)
        before = np.append(precision[:1], precision[:-1])
        tied = np.isin(self.thresholds, np.append(self.pos.atoms, self.neg.atoms))
        return float(np.diff(tpr, prepend=0.0) @ np.where(tied, precision, (before + precision) / 2))

    def chosen(self, rule: str, prevalence: float) -> br.Point:
        """What a rule chooses in the population."""
        return br.Rule.parse(rule).on(self.population.at_prevalence(prevalence))

    def threshold(self, rule: str, prevalence: float = 0.5) -> float:
        """The threshold that a rule chooses in the population."""
        point = self.chosen(rule, prevalence)
        reached = np.searchsorted(self.roc[0] + self.roc[1], point.tpr + point.fpr)
        return float(self.thresholds[reached]) if point.tpr + point.fpr > 0 else math.inf


_known: dict[tuple[int, MetricFunction, float], float] = {}


def _read(metric: MetricFunction, model: Model, prevalence: float) -> float:
    return float(metric(model.population.at_prevalence(prevalence)))


def _beta(a: float, b: float) -> Law:
    return continuous(scipy.stats.beta(a, b))


def _t2(mean: float) -> Law:
    return continuous(scipy.stats.t(2, mean))


def _uniform(start: float) -> Law:
    return continuous(scipy.stats.uniform(start, 1))


def _zero_inflated(zeros: float, mean: float) -> Law:
    return mixed((zeros, discrete({0.0: 1.0})), (1 - zeros, continuous(scipy.stats.expon(0, mean))))


MODELS: Mapping[str, Callable[[], Model]] = {
    "weak": lambda: Model(normal(1), normal(0)),
    "strong": lambda: Model(normal(3), normal(0)),
    "perfect": lambda: Model(_uniform(1), _uniform(0)),
    "tied": lambda: Model(rounded(normal(1), 0.5), rounded(normal(0), 0.5)),
    "three levels": lambda: Model(discrete({2: 0.5, 1: 0.3, 0: 0.2}), discrete({2: 0.05, 1: 0.25, 0: 0.7})),
    "t2": lambda: Model(_t2(2), _t2(0)),
    "beta": lambda: Model(_beta(2, 2), _beta(1, 9)),
    "unreachable positives": lambda: Model(mixed((0.7, normal(3)), (0.3, normal(0))), normal(0)),
    "zero-inflated": lambda: Model(_zero_inflated(0.3, 3.0), _zero_inflated(0.9, 1.0)),
    "rare top positives": lambda: Model(mixed((0.95, normal(1)), (0.05, normal(8))), normal(0)),
    "rare top negatives": lambda: Model(normal(3), mixed((0.998, normal(0)), (0.002, normal(6)))),
    "weighted": lambda: Model(normal(1.5), normal(0), tilt=0.7),
    "falling weights": lambda: Model(normal(1.5), normal(0), tilt=-0.7),
}


@cache
def model_of(name: str) -> Model:
    """A population by its name; made once, because its truth takes a while."""
    return MODELS[name]()
