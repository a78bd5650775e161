"""Writes results as JSON and reads them back, without loss of digits.

JSON has no nan, infinity, arrays, tuples or dates; each of these is an object with one key that begins with "$".
Everything else is plain JSON.
"""

import datetime
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from baserate.errors import InputError, Reason

# Goes up when somebody who knows the version before would misread what is written, and only then.
VERSION = 1
_MARK = "baserate_result"

Classes = Mapping[str, Callable[..., Any]]


def written(result: object) -> str:
    """A result as JSON, with the version."""
    return json.dumps({_MARK: VERSION} | _plain(result), allow_nan=False, ensure_ascii=False)


def read(text: str, classes: Classes) -> object:
    """The result of one of the classes, from the JSON of `written`."""
    try:
        parsed = json.loads(text)
        version = parsed.pop(_MARK)
    except (ValueError, TypeError, AttributeError, KeyError):
        raise InputError(
            f"from_json needs the text that to_json wrote, got {str(text)[:40]!r}; pass that text."
        ) from None
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise InputError(
            f"a saved result must be of version {VERSION}, got version {version!r}; read it with the version of "
            f"baserate that wrote it."
        )
    try:
        return _read(parsed, classes)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"a saved result must be complete, got one that is not ({error}); write it again.") from None


def _plain(value: object) -> Any:
    """A value as JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {"$result": type(value).__name__, "fields": parts}
    for kind, written_as in _WRITTEN:
        if isinstance(value, kind):
            return written_as(value)
    raise InputError(
        f"JSON of results needs text, numbers, dates or results, got {type(value).__name__}; name groups by text."
    )


def _finite(values: Any) -> Any:
    """Nested lists with nan and infinity as text, which numpy converts back to numbers."""
    if isinstance(values, list):
        return [_finite(value) for value in values]
    return repr(values) if isinstance(values, float) and not math.isfinite(values) else values


# The first kind that fits says how a value is written: what is a special case of another stands before it.
_WRITTEN: Sequence[tuple[type | tuple[type, ...], Callable[[Any], Any]]] = (
    (Reason, lambda value: {"$reason": value.value}),
    (np.generic, lambda value: _plain(value.item())),
    (float, lambda value: value if math.isfinite(value) else {"$float": repr(value)}),
    ((int, str, type(None)), lambda value: value),
    (np.ndarray, lambda value: {"$array": _finite(value.tolist()), "dtype": value.dtype.str}),
    (tuple, lambda value: {"$tuple": [_plain(part) for part in value]}),
    (Mapping, lambda value: {"$mapping": [[_plain(key), _plain(part)] for key, part in value.items()]}),
    (datetime.datetime, lambda value: {"$time": value.isoformat()}),
    (datetime.date, lambda value: {"$date": value.isoformat()}),
)


def _read(value: Any, classes: Classes) -> Any:
    """A value from JSON."""
    if not isinstance(value, dict):
        return value
    tag = next(iter(value), "nothing")
    content = value[tag]
    if tag == "$result":
        if content not in classes:
            raise KeyError(f"no result is called {content!r}")
        return classes[content](**{name: _read(part, classes) for name, part in value["fields"].items()})
    if tag == "$array":
        return np.array(content, np.dtype(value["dtype"]))
    if tag == "$tuple":
        return tuple(_read(part, classes) for part in content)
    if tag == "$mapping":
        return {_read(key, classes): _read(part, classes) for key, part in content}
    return _OF_TEXT[tag](content)


_OF_TEXT: Mapping[str, Callable[[str], object]] = {
    "$reason": {reason.value: reason for reason in Reason}.__getitem__,
    "$float": float,
    "$date": datetime.date.fromisoformat,
    "$time": datetime.datetime.fromisoformat,
}
