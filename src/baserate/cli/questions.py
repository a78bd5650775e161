"""What is asked of a curve: a metric by name, at a threshold by a rule."""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, signature
from typing import TypeVar, cast

import click
from click.shell_completion import CompletionItem

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import InputError
from baserate.metrics.definition import evaluate as value_of
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import METRICS, Family, describe, row_of

F = TypeVar("F", bound=Callable[..., object])

_RULES = ("threshold", "recall", "fpr", "precision", "top_k", "alert_rate", "best")

_ABOUT_RULES = """RULE is threshold=0.5, recall=0.6 (at least), fpr=0.001 (at most), precision=0.9 (at least), top_k=100
    (rows of the file, at most), alert_rate=0.01 (at most) or best=f1 (where the metric is best). Precision, alert_rate
    and best are meant at the prevalence that is read at, so that each prevalence has a threshold of its own.
"""

_HOW_TO_SAY = "--at must be a rule and a number such as recall=0.6"

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


@dataclass(frozen=True)
class Question:
    """A metric, and the rule that chooses its threshold if it needs one."""

    metric: MetricFunction
    rule: Rule | None

    def place(self, curve: Curve) -> Curve | Point:
        """Where to read the metric: on the curve, or at the point that the rule chooses on it."""
        return curve if self.rule is None else self.rule(curve)


def asked_by_options(command: F) -> F:
    """The options that say what is asked."""
    command.__doc__ = f"{command.__doc__}\n    {_ABOUT_RULES}"
    for option in (
        click.option("--at", "rule", metavar="RULE", help="How to choose a threshold, see below."),
        click.option(
            "--metric",
            "names",
            multiple=True,
            metavar="NAME",
            shell_complete=_metrics_beginning_with,
            help="Such as f_beta:beta=2; repeat.",
        ),
    ):
        command = option(command)
    return command


def confidence_option(command: F) -> F:
    """How often intervals are to hold."""
    option = click.option(
        "--confidence-level",
        type=float,
        default=0.95,
        show_default=True,
        metavar="LEVEL",
        help="How often an interval is to hold.",
    )
    return option(command)


def with_intervals(command: F) -> F:
    """Whether intervals are wanted, and how often they are to hold."""
    quick = click.option("--intervals/--no-intervals", default=True, help="With intervals, or quickly.")
    return quick(confidence_option(command))


def level_from(intervals: bool, confidence_level: float) -> float | None:
    """How often intervals are to hold; None if none are wanted."""
    level = checks.confidence_level(confidence_level)
    return level if intervals else None


def _metrics_beginning_with(_: click.Context, __: click.Parameter, beginning: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in METRICS if name.startswith(beginning)]


def questions_from(
    names: Sequence[str], rule: str | None, *, areas: Sequence[str], pointwise: Sequence[str]
) -> list[Question]:
    """What is asked; without names the usual metrics of whole curves or, with a rule, of points."""
    chosen = None if rule is None else rule_from(rule)
    found = []
    for name in names or (areas if chosen is None else pointwise):
        metric = metric_from(name)
        row = row_of(metric)
        needs_threshold = row is not None and row.family is Family.POINTWISE
        if needs_threshold and chosen is None:
            raise InputError(f"{name} needs a threshold; choose one, for example by --at recall=0.6.")
        found.append(Question(metric, chosen if needs_threshold else None))
    if chosen is not None and all(question.rule is None for question in found):
        raise InputError(
            f"--at chooses a threshold, got {chosen} and no metric that needs one; leave it out, or ask for one such "
            f"as precision."
        )
    return found


def rule_from(text: str) -> Rule:
    """A rule such as ``recall=0.6`` or ``best=f1``."""
    name, equals, target = text.partition("=")
    if name.strip() == "best" and target:
        return Rule("best", _with_a_best(target.strip()))
    try:
        rule = Rule(checks.one_of(name.strip(), _RULES, "the rule of --at"), float(target))
    except ValueError as error:
        if isinstance(error, InputError) and equals:
            raise
        wanted = "best needs a metric such as best=f1" if name.strip() == "best" else _HOW_TO_SAY
        raise InputError(f"{wanted}, got {text!r}.") from None
    rule(_TRIAL)
    return rule


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
        raise InputError(f"a metric must be one of {', '.join(METRICS)}, got {name!r}{'; ' + hint if hint else ''}.")
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
