"""The coverage study of single models: areas, thresholds that were given, and thresholds that a rule chose."""

import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from coverage_lines import DRAWS, Answer, Asker, Scope, Setting, interval
from coverage_models import Model, model_of

import baserate as br
from baserate.metrics.over_prevalence import MetricFunction
from baserate.uncertainty.estimate import IntervalSettings, estimates
from baserate.uncertainty.methods import Estimand, methods

PREVALENCES: tuple[float | None, ...] = (None, 0.9, 0.5, 0.01, 1e-3, 1e-4, 1e-5)  # None: that of the test set
PREVALENCES_OF_RULES: tuple[float | None, ...] = (None, 0.9, 0.01, 1e-3, 1e-5)
LEVELS = (0.8, 0.99)  # besides 0.95, of small test sets
SMALL = 20  # positives
AREAS: tuple[MetricFunction, ...] = (br.average_precision, br.auc_pr, br.auc_prg, br.roc_auc, br.best_f1)
AT_GIVEN: tuple[MetricFunction, ...] = (br.precision, br.f1, br.recall, br.specificity)
GRID = 3e-4  # how far apart neighbouring thresholds of a population are, which a rule chooses among
RIVALS = ("percentile", "influence", "delong", "delong_wald")


def name_of(metric: MetricFunction) -> str:
    return br.METRICS[metric.__name__].name


def label(prevalence: float | None) -> str:
    return "own" if prevalence is None else f"{prevalence:g}"


def own_prevalence(setting: Setting) -> float:
    return setting.n_pos / (setting.n_pos + setting.n_neg)


def _readable(setting: Setting, prevalences: Sequence[float | None]) -> list[tuple[str, float]]:
    """Prevalences by their labels; the own one of weighted rows is another in each test set, and is left out."""
    own = None if model_of(setting.model).tilt else own_prevalence(setting)
    named = [(label(p), own if p is None else p) for p in prevalences]
    return [(where, eta) for where, eta in named if eta is not None]


# --- areas ----------------------------------------------------------------------------------------


def areas(setting: Setting, scope: Scope) -> Asker:
    """Areas at all prevalences from one set of draws for each method, as `sweep_estimates` has them."""
    model, places = model_of(setting.model), _readable(setting, PREVALENCES)
    x = np.array([(1 - eta) / eta for _, eta in places])
    truth = {metric: [model.area(metric, eta) for _, eta in places] for metric in AREAS}

    def ask(rng: np.random.Generator) -> Iterator[Answer]:
        curve = model.curve(rng, setting.n_pos, setting.n_neg)
        estimands = [Estimand(metric, curve, x) for metric in AREAS if scope.asks(name_of(metric))]
        wanted: list[tuple[str | None, float]] = [(None, 0.95)]
        if scope.rivals:
            wanted += [(method, 0.95) for method in RIVALS]
        if setting.n_pos <= SMALL:
            wanted += [(None, level) for level in LEVELS]
        for method, level in wanted:
            some = [estimand for estimand in estimands if method is None or method in methods(estimand)]
            found = estimates(some, IntervalSettings.of(level, DRAWS, rng), method) if some else []
            for estimand, each in zip(some, found, strict=True):
                for (where, _), one, true in zip(places, each, truth[estimand.metric], strict=True):
                    yield from answer(name_of(estimand.metric), where, one, true, default=method is None)

    return ask


def answer(
    question: str, where: str, found: br.results.Estimate, truth: float, *, default: bool, known_to: float = 1e-9
) -> Iterator[Answer]:
    """Whether an estimate holds the truth."""
    return interval(
        question,
        where,
        found.method,
        (found.low, found.high),
        truth,
        value=found.value,
        default=default,
        level=found.confidence_level,
        known_to=known_to,
    )


# --- thresholds that were given -------------------------------------------------------------------


def given(setting: Setting, scope: Scope) -> Asker:
    """Every method for points, at three thresholds: the middle, the top, and where false positives hardly occur."""
    model, places = model_of(setting.model), _readable(setting, PREVALENCES)
    rare = f"fpr <= {0.17 / setting.n_neg!r}"  # one false positive in every sixth test set
    rules = {"recall 0.6": "recall >= 0.6", "recall 0.05": "recall >= 0.05", "hardly any false positives": rare}
    thresholds = {name: model.threshold(rule) for name, rule in rules.items()}
    thresholds = {name: threshold for name, threshold in thresholds.items() if math.isfinite(threshold)}

    def ask(rng: np.random.Generator) -> Iterator[Answer]:
        curve = model.curve(rng, setting.n_pos, setting.n_neg)
        for name, threshold in thresholds.items():
            point = curve.at_threshold(threshold)
            for where, eta in places:
                true = model.point(threshold, eta)
                for metric in AT_GIVEN:
                    question = f"{name_of(metric)} at a given threshold"
                    if not scope.asks(question):
                        continue
                    read = point.at_prevalence(eta)
                    truth = float(metric(true))
                    for default, found in _at_given(metric, read) if model.tilt else _again(metric, _counts(read), eta):
                        yield from answer(question, f"{where}, {name}", found, truth, default=default)

    return ask


def _counts(point: br.Point) -> tuple[int, int, int, int]:
    tp, fp = round(point.tpr * point.n_pos), round(point.fpr * point.n_neg)
    return tp, fp, round(point.n_pos) - tp, round(point.n_neg) - fp


@cache
def _again(
    metric: MetricFunction, counts: tuple[int, int, int, int], eta: float
) -> list[tuple[bool, br.results.Estimate]]:
    """The same counts come again and again."""
    tp, fp, fn, tn = counts
    return _at_given(metric, br.Point.from_counts(tp=tp, fp=fp, fn=fn, tn=tn).at_prevalence(eta))


def _at_given(metric: MetricFunction, point: br.Point) -> list[tuple[bool, br.results.Estimate]]:
    names = methods(Estimand(metric, point, np.array([point.odds_against])))
    default = br.estimate(metric, point)
    few = [br.estimate(metric, point, confidence_level=level) for level in LEVELS if point.n_pos <= SMALL]
    others = [br.estimate(metric, point, method=name) for name in names if name != default.method]
    return [*((True, one) for one in (default, *few)), *((False, one) for one in others)]


# --- thresholds that a rule chose on the data -----------------------------------------------------


def rules_of(setting: Setting, eta: float) -> dict[str, tuple[MetricFunction, ...]]:
    """The rules, and what is asked of the threshold that each of them chooses."""
    return {
        "recall >= 0.6": (br.precision, br.recall),
        "fpr <= 0.01": (br.recall, br.precision),
        f"precision >= {min(0.5, 5 * eta):g}": (br.precision, br.recall),
        f"top_k <= {setting.n_pos}": (br.precision,),
        "alert_rate <= 0.05": (br.precision, br.recall),
        "best=f1": (br.f1, br.precision, br.recall),
    }


def _in_population(model: Model, setting: Setting, rule: str, eta: float) -> br.Point | None:
    """What a rule chooses in the population; so many rows of a test set are a share of its mix."""
    if rule.startswith("top_k"):
        rule, mix = f"alert_rate <= {setting.n_pos / (setting.n_pos + setting.n_neg)!r}", own_prevalence(setting)
        return model.chosen(rule, mix).at_prevalence(eta)
    try:
        return model.chosen(rule, eta)
    except br.errors.NoSuchPointError:
        return None


def chosen(setting: Setting, scope: Scope) -> Asker:
    """Every rule at some prevalences, about this threshold and about the rule applied again."""
    model, places = model_of(setting.model), _readable(setting, PREVALENCES_OF_RULES)
    asked = [
        (where, eta, rule, metric, _in_population(model, setting, rule, eta))
        for where, eta in places
        for rule, metrics in rules_of(setting, eta).items()
        for metric in metrics
        if not (model.tilt and rule.startswith("top_k"))  # which counts rows
    ]

    def ask(rng: np.random.Generator) -> Iterator[Answer]:
        curve = model.curve(rng, setting.n_pos, setting.n_neg)
        estimands, told = [], []
        for where, eta, rule, metric, true in asked:
            try:
                point = br.Rule.parse(rule).on(curve.at_prevalence(eta))
            except br.errors.NoSuchPointError:
                continue
            assert point.threshold is not None
            kind = f"{name_of(metric)} at {rule.split()[0]}"
            truths = {"threshold": model.point(point.threshold, eta), "rule": true}
            for about, place in truths.items():
                again = about == "rule"
                question = f"{kind}, the {about}"
                if place is None or not scope.asks(question):
                    continue
                if not (again and rule.startswith(name_of(metric))):  # that would be the target
                    estimands.append(Estimand(metric, point, np.array([point.odds_against]), again=again))
                    told.append((question, where, _read(metric, place)))
        wanted: list[tuple[str | None, float]] = [(None, 0.95)]
        wanted += [("percentile", 0.95)] if scope.rivals else []
        wanted += [(None, level) for level in LEVELS if setting.n_pos <= SMALL]
        for method, level in wanted:
            some = [i for i, one in enumerate(estimands) if method is None or method in methods(one)]
            found = estimates([estimands[i] for i in some], IntervalSettings.of(level, DRAWS, rng), method)
            for i, (one,) in zip(some, found, strict=True):
                question, where, truth = told[i]
                yield from answer(question, where, one, truth, default=method is None, known_to=GRID)

    return ask


def _read(metric: MetricFunction, at: br.Point) -> float:
    return float(metric(at)) if at.tpr + at.fpr > 0 else math.nan
