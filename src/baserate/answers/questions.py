"""Questions about a curve: a metric, and a rule that chooses its threshold if it needs one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import Prevalence
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.rules import Rule
from baserate.errors import InputError
from baserate.metrics.by_name import Chooser, metric_from, rule_from
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import Family, describe, row_of
from baserate.uncertainty.estimate import About

Metrics = MetricFunction | str | Sequence[MetricFunction | str]

# The metrics that are shown if none are named: of whole curves and, where a threshold is chosen, of points.
EVALUATED = (("average_precision", "auc_pr", "normalized_auc_pr", "auc_prg", "best_f1", "roc_auc"),
             ("precision", "recall", "f1", "mcc", "alert_rate"))  # fmt: skip
COMPARED = (("average_precision",), ("f1",))


@dataclass(frozen=True)
class Question:
    """A metric, and the rule that chooses its threshold if it needs one."""

    metric: MetricFunction
    rule: Rule | None
    about: About = "threshold"

    def place(self, curve: Curve) -> Curve | Point:
        """The curve itself, or the point that the rule chooses on it."""
        return curve if self.rule is None else self.rule.on(curve)


class Query(NamedTuple):
    """What is asked about curves: questions, at which prevalences besides their own, and with what intervals."""

    questions: list[Question]
    elsewhere: list[float]
    level: float | None


def query(
    metrics: Metrics | None,
    at: Chooser | float | None,
    about: About,
    prevalence: Prevalence | Sequence[Prevalence] | None,
    confidence_level: float | None,
    *,
    usual: tuple[Sequence[str], Sequence[str]],
) -> Query:
    """What is asked by the arguments of a function."""
    rule = None if at is None else rule_from(at, or_threshold=True)
    level = None if confidence_level is None else checks.confidence_level(confidence_level)
    return Query(questions(metrics, rule, about, usual=usual), _prevalences(prevalence), level)


def _prevalences(given: Prevalence | Sequence[Prevalence] | None) -> list[float]:
    """A list of checked prevalences, from one, several or None."""
    if given is None:
        return []
    alone = isinstance(given, str) or np.ndim(given) == 0
    return [checks.prevalence(given)] if alone else checks.prevalences(given, "prevalence").tolist()


def questions(
    metrics: Metrics | None,
    rule: Rule | None,
    about: About,
    *,
    usual: tuple[Sequence[str], Sequence[str]],
    example: str = "at='recall=0.6'",
) -> list[Question]:
    """Questions for these metrics, by default the usual ones; errors show `example`, a rule in the caller's syntax."""
    alone = [metrics] if isinstance(metrics, str) or callable(metrics) else metrics
    asked = []
    for one in alone or usual[rule is not None]:
        metric = metric_from(one) if isinstance(one, str) else one
        row = row_of(metric)
        needs_threshold = row is None or row.family is Family.POINTWISE
        if needs_threshold and row is not None and rule is None:
            raise InputError(f"{describe(metric)} needs a threshold; choose one, for example with {example}.")
        asked.append(Question(metric, rule if needs_threshold else None, about))
    option = example.replace("=", " ").split()[0]
    if rule is not None and all(question.rule is None for question in asked):
        raise InputError(
            f"{option} {rule} has no effect: none of the metrics needs a threshold; leave it out, or add a metric such "
            f"as precision."
        )
    return asked
