"""Streams of periods whose truth is known: the prevalence moves and the model stays, or the model becomes worse.

Scores are normal in both classes, rounded to fifths of a standard deviation: then a period is two draws of counts, and
a study has time for many streams.
"""

from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr

import baserate as br
from baserate.curves.counting import Counted
from baserate.metrics.over_prevalence import MetricFunction

Floats = NDArray[np.float64]

REFERENCE, LOOKS = 3, 12  # periods
COMMON = 0.02  # prevalence
AP = 0.6  # of the model at the common prevalence
DECAY = 0.1
CHANGED_AT = 4  # the look at which the model becomes worse
THRESHOLD = 2.0
RARE = 1e-4  # a prevalence at which few negatives decide
NEARLY_PERFECT = 0.99  # average precision

_SCORES = np.arange(-25, 46) / 5
_MANY = 1e12  # rows of a population

METRICS: dict[str, tuple[MetricFunction, float | None]] = {
    "average_precision": (br.average_precision, None),
    "roc_auc": (br.roc_auc, None),
    "precision at a threshold": (br.precision, THRESHOLD),
    "brier_score": (br.brier_score, None),
}


class Setting(NamedTuple):
    """A kind of stream."""

    n_pos: int  # in a period, if the prevalence is the common one
    prevalence: str = "steady"
    decay: float = 0.0
    metric: str = "average_precision"
    read_at: float = COMMON  # the prevalence that periods are compared at
    average_precision: float = AP  # at the common prevalence
    looks: int = LOOKS
    changed_at: int = CHANGED_AT  # the look at which the model becomes worse, if it does


@cache
def shares(distance: float) -> Floats:
    """The share of a class at each score, if its scores are so many standard deviations higher."""
    edges = np.concatenate([[-np.inf], (_SCORES[1:] + _SCORES[:-1]) / 2, [np.inf]])
    return np.asarray(np.diff(ndtr(edges - distance)), np.float64)


@cache
def distance(average_precision: float) -> float:
    """How far apart the classes are if the average precision at the common prevalence is this."""
    return float(brentq(lambda d: true_average_precision(d) - average_precision, 0.1, 8.0))


def true_average_precision(d: float) -> float:
    """The average precision at the common prevalence, with positives d standard deviations higher."""
    population = br.Curve.from_counts(_SCORES, *(np.rint(_MANY * shares(of_class)) for of_class in (d, 0.0)))
    return br.average_precision(population.at_prevalence(COMMON))


def prevalences(kind: str, looks: int = LOOKS) -> Floats:
    """The prevalence of each period, around the common one."""
    n = REFERENCE + looks
    time = np.linspace(0, 1, n)
    shapes = {
        "steady": 0 * time,
        "falling": 1 - 2 * time,
        "rising": 2 * time - 1,
        "seasonal": np.sin(2 * np.pi * np.arange(n) / 7),
        "a step up": np.where(time > 0.4, 1.0, -0.5),
    }
    return COMMON * 2.5 ** shapes[kind]


class Counts(NamedTuple):
    """A stream: positives and negatives by period and score, from the highest score down."""

    pos: Floats
    neg: Floats

    def curves(self, setting: Setting, some: slice = slice(None)) -> list[br.Curve]:
        """A curve for each period, read at the prevalence of the setting."""
        both = zip(self.pos[some], self.neg[some], strict=True)
        return [_curve(scores(setting), *period, setting.read_at) for period in both]

    def pooled(self, setting: Setting, some: slice) -> br.Curve:
        """The curve of several periods."""
        return _curve(scores(setting), self.pos[some].sum(axis=0), self.neg[some].sum(axis=0), setting.read_at)


def _curve(score: Floats, pos: Floats, neg: Floats, read_at: float) -> br.Curve:
    """Without the checks of the public functions, which take longer than all else if periods are many."""
    there = pos + neg > 0
    return br.Curve._of(Counted(score[there], pos[there].astype(np.intp), neg[there].astype(np.intp)), read_at)


def scores(setting: Setting) -> Floats:
    """The scores that rows can have, from the highest down."""
    score = _SCORES[::-1]
    if setting.metric != "brier_score":
        return score
    d = distance(setting.average_precision)
    return np.asarray(expit(d * score - d**2 / 2 + logit(COMMON)), np.float64)  # the probability of a positive


def stream(setting: Setting, rng: np.random.Generator) -> Counts:
    """As many rows in each period, of which as many are positive as the prevalence says."""
    rows = round(setting.n_pos / COMMON)
    usual, worse = (shares(distance(setting.average_precision - fallen))[::-1] for fallen in (0.0, setting.decay))
    n_pos = np.maximum(1, np.rint(rows * prevalences(setting.prevalence, setting.looks))).astype(int)
    changed = np.arange(len(n_pos)) >= REFERENCE + setting.changed_at - 1
    pos = rng.multinomial(n_pos, np.where(changed[:, np.newaxis], worse, usual))
    return Counts(pos.astype(np.float64), rng.multinomial(rows - n_pos, shares(0.0)[::-1]).astype(np.float64))


def quiet_settings(*, quick: bool = False) -> list[Setting]:
    """Streams whose model stays as it is."""
    if quick:
        return [Setting(200, "falling"), Setting(20, read_at=RARE)]
    kinds = ["steady", "falling", "rising", "seasonal", "a step up"]
    falling = partial(Setting, 200, "falling")
    return [
        *(Setting(200, kind) for kind in kinds),
        Setting(50, "falling"),
        Setting(20),
        Setting(20, "seasonal"),
        Setting(20, read_at=RARE),
        Setting(200, read_at=RARE),
        *(falling(metric=metric) for metric in ("roc_auc", "precision at a threshold", "brier_score")),
        Setting(20, metric="roc_auc", average_precision=NEARLY_PERFECT),
        Setting(20, metric="precision at a threshold", read_at=RARE),
    ]


def worse_settings(*, quick: bool = False) -> list[Setting]:
    """Streams whose model becomes worse."""
    named = [Setting(200, decay=DECAY)]
    if quick:
        return named
    named += [Setting(200, kind, DECAY) for kind in ("falling", "rising", "seasonal")]
    named += [Setting(200, decay=size) for size in (0.05, 0.2)]
    late = [Setting(200, decay=DECAY, looks=n + 12, changed_at=n + 1) for n in (24, 88)]
    return [*named, Setting(50, decay=DECAY), *late]


def long_settings() -> list[Setting]:
    """Long streams whose model stays as it is."""
    kinds = ["steady", "seasonal", "falling"]
    hundred = [Setting(20, kind, looks=100) for kind in kinds] + [Setting(200, "seasonal", looks=100)]
    return [*hundred, *(Setting(20, kind, looks=1000) for kind in (*kinds, "a step up"))]
