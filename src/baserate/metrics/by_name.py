"""Metrics and rules as people write them: ``f_beta:beta=2`` and ``recall=0.6``."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, signature
from typing import cast

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError
from baserate.metrics.definition import evaluate as value_of
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import METRICS, Family, describe, row_of

# Each rule, and what it promises about its target: at least, at most, or neither.
_RULES = {"threshold": "", "recall": ">", "fpr": "<", "precision": ">", "top_k": "<", "alert_rate": "<", "best": ""}

# Metrics and rules are tried on this first, so that a bad parameter is noticed before a large file is read.
_TRIAL = Curve.from_scores([0, 1], [0.0, 1.0])


@dataclass(frozen=True)
class Rule:
    """How to choose a threshold on a curve."""

    name: str
    target: float | MetricFunction

    def __call__(self, curve: Curve) -> Point:
        """The point it chooses."""
        if callable(self.target):
            return curve.best(self.target)
        choose: Callable[[float], Point] = getattr(curve, f"at_{self.name}")
        return choose(self.target)

    def __str__(self) -> str:
        return f"{self.name}={describe(self.target) if callable(self.target) else format(self.target, 'g')}"

    @property
    def depends_on_prevalence(self) -> bool:
        """Whether it chooses another threshold at another prevalence."""
        return self.name in ("precision", "alert_rate", "best")


def rule_from(text: str, where: str = "--at") -> Rule:
    """A rule such as ``recall=0.6``, ``recall >= 0.6`` or ``best=f1``; `where` it was written, for the sentences."""
    name, equals, target = text.partition("=")
    name, sign = _without_sign(name)
    if name == "best" and target and not sign:
        return Rule("best", _with_a_best(target.strip()))
    try:
        rule = Rule(checks.one_of(name, list(_RULES), f"the rule of {where}"), float(target))
    except ValueError as error:
        if isinstance(error, InputError) and equals:
            raise
        wanted = f"{where} must be a rule and a number such as recall=0.6"
        wanted = "best needs a metric such as best=f1" if name == "best" else wanted
        raise InputError(f"{wanted}, got {text!r}.") from None
    if sign and sign != _RULES[name]:
        kept = f"{name} {_RULES[name]}= {target.strip()}" if _RULES[name] else str(rule)
        raise InputError(f"{where} must be a rule such as recall >= 0.6 or fpr <= 0.01, got {text!r}; write {kept!r}.")
    rule(_TRIAL)
    return rule


def _without_sign(name: str) -> tuple[str, str]:
    """The name of a rule, and the sign before its equals sign, if any."""
    name = name.strip()
    return (name[:-1].rstrip(), name[-1]) if name.endswith((">", "<")) else (name, "")


def _with_a_best(text: str) -> MetricFunction:
    """A metric that is best at some threshold."""
    metric = metric_from(text)
    row = row_of(metric)
    if row is None or row.family is not Family.POINTWISE:
        raise InputError(f"best needs a metric of thresholds such as best=f1, got {text!r}; name another.")
    _TRIAL.best(metric)  # says no to a metric without a direction
    return metric


def metric_from(text: str) -> MetricFunction:
    """A metric by its name, with its parameters: ``f_beta:beta=2``, ``auc_pr:recall_range=(0.5,1)``."""
    name, *settings = text.split(":")
    if name not in METRICS:
        hint = checks.did_you_mean(name, list(METRICS))
        known = "a name that is known" if hint else f"one of {', '.join(METRICS)}"
        raise InputError(f"a metric must be {known}, got {name!r}{'; ' + hint if hint else ''}.")
    try:
        parameters = {key: _parameter(value) for key, value in (setting.split("=") for setting in settings)}
    except ValueError:
        raise InputError(f"parameters of a metric are written as f_beta:beta=2, got {text!r}.") from None
    _check_parameters(name, parameters)
    row = METRICS[name]
    metric = cast(MetricFunction, partial(row.function, **parameters) if parameters else row.function)
    value_of(metric, _TRIAL)
    return metric


def _parameter(text: str) -> object:
    """A number, a pair, a list; what is none of these is text, such as ``equal_frequency(10)``."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        return text


def _check_parameters(name: str, given: dict[str, object]) -> None:
    known = {p.name: p for p in signature(METRICS[name].compute).parameters.values() if p.kind is p.KEYWORD_ONLY}
    for parameter in given.keys() - known.keys():
        hint = checks.did_you_mean(parameter, list(known)) or f"it has {', '.join(known) or 'none'}"
        raise InputError(f"{name} has no parameter {parameter!r}; {hint}.")
    for parameter in known.keys() - given.keys():
        if known[parameter].default is Parameter.empty:
            raise InputError(f"{name} needs its parameter {parameter}; write for example {name}:{parameter}=2.")
