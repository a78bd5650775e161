"""Options that commands share, and how their text becomes values."""

import ast
from collections.abc import Callable
from functools import partial
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

import click

from baserate import checks
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.ingest.tables import curve, curves_by
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import METRICS

F = TypeVar("F", bound=Callable[..., object])

# The key of the curve of a whole file.
WHOLE: tuple[object, ...] = ()


def of_a_file(command: F) -> F:
    """The options that say where the data are and what its columns mean."""
    for decorate in reversed(
        (
            click.argument("file", nargs=-1, required=True),
            click.option("--label", required=True, metavar="COLUMN", help="The column of labels: 0/1, -1/1 or bool."),
            click.option(
                "--score", "scores", required=True, multiple=True, metavar="COLUMN", help="A column of scores; repeat."
            ),
            click.option("--weight", metavar="COLUMN", help="A column of weights."),
            click.option("--positive", metavar="LABEL", help="Which label is the positive one, if they are names."),
            click.option("--by", "keys", multiple=True, metavar="COLUMN", help="A curve for each value of it; repeat."),
            click.option("--period", metavar="COLUMN:LENGTH", help="A curve for each day, week, month, quarter, year."),
            click.option("--tz", metavar="ZONE", help="Whose clock cuts the periods, such as Europe/Prague."),
            click.option("--tolerance", type=float, help="How well average precision is to be known, if not exactly."),
            click.option("--memory-limit", metavar="SIZE", help="Memory for reading files.  [default: 512MB]"),
        )
    ):
        command = decorate(command)
    return command


def curves_of(
    file: tuple[str, ...],
    *,
    label: str,
    scores: tuple[str, ...],
    keys: tuple[str, ...],
    period: str | None,
    tz: str | None,
    positive: str | None,
    tolerance: float | None,
    **rest: Any,
) -> dict[tuple[str, tuple[object, ...]], Curve]:
    """The curve of each score and group."""
    found: dict[tuple[str, tuple[object, ...]], Curve] = {}
    options = rest | {"label": label, "positive": _label(positive)}
    options |= {} if tolerance is None else {"tolerance": tolerance}
    for score in scores:
        if not keys and period is None:
            found[score, WHOLE] = curve(list(file), score=score, **options)
            continue
        groups = curves_by(list(file), *keys, score=score, period=_period(period), tz=tz, **options)
        found |= {(score, key if isinstance(key, tuple) else (key,)): of_group for key, of_group in groups.items()}
    return found


def _label(text: str | None) -> str | float | None:
    """A label from the command line: a number if it reads as one, since files hold numbers as numbers."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _period(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    column, colon, length = text.rpartition(":")
    if not colon:
        raise InputError(f"a period must be a column and a length such as ts:month, got {text!r}.")
    return column, length


def metric_from(text: str) -> MetricFunction:
    """A metric by its name, with its parameters: ``f_beta:beta=2``, ``auc_pr:recall_range=(0.5,1)``."""
    name, *settings = text.split(":")
    if name not in METRICS:
        hint = checks.did_you_mean(name, list(METRICS))
        raise InputError(f"a metric must be one of {', '.join(METRICS)}, got {name!r}{'; ' + hint if hint else ''}.")
    try:
        parameters = {key: ast.literal_eval(value) for key, value in (setting.split("=") for setting in settings)}
    except (ValueError, SyntaxError):
        raise InputError(f"parameters of a metric are written as f_beta:beta=2, got {text!r}.") from None
    _check_parameters(name, parameters)
    return cast(MetricFunction, partial(METRICS[name].function, **parameters) if parameters else METRICS[name].function)


def _check_parameters(name: str, given: dict[str, object]) -> None:
    known = {p.name: p for p in signature(METRICS[name].compute).parameters.values() if p.kind is p.KEYWORD_ONLY}
    for parameter in given.keys() - known.keys():
        hint = checks.did_you_mean(parameter, list(known)) or f"it has {', '.join(known) or 'none'}"
        raise InputError(f"{name} has no parameter {parameter!r}; {hint}.")
    for parameter in known.keys() - given.keys():
        if known[parameter].default is Parameter.empty:
            raise InputError(f"{name} needs its parameter {parameter}; write for example {name}:{parameter}=2.")


def prevalence_from(text: str) -> float:
    """A prevalence from a share or odds."""
    try:
        return checks.prevalence(text if ":" in text else float(text))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"a prevalence must be a share such as 0.001 or odds such as 1:1000, got {text!r}.") from None
