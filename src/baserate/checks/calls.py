"""Whether a call fits its function: parameters that it has, no more arguments than it takes, and no fewer."""

import typing
from collections.abc import Mapping, Sequence
from inspect import Parameter

from baserate.checks.synonyms import did_you_mean, name_here
from baserate.errors import CallError, shown

Parameters = Mapping[str, Parameter]

_CURVE = "br.Curve.from_scores(y_true, y_score)"
_RULES = frozenset({"threshold", "recall", "fpr", "precision", "top_k", "alert_rate"})
_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_ANY_NUMBER = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def known_keywords(function: str, given: Mapping[str, object], parameters: Parameters, *, otherwise: str = "") -> None:
    """Refuse an unknown keyword of a function, with a hint at a similar one, or else `otherwise`."""
    _check_starred(function, given, parameters)
    unknown = next((name for name in given if name not in parameters), None)
    if unknown is None or any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values()):
        return
    keywords = _named(parameters)
    meant = _point_to_choose(unknown, parameters) or did_you_mean(unknown, keywords)
    hint = meant or otherwise or f"it has {', '.join(keywords) or 'none'}"
    raise CallError(f"{function} has no parameter {unknown!r}; {hint}.")


def _check_starred(function: str, given: Mapping[str, object], parameters: Parameters) -> None:
    """Refuse by name what a function takes by position only, as many as there are."""
    starred = next((name for name, p in parameters.items() if p.kind is Parameter.VAR_POSITIONAL), None)
    if starred is None:
        return
    for name, value in given.items():
        if name == starred or (name not in parameters and did_you_mean(name, [starred])):
            places = [place for place, p in parameters.items() if p.kind in _BY_PLACE and place in _named(parameters)]
            values = value if isinstance(value, list | tuple) else [value]
            call = ", ".join([*places, *(shown(one, 30) for one in values[:3])])
            raise CallError(f"{function} takes {starred!r} by position, got {name}=; write {function}({call}, …).")


def check_number(function: str, args: Sequence[object], given: Mapping[str, object], parameters: Parameters) -> None:
    """Refuse more arguments than a function takes by their place, and fewer than it needs."""
    places = [name for name, p in parameters.items() if p.kind in _BY_PLACE]
    if len(args) > len(places) and not any(p.kind is Parameter.VAR_POSITIONAL for p in parameters.values()):
        raise CallError(_too_many(function, args, places, parameters))
    twice = next((name for name in places[: len(args)] if name in given), None)
    if twice is not None:
        raise CallError(f"{function} got {twice!r} twice, by position and by name; pass it once.")
    missing = [
        name
        for name, p in parameters.items()
        if p.default is p.empty and p.kind not in _ANY_NUMBER and name not in given and name not in places[: len(args)]
    ]
    if missing:
        values = ", ".join(f"{name}=…" for name in missing)
        raise CallError(f"{function} needs {' and '.join(missing)}, got none; pass {values}.")


def _too_many(function: str, args: Sequence[object], places: list[str], parameters: Parameters) -> str:
    first = [name for name in places if name in _named(parameters)]
    by_name = [name for name, p in parameters.items() if p.kind is Parameter.KEYWORD_ONLY]
    given = args[len(places) - len(first) :]
    if all(map(_is_column, given)):
        advice = f"make a curve of labels and scores first, {_with_curve(function, parameters[first[0]].annotation)}"
    else:
        advice = f"pass the others by name, such as {by_name[0]}=…" if by_name else "leave out the others"
    return f"{function} takes only {' and '.join(first) or 'names'} by position, got {len(given)} arguments; {advice}."


def _is_column(value: object) -> bool:
    """Whether it looks like labels or scores."""
    return hasattr(value, "__len__") and not isinstance(value, str | bytes | Mapping) and not hasattr(value, "columns")


def _with_curve(function: str, annotation: object) -> str:
    """The call with a curve instead of columns, if the function takes one; else how to make it."""
    kinds = {getattr(kind, "__name__", "") for kind in (annotation, *typing.get_args(annotation))}
    if "Curve" in kinds:
        return f"br.{function}({_CURVE})"
    return f"br.{function}({{'new': {_CURVE}, …}})" if "Mapping" in kinds else _CURVE


def _point_to_choose(name: str, parameters: Parameters) -> str:
    """What to do instead of naming a rule, where a function takes the point itself."""
    rule = "recall" if name == "at" else name_here(name)
    kinds = {kind for p in parameters.values() for kind in (p.annotation, *typing.get_args(p.annotation))}
    at = parameters.get("at")
    takes_rules = at is not None and str in typing.get_args(at.annotation)
    if rule not in _RULES or takes_rules or "Point" not in {getattr(kind, "__name__", "") for kind in kinds}:
        return ""
    return f"choose the point and pass it, as in curve.at_{rule}({0.5 if name == 'at' else '…'})"


def _named(parameters: Parameters) -> list[str]:
    return [name for name in parameters if name not in ("self", "cls")]
