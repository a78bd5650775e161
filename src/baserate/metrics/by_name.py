"""Metrics and rules from text: ``f_beta:beta=2`` and ``recall=0.6``."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import cast

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.rules import Rule, Threshold
from baserate.errors import InputError
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import named

# What a caller may say for `at`; some places take a threshold as a plain number, too.
Chooser = Rule | str | Callable[[Curve], Point]

# Metrics are tried on this first, so that a bad parameter is noticed before a large file is read.
_TRIAL = Curve.from_scores([0, 1], [0.0, 1.0])


def metric_from(text: str) -> MetricFunction:
    """A metric by its name, with its parameters: ``f_beta:beta=2``, ``auc_pr:recall_range=(0.5,1)``."""
    metric = cast(MetricFunction, named(text))
    evaluate(metric, _TRIAL)
    return metric


def rule_from(at: object, *, or_threshold: bool = False) -> Rule:
    """A rule from a Rule, its text, a function or, if allowed, a number."""
    if isinstance(at, Rule):
        return at
    if isinstance(at, str):
        return Rule.parse(at, "at")
    if callable(at) and not isinstance(at, type):
        return _ByFunction(at)
    if or_threshold and isinstance(at, Real):
        return Threshold(checks.number(at, "at"))
    raise _no_rule(at)


def _no_rule(given: object) -> InputError:
    return InputError(
        f"at must be a rule such as 'recall=0.6', or a function that chooses a point on the curve it is given, "
        f"without changing its prevalence, got {given!r}; pass at='recall=0.6' for example."
    )


@dataclass(frozen=True, repr=False)
class _ByFunction(Rule):
    """A rule that calls the user's own function."""

    function: Callable[[Curve], Point]
    follows_draws = False

    def on(self, curve: Curve) -> Point:
        """The point that the function chooses."""
        point = self.function(curve)
        if not isinstance(point, Point) or point.curve is not curve:
            raise _no_rule(point)
        return point

    def __str__(self) -> str:
        return "a chosen threshold"
