"""Options for metrics, rules and intervals."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import click
from click.shell_completion import CompletionItem

from baserate import checks
from baserate.answers.questions import Question, questions
from baserate.curves.rules import Rule
from baserate.registry import METRICS
from baserate.uncertainty.estimate import About

F = TypeVar("F", bound=Callable[..., object])

_ABOUT_RULES = """RULE is one of threshold=0.5, recall=0.6 (at least), fpr=0.001 (at most), precision=0.9 (at least),
    top_k=100 (at most, in rows of the file), alert_rate=0.01 (at most), best=f1 (maximizes the metric). Rules on
    precision, alert_rate and best depend on the prevalence: each prevalence gets its own threshold.
"""


def asked_by_options(command: F) -> F:
    """Options for metrics, rules and prevalences."""
    command.__doc__ = f"{command.__doc__}\n    {_ABOUT_RULES}"
    for option in (
        click.option(
            "--about",
            type=click.Choice(["threshold", "rule"]),
            default="threshold",
            show_default=True,
            help="Interval for the chosen threshold, or for the rule, which chooses again in each resample.",
        ),
        click.option("--at", "rule", metavar="RULE", help="Rule that chooses the threshold; see above."),
        click.option(
            "--metric",
            "names",
            multiple=True,
            metavar="NAME",
            shell_complete=_metrics_beginning_with,
            help="Metric, such as roc_auc or f_beta:beta=2; repeatable.",
        ),
    ):
        command = option(command)
    return command


def confidence_option(command: F) -> F:
    """The option for the confidence level."""
    option = click.option(
        "--confidence-level",
        type=float,
        default=0.95,
        show_default=True,
        metavar="LEVEL",
        help="Confidence level of intervals.",
    )
    return option(command)


def with_intervals(command: F) -> F:
    """Options for intervals and their confidence level."""
    quick = click.option(
        "--intervals/--no-intervals", default=True, help="Compute confidence intervals; without them it is faster."
    )
    return quick(confidence_option(command))


def level_from(intervals: bool, confidence_level: float) -> float | None:
    """The confidence level; None for no intervals."""
    level = checks.confidence_level(confidence_level)
    return level if intervals else None


def _metrics_beginning_with(_: click.Context, __: click.Parameter, beginning: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in METRICS if name.startswith(beginning)]


def questions_from(
    names: Sequence[str],
    rule: str | None,
    about: About = "threshold",
    *,
    usual: tuple[Sequence[str], Sequence[str]],
) -> list[Question]:
    """The questions; by default the usual metrics of curves or, with a rule, of points."""
    chosen = None if rule is None else Rule.parse(rule, "--at")
    return questions(names, chosen, about, usual=usual, example="--at recall=0.6")
