"""Checks objects passed to public functions: a Curve, a Pair, a metric, a mapping of curves, a path.

The annotations of a public function declare its arguments, and `declared` checks every call against them. Numbers and
columns have checks of their own, because their rules are about values.
"""

import collections.abc
import functools
import inspect
import os
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter
from typing import NamedTuple, ParamSpec, TypeVar

from baserate.checks.calls import check_number, known_keywords
from baserate.checks.synonyms import name_here
from baserate.errors import InputError, shown

P = ParamSpec("P")
R = TypeVar("R")

# How to come by one of ours; a class that is not here is not looked at.
_HOW = {
    "Curve": "build one with br.Curve.from_scores(y_true, y_score)",
    "Point": "choose one, for example curve.at_recall(0.6)",
    "Pair": "build one with br.Pair.from_scores(y_true, score_a, score_b)",
    "Claim": "write one as br.Claim(br.f1, at_least=0.5, at='recall=0.6'), and check many one by one: "
    "all(br.check(claim, curve) for claim in claims)",
    "LabellingPlan": "pass what br.design.labelling returns",
    "LabelErrors": "state them as br.labels.LabelErrors(sensitivity=0.9, specificity=0.99)",
    "Accumulator": "use update for rows, and Curve.pool for curves",
    "Changes": "pass what br.monitoring.explain_changes returns",
    "CurveStore": "open one with br.monitoring.CurveStore(path)",
    "Alarms": "pass what br.monitoring.model_alarms returns",
}
_MAPPING = "pass what br.curves_by returns, or {'name': curve}"
_DICT = "pass {'name': value} for example"
_METRIC = "pass a metric such as br.f1"
_FILE = "pass the name of a file"
_RULE = re.compile(r"(\w+)\s*>?=\s*(\d*\.?\d+)")

_ABSTRACT = {collections.abc.Mapping: Mapping, collections.abc.Sequence: Sequence, collections.abc.Iterable: Iterable}


class _Wish(NamedTuple):
    """One allowed kind of an argument: its name in messages, advice on how to make one, and the test."""

    words: str
    advice: str
    met_by: Callable[[object], bool]


def declared(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of a function against its annotations; the error shows the right call."""
    parameters = inspect.signature(function).parameters

    @functools.cache
    def wishes() -> list[tuple[int, str, list[_Wish]]]:  # at the first call, when all names in annotations are there
        hints = typing.get_type_hints(function)
        by_parameter = [
            (k, name, _wishes_of_parameter(hints[name]))
            for k, name in enumerate(parameters)
            if name in hints and not _is_data(hints[name])
        ]
        return [(k, name, wanted) for k, name, wanted in by_parameter if any(wish.advice for wish in wanted)]

    fitting: set[tuple[object, ...]] = set()  # how it was called before: by place, and by name

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        called = (len(args), *kwargs)
        fits = called in fitting
        if not fits:
            known_keywords(function.__name__, kwargs, parameters)
        for place, name, wanted in wishes():
            kind = parameters[name].kind
            if name in kwargs:
                _check(kwargs[name], name, wanted)
            elif kind is Parameter.VAR_POSITIONAL:
                for value in args[place:]:
                    _check(value, f"each of {name}", wanted)
            elif place < len(args) and kind is not Parameter.KEYWORD_ONLY:
                _check(args[place], name, wanted)
        if not fits:
            check_number(function.__name__, args, kwargs, parameters)
            fitting.add(called)
        return function(*args, **kwargs)

    return checked


def all_are(values: Iterable[object], kind: type, name: str) -> None:
    """Refuse a sequence or mapping unless all its items are of this kind."""
    for value in values:
        _check(value, f"each of {name}", _wishes(kind))


def _check(value: object, name: str, wanted: list[_Wish]) -> None:
    if any(wish.met_by(value) for wish in wanted):
        return
    words = " or ".join(dict.fromkeys(wish.words for wish in wanted if wish.words))
    raise InputError(f"{name} must be {words}, got {_seen(value)}; {_advice(value, wanted)}.")


def _advice(value: object, wanted: list[_Wish]) -> str:
    advice = next(wish.advice for wish in wanted if wish.advice)
    if advice is _METRIC and isinstance(value, str) and value.isidentifier():
        return f"pass br.{name_here(value)}, not its name"
    if isinstance(value, str) and (rule := _RULE.fullmatch(value)) and any(wish.words == "a Point" for wish in wanted):
        return f"pass the point that it chooses, curve.at_{name_here(rule[1])}({rule[2]})"
    if advice is _HOW["Curve"] and type(value).__name__ == "Point":
        return "pass the curve it was chosen on"
    if advice is _HOW["Curve"] and hasattr(value, "columns"):
        return "build one with br.curve(table, label=…, score=…)"
    return advice


def _seen(value: object) -> str:
    """The argument as errors name it: its type and, for short texts and numbers, its value."""
    if value is None or isinstance(value, bool | int | float | str):
        return shown(value, 40)
    if isinstance(value, Mapping):
        wrong = next((key for key, one in value.items() if type(one).__name__ not in _HOW), None)
        return f"a {type(value).__name__}" + ("" if wrong is None else f" with {_seen(value[wrong])} at {_seen(wrong)}")
    return f"a {type(value).__name__}"


# --- annotations ----------------------------------------------------------------------------------


def _is_data(annotation: object) -> bool:
    """Whether it is a table or a column, of whatever library; these have checks of their own."""
    return any(getattr(one, "_is_protocol", False) for one in typing.get_args(annotation))


def _wishes_of_parameter(annotation: object) -> list[_Wish]:
    """The allowed kinds of a parameter; text, lists and functions are checked here only if no other kind is allowed."""
    if annotation is bool:
        return [_Wish("True or False", "pass one of them", lambda value: type(value).__name__ == "bool")]
    wishes = _wishes(annotation)
    if any(wish.advice is _FILE for wish in wishes):
        return [wish if wish.advice else wish._replace(met_by=_names_a_file(wish)) for wish in wishes]
    if annotation in (str, str | None):
        return [_Wish("text", "pass one name in quotes", wishes[0].met_by), *wishes[1:]]
    if typing.get_origin(annotation) in _ABSTRACT and not wishes[0].advice:
        return [wishes[0]._replace(words="a list", advice="put it in brackets")]
    if len(wishes) == 2 and wishes[0].met_by is _is_function and not wishes[0].advice:
        return [wishes[0]._replace(words="a function", advice="pass a function"), wishes[1]]
    return wishes


def _wishes(annotation: object) -> list[_Wish]:
    """The kinds that an annotation allows; kinds without advice are accepted, but do not trigger a check."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return [wish for one in inner for wish in _wishes(one)]
    if origin is collections.abc.Callable:
        # A metric takes whatever parameters it has; other functions are checked where their results are.
        return [_Wish("a function of a Curve", _METRIC if inner[0] is Ellipsis else "", _is_function)]
    if origin in _ABSTRACT:
        return [_of_many(_ABSTRACT[origin], inner)]
    if isinstance(origin or annotation, type):
        return [_of_class(typing.cast(type, origin or annotation))]
    return [_Wish("", "", lambda value: True)]


def _is_function(value: object) -> bool:
    return callable(value) and not isinstance(value, type)


def _of_many(kind: type, inner: tuple[object, ...]) -> _Wish:
    """A mapping or a sequence of objects; items of other iterables are not checked, which might consume them."""
    wanted = _wishes(inner[-1])
    names = " or ".join(dict.fromkeys(_plural(wish.words) for wish in wanted if wish.words))
    ours = any(wish.advice for wish in wanted)

    def met_by(value: object) -> bool:
        if not isinstance(value, kind if ours or kind is Mapping else Iterable) or isinstance(value, str | bytes):
            return False
        if getattr(value, "shape", None) == ():  # an array that is a number
            return False
        items = value.values() if isinstance(value, Mapping) else value if isinstance(value, Sequence) else ()
        return not ours or all(any(wish.met_by(item) for wish in wanted) for item in items)

    if kind is Mapping and not ours:
        return _Wish("a dict", _DICT, met_by)
    said = "a mapping of names to" if kind is Mapping else "a list of"
    return _Wish(f"{said} {names}", _MAPPING if ours else "", met_by)


def _names_a_file(text: _Wish) -> Callable[[object], bool]:
    """Whether text is a possible file name, whether or not the file exists."""

    def met_by(value: object) -> bool:
        if not isinstance(value, str):
            return text.met_by(value)
        try:
            return bool(value) and b"\0" not in os.fsencode(value)
        except UnicodeEncodeError:
            return False

    return met_by


def _plural(words: str) -> str:
    """The plural of "a Curve" or "a mapping of names to Curves"; a name such as Models is one."""
    if " " not in words:
        return words
    noun, *rest = words.split(" ")[1:]
    return " ".join([f"{noun}s", *rest])


def _of_class(kind: type) -> _Wish:
    if kind is os.PathLike:
        return _Wish("a path", _FILE, lambda value: isinstance(value, os.PathLike))
    if kind is float:
        return _Wish("a number", "", lambda value: hasattr(value, "__float__"))
    if kind is types.NoneType:
        return _Wish("", "", lambda value: value is None)
    ours = kind.__name__ in _HOW and kind.__module__.startswith("baserate.")
    article = "" if kind.__name__.endswith("s") else "an " if kind.__name__[0] in "AE" else "a "
    words = article + kind.__name__ if ours else ""
    return _Wish(words, _HOW[kind.__name__] if ours else "", lambda value: isinstance(value, kind))
