"""The coverage study of comparisons: two models on the same rows, clusters, slices, and changes."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from coverage_estimates import name_of
from coverage_lines import DRAWS, Answer, Asker, Scope, Setting, interval, mistake
from coverage_models import Model, normal
from scipy.optimize import brentq

import baserate as br
from baserate.metrics.over_prevalence import MetricFunction

TEST_LEVEL = 0.05
COMMON = 0.05  # the prevalence at which models of different shapes are equally good
DISTANCE, BETTER, WIDER = 1.5, 2.0, 1.6
MUCH_WIDER = 2.5
AT_RECALL = "recall >= 0.5"
AT_THRESHOLD = 1.0


class Normals(NamedTuple):
    """Positives with this mean and spread above negatives around 0."""

    mean: float
    sd: float = 1.0

    @property
    def model(self) -> Model:
        """The population."""
        return _model(self)


@cache
def _model(scores: Normals) -> Model:
    return Model(normal(*scores), normal(0))


def _truth(metric: MetricFunction, model: Model, prevalence: float, at: str | float | None) -> float:
    if at is None:
        return model.area(metric, prevalence)
    point = model.chosen(at, prevalence) if isinstance(at, str) else model.point(at, prevalence)
    return float(metric(point))


def tested(question: str, where: str, method: str, p_value: float, truth: float, *, default: bool) -> Iterator[Answer]:
    """Of a test: whether it finds something where there is nothing, or else whether it finds something."""
    if np.isnan(p_value):
        return
    if truth == 0:
        yield mistake(f"{question}: test", where, method, p_value <= TEST_LEVEL, default=default)
    else:
        yield Answer(f"{question}: test", where, method, default, p_value <= TEST_LEVEL, kind="power")


# --- two models on the same rows ------------------------------------------------------------------

RIVALS = ("melded", "percentile", "influence", "delong")
LEAD_AT = (0.9, 0.5, 0.01, 1e-3, 1e-4)
LEAD = "lead in average_precision"
CROSSING = "prevalence where average_precision crosses"
SWAPS, LARGEST_SWAPPED = 199, 1_100  # rows; each swap counts all of them again


@cache
def opponents(shape: str) -> tuple[Normals, Normals]:
    """Two models: equally good with equal or with unequal shapes, or one better than the other."""
    first = Normals(DISTANCE)
    if shape == "equal":
        return first, first
    if shape == "better":
        return first, Normals(BETTER)
    wider = MUCH_WIDER if shape == "very unequal" else WIDER
    return first, Normals(_as_good(first.model, wider), wider)


def _as_good(first: Model, sd: float) -> float:
    """How far wider positives have to be above the negatives for the same average precision."""
    wanted = first.area(br.average_precision, COMMON)

    def off(mean: float) -> float:
        return Normals(mean, sd).model.area(br.average_precision, COMMON) - wanted

    return float(brentq(off, -2.0, 3.0, xtol=1e-12))


def differences(setting: Setting, scope: Scope) -> Asker:
    """Two models whose scores of a row are correlated: `difference` with its rivals, `swap_test` and `lead`."""
    shape, correlation = setting.model, float(setting.detail.split()[-1])
    both = opponents(shape)
    asked: list[tuple[MetricFunction, float, str | None]] = [
        *((br.average_precision, eta, None) for eta in (0.5, COMMON, 1e-3)),
        (br.roc_auc, COMMON, None),
        (br.precision, COMMON, AT_RECALL),
    ]
    truths = [_apart(metric, both, eta, at) for metric, eta, at in asked]
    of_lead = [_apart(br.average_precision, both, eta, None) for eta in LEAD_AT]

    def ask(rng: np.random.Generator) -> Iterator[Answer]:
        pair = _pair(setting, both, correlation, rng)
        for (metric, eta, at), truth in zip(asked, truths, strict=True):
            yield from _difference(pair.at_prevalence(eta), metric, at, truth=truth, rng=rng, scope=scope)
        if shape.endswith("unequal") and scope.asks(CROSSING):
            yield from _crossing(pair, rng)
        if not scope.asks(LEAD):
            return
        found = br.lead(br.average_precision, pair, LEAD_AT, n_resamples=DRAWS, rng=rng)
        for eta, low, high, value, truth in zip(LEAD_AT, found.low, found.high, found.value, of_lead, strict=True):
            where = f"{eta:g}"
            yield from interval(LEAD, where, "lead", (low, high), truth, value=float(value))

    return ask


def _crossing(pair: br.Pair, rng: np.random.Generator) -> Iterator[Answer]:
    """The crossing nearest to the one of the population, where both models are equally good; none is no answer."""
    found = br.crossing_estimates(br.average_precision, pair, n_resamples=DRAWS, rng=rng)
    right = [one for one in found if one.leads_below == pair.names[1]]
    if right:
        one = min(right, key=lambda swap: abs(np.log(swap.prevalence / COMMON)))
        ends = float(np.log(one.low)), float(np.log(one.high))
        yield from interval(
            CROSSING, "", "crossing_estimates", ends, float(np.log(COMMON)), value=float(np.log(one.prevalence))
        )


def _apart(metric: MetricFunction, both: tuple[Normals, Normals], eta: float, at: str | None) -> float:
    first, second = (_truth(metric, scores.model, eta, at) for scores in both)
    return first - second if abs(first - second) > 1e-9 else 0.0


def _pair(setting: Setting, both: tuple[Normals, Normals], correlation: float, rng: np.random.Generator) -> br.Pair:
    n = setting.n_pos + setting.n_neg
    positive = np.arange(n) < setting.n_pos
    noise = rng.multivariate_normal([0.0, 0.0], [[1.0, correlation], [correlation, 1.0]], n).T
    scores = [np.where(positive, one.mean + one.sd * z, z) for one, z in zip(both, noise, strict=True)]
    return br.Pair.from_scores(positive, *scores)


def _difference(
    pair: br.Pair, metric: MetricFunction, at: str | None, *, truth: float, rng: np.random.Generator, scope: Scope
) -> Iterator[Answer]:
    question = f"difference of {name_of(metric)}" + (f" at {at.split()[0]}" if at else "")
    if not (scope.asks(question) or scope.asks(f"{question}: test")):
        return
    where = f"{pair.a.prevalence:g}"
    default = br.difference(metric, pair, at=at, n_resamples=DRAWS, rng=rng)
    others = [name for name in RIVALS if scope.rivals and name != default.method and _has(name, metric, at)]
    for found in [default, *(br.difference(metric, pair, at=at, method=m, n_resamples=DRAWS, rng=rng) for m in others)]:
        ends, is_default = (found.low, found.high), found is default
        yield from interval(question, where, found.method, ends, truth, value=found.value, default=is_default)
        yield from tested(question, where, found.method, found.p_value, truth, default=is_default)
    if (
        scope.rivals
        and len(pair.positive) <= LARGEST_SWAPPED
        and where == f"{COMMON:g}"
        and metric is br.average_precision
    ):
        swapped = br.swap_test(metric, pair, at=at, n_permutations=SWAPS, rng=rng)
        yield from tested(question, where, "swap_test", swapped, truth, default=False)


def _has(method: str, metric: MetricFunction, at: str | None) -> bool:
    """Whether there is such a method for this difference."""
    if method == "delong":
        return metric is br.roc_auc
    return method != "influence" or at is None


# --- clusters -------------------------------------------------------------------------------------

SHARED = 0.3  # of the variance of a score is that of its cluster


def clusters(setting: Setting, scope: Scope) -> Asker:
    """Rows that resemble others of their cluster, in scores and in how many are positive."""
    n_clusters, n = int(setting.detail.split()[0]), setting.n_pos + setting.n_neg
    model = Normals(DISTANCE).model
    asked: list[tuple[MetricFunction, str | None]] = [
        (br.average_precision, None),
        (br.roc_auc, None),
        (br.precision, f"threshold={AT_THRESHOLD:g}"),
        (br.recall, AT_RECALL),
        (br.precision, "best=f1"),
    ]

    def ask(rng: np.random.Generator) -> Iterator[Answer]:
        curves: dict[object, br.Curve] = {
            i: _cluster(n / n_clusters, setting.n_pos / n, rng) for i in range(n_clusters)
        }
        pooled = br.Curve.pool(curves.values()).at_prevalence(COMMON)
        for metric, at in asked:
            place = pooled if at is None else br.Rule.parse(at).on(pooled)
            truth = _truth(metric, model, COMMON, None if isinstance(place, br.Curve) else place.threshold)
            found = br.cluster_estimate(metric, curves, at=at, prevalence=COMMON, n_resamples=DRAWS, rng=rng)
            named = f"{name_of(metric)} of clusters"
            question = named if at is None else f"{named} at {at.split()[0].split('=')[0]}"
            answers = {"cluster_estimate": found}
            if scope.rivals:
                answers["as if rows were independent"] = br.estimate(metric, place, n_resamples=DRAWS, rng=rng)
            for method, one in answers.items():
                yield from interval(
                    question, f"{COMMON:g}", method, (one.low, one.high), truth, value=one.value, default=one is found
                )

    return ask


def _cluster(rows: float, share: float, rng: np.random.Generator) -> br.Curve:
    n = 1 + rng.poisson(rows - 1)
    positive = rng.random(n) < rng.beta(4 * share, 4 * (1 - share))
    noise = np.sqrt(SHARED) * rng.normal() + np.sqrt(1 - SHARED) * rng.normal(size=n)
    return br.Curve.from_scores(positive, noise + DISTANCE * positive)


# --- slices ---------------------------------------------------------------------------------------

SLICES = (1.0, 2.0, 0.5, 1.0)  # how many times as many positives


def slices(setting: Setting, scope: Scope) -> Asker:
    """Slices of one model that differ in prevalence; or one of them is worse."""
    worse = setting.detail == "one worse"

    def ask(rng: np.random.Generator) -> Iterator[Answer]:
        means = [BETTER - (1.0 if worse and i == 0 else 0.0) for i in range(len(SLICES))]
        curves = {
            i: Normals(mean).model.curve(rng, round(times * setting.n_pos), setting.n_neg)
            for i, (mean, times) in enumerate(zip(means, SLICES, strict=True))
        }
        found = br.by_slice(br.average_precision, curves, prevalence=COMMON, min_pos=5, n_resamples=DRAWS, rng=rng)
        differing = [row.differences[0] for row in found.groups]
        alarm = any(one.adjusted_p_value <= TEST_LEVEL for one in differing)
        where = f"{COMMON:g}"
        if worse:
            yield Answer("slices: any that differs", where, "by_slice", True, alarm, kind="power")
            return
        yield mistake("slices: any that differs", where, "by_slice", alarm)
        for one in differing:
            ends = one.low, one.high
            yield from interval("difference of a slice from others", where, "by_slice", ends, 0.0, value=one.value)

    return ask


# --- changes --------------------------------------------------------------------------------------


def changes(setting: Setting, scope: Scope) -> Asker:
    """A year later: fewer positives, and the same model or a worse one."""
    before, after = Normals(BETTER).model, Normals(BETTER if setting.detail == "same model" else DISTANCE).model
    sizes = (setting.n_pos, setting.n_neg), (max(2, setting.n_pos // 2), setting.n_neg)
    own = [n_pos / (n_pos + n_neg) for n_pos, n_neg in sizes]
    asked: list[tuple[MetricFunction, str | float | None]] = [
        (br.average_precision, None),
        (br.precision, AT_THRESHOLD),
    ]
    truths = [_parts(metric, at, (before, after), own) for metric, at in asked]

    def ask(rng: np.random.Generator) -> Iterator[Answer]:
        curves = [model.curve(rng, *size) for model, size in zip((before, after), sizes, strict=True)]
        for (metric, at), truth in zip(asked, truths, strict=True):
            found = br.explain_change(metric, *curves, at=at, n_resamples=DRAWS, rng=rng)
            for name, true in truth.items():
                part = getattr(found, name)
                question = f"change of {name_of(metric)}: {name}"
                ends = part.low, part.high
                yield from interval(question, "own", "explain_change", ends, true, value=part.value)

    return ask


def _parts(
    metric: MetricFunction, at: str | float | None, models: tuple[Model, Model], prevalences: list[float]
) -> dict[str, float]:
    """The whole change and its two parts, as they are defined."""
    (aa, ab), (ba, bb) = ([_truth(metric, model, eta, at) for eta in prevalences] for model in models)
    return {"total": bb - aa, "prior": (ab - aa + bb - ba) / 2, "model": (ba - aa + bb - ab) / 2}
