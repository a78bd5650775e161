"""How often intervals hold what is true: simulated where the truth is known, method by method.

``python benchmarks/coverage.py`` prints the tables, ``--write docs/coverage.md`` puts them into the documentation and
``--quick`` simulates less. Each simulated test set is resampled once, for all metrics and prevalences together.
"""

import argparse
import itertools
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from tables import table

import baserate as br
from baserate.formulas import influence
from baserate.formulas.proportions import Interval
from baserate.formulas.steps import Steps
from baserate.metrics.over_prevalence import MetricFunction
from baserate.uncertainty import intervals, points
from baserate.uncertainty.cells import corners
from baserate.uncertainty.draws import Drawn, chunks, melds, resamples
from baserate.uncertainty.methods import searched_for
from baserate.uncertainty.replicates import values

Floats = NDArray[np.float64]

LEVEL = 0.95
WANTED = 0.93
SIZES_POS = (5, 20, 100, 1000)
SIZES_NEG = (100, 10_000)
PREVALENCES: tuple[float | None, ...] = (None, 0.5, 0.01, 1e-4)  # None: the test set's own
RECALL = 0.6
FEWEST_ANSWERS = 50  # to judge a method by
COLLAPSED = 1e-9  # a width that says that everything is known
PRETENDED = "as if given"
LARGEST_STUDENTISED = 100  # positives; a variance for every resample is what costs most

AREAS_WITH_ALL = (br.average_precision, br.auc_pr, br.auc_prg, br.roc_auc)  # with every method there is
AREAS = (*AREAS_WITH_ALL, br.best_f1)
AT_CHOSEN = (br.precision, br.f1)
AT_GIVEN = (*AT_CHOSEN, br.recall, br.specificity)
Area = Callable[[br.Curve], float]


# --- models whose truth is known ------------------------------------------------------------------


class Model(NamedTuple):
    """How scores are distributed, and what is then true."""

    sample: Callable[[np.random.Generator, int, bool], Floats]
    at_recall: Callable[[float], tuple[float, float]]  # TPR and FPR at the highest threshold with this recall
    area: Callable[[str, float], float]  # of the named metric, for x negatives per positive
    fixed: tuple[float, float]  # TPR and FPR of a threshold given beforehand


def binormal(distance: float, fixed_tpr: float) -> Model:
    """Normal scores, positives higher by `distance` standard deviations."""

    def sample(rng: np.random.Generator, n: int, positive: bool) -> Floats:
        return rng.normal(distance if positive else 0.0, 1.0, n)

    def at_recall(tpr: float) -> tuple[float, float]:
        return tpr, float(ndtr(ndtri(tpr) - distance))

    @cache
    def area(name: str, x: float) -> float:
        if name == "roc_auc":
            return float(ndtr(distance / math.sqrt(2)))
        if name == "best_f1":
            z = np.linspace(-9.0, 9.0, 1_000_001)
            return float(np.max(2 * ndtr(z) / (ndtr(z) + 1 + x * ndtr(z - distance))))

        def integrand(z: float) -> float:  # recall is ndtr(z)
            recall, fpr = ndtr(z), ndtr(z - distance)
            worth = (1 - fpr / recall) / recall**2 / x if name == "auc_prg" else recall / (recall + x * fpr)
            return float(math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * worth)

        start = float(ndtri(1 / (1 + x))) if name == "auc_prg" else -12.0
        return float(quad(integrand, start, 9.0, epsabs=1e-14, epsrel=1e-10, limit=500)[0])

    return Model(sample, at_recall, area, at_recall(fixed_tpr))


def separated() -> Model:
    """Every positive above every negative."""

    def sample(rng: np.random.Generator, n: int, positive: bool) -> Floats:
        return rng.random(n) + positive

    return Model(sample, lambda tpr: (tpr, 0.0), lambda name, x: 1.0, (0.6, 0.0))


def rounded(distance: float, step: float) -> Model:
    """Normal scores rounded to a grid, so that most of them are tied."""
    grid = np.arange(-8, 8 + distance, step)[::-1]

    def sample(rng: np.random.Generator, n: int, positive: bool) -> Floats:
        return np.round(rng.normal(distance if positive else 0.0, 1.0, n) / step) * step

    above = grid - step / 2
    tpr, fpr = ndtr(distance - above), ndtr(-above)
    population = br.Curve.from_rates(tpr, fpr)

    def at_recall(wanted: float) -> tuple[float, float]:
        row = int(np.searchsorted(tpr, wanted))
        return float(tpr[row]), float(fpr[row])

    @cache
    def area(name: str, x: float) -> float:
        metric = br.METRICS[name].function
        return float(metric(population.at_prevalence(1 / (1 + x))))  # type: ignore[arg-type]

    return Model(sample, at_recall, area, at_recall(0.6))


class Setting(NamedTuple):
    """One population and one size of test set."""

    model: str
    n_pos: int
    n_neg: int


NO_FALSE_POSITIVES = "strong, no false positives"
HARDLY_ANY = "hardly any false positives"
MODELS: Mapping[str, Callable[[Setting], Model]] = {
    "weak": lambda _: binormal(1.0, 0.6),
    "strong": lambda _: binormal(3.0, 0.6),
    "perfect": lambda _: separated(),
    "weak, tied": lambda _: rounded(1.0, 0.5),
    NO_FALSE_POSITIVES: lambda _: binormal(3.0, 0.05),
    # One false positive in every sixth test set: where the interval around one of them begins too high.
    HARDLY_ANY: lambda setting: binormal(3.0, 0.6)._replace(fixed=(0.6, 0.17 / setting.n_neg)),
}
POINTS_ONLY = (NO_FALSE_POSITIVES, HARDLY_ANY)  # their curve is that of the strong model


class Line(NamedTuple):
    """What came out for one question and one method in one setting."""

    setting: Setting
    question: str
    prevalence: float | None
    method: str
    answers: int
    held: int
    width: float  # median
    truth: float

    @property
    def coverage(self) -> float:
        """Share of the answers that hold the truth."""
        return self.held / self.answers if self.answers else math.nan

    @property
    def falls_short(self) -> bool:
        """Below what is wanted by more than two standard errors of this simulation."""
        return self.answers > 0 and self.coverage < WANTED - 2 * math.sqrt(WANTED * (1 - WANTED) / self.answers)


# --- one simulated test set -----------------------------------------------------------------------


class Answer(NamedTuple):
    """What one method says to one question, for each x."""

    question: str
    method: str
    ends: Interval


def of_curve(curve: br.Curve, x: Floats, rng: np.random.Generator, n_draws: int) -> Iterator[Answer]:
    """All intervals of areas and of points chosen on the data, from one set of populations and one of resamples."""
    cells = corners(curve)
    sizes = chunks(cells, n_draws)
    at_recall = curve.at_recall(RECALL)
    asked: dict[str, tuple[MetricFunction, br.Curve | br.Point]] = {
        metric.__name__: (metric, curve) for metric in AREAS
    }
    asked["precision at recall 0.6"] = br.precision, at_recall
    asked["f1 at recall 0.6"] = br.f1, at_recall

    def read(drawn: Drawn) -> dict[str, Floats]:
        return {name: values(metric, at, drawn, x) for name, (metric, at) in asked.items()}

    both = [(read(pessimist), read(optimist)) for pessimist, optimist in melds(cells, sizes, rng)]
    for name, (metric, at) in asked.items():
        if isinstance(at, br.Point):
            band = br.sweep_estimates(metric, at, 1 / (1 + x), n_resamples=n_draws, rng=rng)
            yield Answer(name, "melded", Interval(band.low, band.high))
            continue
        pessimist, optimist = (np.concatenate([pair[side][name] for pair in both]) for side in (0, 1))
        value = br.sweep(metric, at, 1 / (1 + x)).value
        sign = searched_for(metric, at)
        yield Answer(name, "melded", intervals.melded(pessimist, optimist, value, LEVEL, searched_for=sign))
    again, spreads = [], []
    for drawn in resamples(cells, sizes, rng):
        again.append(read(drawn))
        if curve.n_pos <= LARGEST_STUDENTISED:
            spreads.append({metric.__name__: variances(metric, drawn.steps, x) for metric in AREAS_WITH_ALL})
    replicates = {name: np.concatenate([part[name] for part in again]) for name in asked}
    for name in asked:
        yield Answer(name, "percentile", intervals.percentile(replicates[name], LEVEL))
    for metric in AREAS_WITH_ALL:
        spread = np.concatenate([part[metric.__name__] for part in spreads]) if spreads else None
        yield from _by_influence(metric, curve, x, replicates[metric.__name__], spread)
    # What a threshold chosen on the data is worth if one pretends that it had been given beforehand.
    for pointwise in AT_CHOSEN:
        pretended = points.methods(pointwise)["score"](pointwise, points.cases(at_recall), x, LEVEL)
        yield Answer(f"{pointwise.__name__} at recall 0.6", PRETENDED, pretended)


def variances(metric: Area, steps: Steps, x: Floats) -> Floats:
    """The variance of each drawn curve by its influence function; that of AUC-ROC is the same for all x."""
    if metric is br.roc_auc:
        return np.repeat(intervals.variance(metric, steps, 1.0)[:, np.newaxis], len(x), axis=1)
    return np.stack([intervals.variance(metric, steps, float(x_j)) for x_j in x], axis=-1)


def _by_influence(
    metric: Area, curve: br.Curve, x: Floats, replicates: Floats, spread: Floats | None
) -> Iterator[Answer]:
    steps, scale = curve.table.steps, intervals.scale_of(metric)
    found: dict[str, list[Interval]] = {}
    for j, x_j in enumerate(x.tolist()):
        value = metric(curve.at_prevalence(1 / (1 + x_j)))
        answer = intervals.influence_of(metric, steps, x_j)
        variance = influence.variance(answer, steps)
        skew = float(influence.acceleration(answer, steps))
        one = {
            "influence": intervals.normal(scale, value, variance, LEVEL),
            "bca": intervals.bca(replicates[:, j], value, skew, LEVEL),
        }
        if spread is not None:
            one["logit_studentised"] = intervals.studentised(
                replicates[:, j],
                spread[:, j],
                value=value,
                variance=float(variance),
                scale=scale,
                confidence_level=LEVEL,
            )
        if metric is br.roc_auc:
            one |= {
                "delong": intervals.delong(curve, value, LEVEL),
                "delong_wald": intervals.delong_wald(curve, value, LEVEL),
            }
        for method, ends in one.items():
            found.setdefault(method, []).append(ends)
    for method, many in found.items():
        yield Answer(
            metric.__name__, method, Interval(np.array([e.low for e in many]), np.array([e.high for e in many]))
        )


@cache
def at_given_threshold(seen: points.Cases, x: tuple[float, ...]) -> list[Answer]:
    """All intervals of pointwise metrics; the same counts come again and again."""
    odds = np.array(x)
    found = []
    for metric in AT_GIVEN:
        for method, interval in points.methods(metric).items():
            with np.errstate(divide="ignore", invalid="ignore"):
                ends = interval(metric, seen, odds, LEVEL)
            value = points.values(metric, np.asarray(seen.tp / seen.n_pos), np.asarray(seen.fp / seen.n_neg), odds)
            undefined = np.isnan(value)  # no alerts, no estimate
            ends = Interval(*(np.where(undefined, np.nan, end) for end in ends))
            found.append(Answer(f"{metric.__name__} at a given threshold", method, ends))
    return found


def truths(model: Model, x: Floats) -> dict[str, Floats]:
    """What is true in the population, for each x."""
    found = {m.__name__: np.array([model.area(m.__name__, float(x_j)) for x_j in x]) for m in AREAS}
    places = {"a given threshold": model.fixed, "recall 0.6": model.at_recall(RECALL)}
    for metric, (place, rates) in itertools.product(AT_GIVEN, places.items()):
        tpr, fpr = (np.asarray(rate) for rate in rates)
        found[f"{metric.__name__} at {place}"] = points.values(metric, tpr, fpr, x)
    return found


def simulate(setting: Setting, n_simulations: int, n_draws: int, seed: int) -> list[Line]:
    """Many test sets of one setting."""
    model = MODELS[setting.model](setting)
    n_pos, n_neg = setting.n_pos, setting.n_neg
    rng = np.random.default_rng([seed, list(MODELS).index(setting.model), n_pos, n_neg])
    own = n_pos / (n_pos + n_neg)
    x = np.array([(1 - eta) / eta for eta in (own if p is None else p for p in PREVALENCES)])
    true = truths(model, x)
    collected: dict[tuple[str, str], list[Interval]] = {}
    for _ in range(n_simulations):
        tp, fp = (int(rng.binomial(n, rate)) for n, rate in zip((n_pos, n_neg), model.fixed, strict=True))
        found = list(at_given_threshold(points.Cases(tp, n_pos - tp, fp, n_neg - fp), tuple(x.tolist())))
        if setting.model not in POINTS_ONLY:
            scores = [model.sample(rng, n, positive) for n, positive in ((n_pos, True), (n_neg, False))]
            curve = br.Curve.from_scores(np.repeat([1, 0], [n_pos, n_neg]), np.concatenate(scores))
            with np.errstate(divide="ignore", invalid="ignore"):
                found += of_curve(curve, x, rng, n_draws)
        for question, method, ends in found:
            collected.setdefault((question, method), []).append(ends)
    lines = []
    for (question, method), answers in collected.items():
        low, high = (np.array([np.broadcast_to(ends[side], len(x)) for ends in answers]) for side in (0, 1))
        for j, prevalence in enumerate(PREVALENCES):
            truth = float(true[question][j])
            lines.append(Line(setting, question, prevalence, method, *judge(low[:, j], high[:, j], truth), truth))
    return lines


def judge(low: Floats, high: Floats, truth: float) -> tuple[int, int, float]:
    """How many intervals there are, how many hold the truth, and how wide they are."""
    answered = ~np.isnan(low) & ~np.isnan(high)
    slack = 1e-9 * abs(truth)  # an end that equals the truth up to rounding holds it
    held = answered & (low <= truth + slack) & (high >= truth - slack)
    width = float(np.median((high - low)[answered])) if answered.any() else math.nan
    return int(answered.sum()), int(held.sum()), width


def study(
    settings: list[Setting], n_simulations: int, n_draws: int, seed: int = 0, n_jobs: int | None = None
) -> list[Line]:
    """All settings, the largest first, on all processors."""
    settings = sorted(settings, key=lambda setting: -setting.n_pos)
    started, lines = time.monotonic(), []
    job = partial(simulate, n_simulations=n_simulations, n_draws=n_draws, seed=seed)
    with ProcessPoolExecutor(n_jobs or os.cpu_count()) as pool:
        for done, found in enumerate(pool.map(job, settings), 1):
            lines += found
            elapsed = time.monotonic() - started
            print(f"{done}/{len(settings)} settings, {elapsed:.0f} s", file=sys.stderr, flush=True)
    return lines


def all_settings() -> list[Setting]:
    return [Setting(*one) for one in itertools.product(MODELS, SIZES_POS, SIZES_NEG)]


# --- the page -------------------------------------------------------------------------------------


def by_question(lines: list[Line]) -> dict[str, dict[str, list[Line]]]:
    """Lines by question and method, without those to which a method gave too few answers to judge it."""
    found: dict[str, dict[str, list[Line]]] = {}
    for line in lines:
        if line.answers >= FEWEST_ANSWERS:
            found.setdefault(line.question, {}).setdefault(line.method, []).append(line)
    return found


def relative_width(lines: list[Line], others: list[Line]) -> float:
    """How many times as wide as others, where neither collapsed: the geometric mean over settings."""
    known = {(line.setting, line.prevalence): line.width for line in others}
    pairs = [(line.width, known.get((line.setting, line.prevalence), 0.0)) for line in lines]
    logs = [math.log(ours / theirs) for ours, theirs in pairs if min(ours, theirs) > COLLAPSED and ours < math.inf]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def narrowest_that_holds(methods: dict[str, list[Line]]) -> str | None:
    """The method to use: among those that fall short nowhere, the narrowest."""
    holding = [method for method, lines in methods.items() if not any(line.falls_short for line in lines)]
    holding = [method for method in holding if method != PRETENDED]
    if not holding:
        return None
    return min(holding, key=lambda method: relative_width(methods[method], methods[holding[0]]))


def default_of(question: str) -> str:
    """The method that `estimate` uses if none is asked for."""
    curve = br.Curve.from_scores([1, 0, 1, 0], [0.4, 0.3, 0.2, 0.1])
    if question in br.METRICS:
        metric = br.METRICS[question].function
        return br.estimate(metric, curve, n_resamples=40, rng=0).method  # type: ignore[arg-type]
    name, place = question.split(" at ")
    point = curve.at_recall(RECALL) if place.startswith("recall") else curve.at_threshold(0.35)
    return br.estimate(br.METRICS[name].function, point, n_resamples=40, rng=0).method  # type: ignore[arg-type]


def summary(lines: list[Line]) -> str:
    rows = []
    for question, methods in by_question(lines).items():
        default = default_of(question)
        for method, found in sorted(methods.items(), key=lambda item: item[0] != default):
            worst = min(found, key=lambda line: line.coverage)
            rows.append(
                [
                    question if method == default else "",
                    f"**{method}**" if method == default else method,
                    f"{100 * worst.coverage:.1f} %",
                    place(worst),
                    f"{sum(line.falls_short for line in found)} of {len(found)}",
                    f"{relative_width(found, methods[default]):.2f}",
                ]
            )
    return table(["question", "method", "worst coverage", "where", "falls short", "width"], rows, words=2)


def place(line: Line) -> str:
    prevalence = "own" if line.prevalence is None else f"{line.prevalence:g}"
    model, n_pos, n_neg = line.setting
    return f"{model}, {n_pos:,} : {n_neg:,}, {prevalence}"


def in_full(lines: list[Line], question: str) -> str:
    """Coverage and width of the default, setting by setting."""
    chosen = [line for line in lines if line.question == question and line.method == default_of(question)]
    settings = sorted({line.setting for line in chosen}, key=lambda s: (list(MODELS).index(s.model), s.n_pos, s.n_neg))
    cells = {(line.setting, line.prevalence): line for line in chosen}
    rows = [
        [one.model, f"{one.n_pos:,} : {one.n_neg:,}", *(shown(cells[one, prevalence]) for prevalence in PREVALENCES)]
        for one in settings
    ]
    head = ["model", "pos : neg", *("own" if p is None else f"{p:g}" for p in PREVALENCES)]
    return table(head, rows, words=2)


def shown(line: Line) -> str:
    return f"{100 * line.coverage:.1f} % ({line.width:.2g})" if line.answers >= FEWEST_ANSWERS else "–"


def page(lines: list[Line], n_simulations: int, n_draws: int) -> str:
    questions = list(by_question(lines))
    full = "\n\n".join(f"### {question}\n\n{in_full(lines, question)}" for question in questions)
    packages = ", ".join(f"{name} {version(name)}" for name in ("baserate", "numpy", "scipy"))
    return f"""# How often the intervals hold

Made by `make coverage`: {n_simulations:,} simulated test sets for each setting, {n_draws:,} draws for each of them,
intervals at 95 %. Python {platform.python_version()}, {packages}.

Scores are normal, positives higher by one standard deviation (weak) or three (strong), or wholly above the negatives
(perfect), or rounded so that most rows are tied. The truth is known by integration. Test sets have 5 to 1,000
positives and 100 or 10,000 negatives and are read at their own prevalence, at 0.5, 0.01 and 0.0001. A given threshold
has a recall of 0.6, except that it is so high (recall 0.05) in one model that there are no false positives to speak of,
and in another one that there is one in every sixth test set. At recall 0.6 the threshold is chosen on the data;
"{PRETENDED}" shows what happens if one pretends that it was not.

A method falls short where it holds in less than {100 * WANTED:.0f} % of cases by more than two standard errors of the
simulation. The default, in bold, is the narrowest of those that fall short nowhere. Where a method declines to answer,
it is not counted; fewer than {FEWEST_ANSWERS} answers are not shown. Width is the typical ratio to the width of the
default. Recall and specificity are both rates and have one default. The studentised bootstrap was studied up to
{LARGEST_STUDENTISED} positives.

{summary(lines)}

## The defaults in full

Share of intervals that hold, and their median width.

{full}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer and smaller test sets, a minute or two")
    parser.add_argument("--simulations", type=int, help="test sets per setting (1,000; quick: 60)")
    parser.add_argument("--draws", type=int, default=300, help="curves drawn for each of them")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep what came out, as JSON lines")
    parser.add_argument("--read", type=Path, metavar="FILE", help="make the page from what was saved")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there, too")
    options = parser.parse_args()
    n_simulations = options.simulations or (60 if options.quick else 1000)
    if options.read:
        kept = [json.loads(text) for text in options.read.read_text(encoding="utf-8").splitlines()]
        lines = [Line(Setting(*setting), *rest) for setting, *rest in kept]
        n_simulations = max(line.answers for line in lines)
    else:
        settings = [one for one in all_settings() if not options.quick or one.n_pos <= 20]
        lines = study(settings, n_simulations, options.draws)
    if options.save:
        options.save.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    text = page(lines, n_simulations, options.draws)
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
