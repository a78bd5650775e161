"""Parses text columns: times in ISO 8601, whole numbers as keys, values in JSON."""

import json
import re
from collections.abc import Sequence

from baserate.errors import InputError, cut
from baserate.ingest.sql import name, text

_DAY = r"\d{4}-\d{2}-\d{2}"
_CLOCK = r"[T ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?"
_PLAIN_TIME = rf"{_DAY}({_CLOCK}|[T ]\d{{2}}:\d{{2}})?"
_TIME_WITH_ZONE = rf"{_DAY}{_CLOCK}(Z|[+-]\d{{2}}(:?\d{{2}})?)"
_WHOLE = re.compile(r"0|-?[1-9][0-9]*")

# What DuckDB says of a time that it was to read, or says for us.
_NO_TIME = re.compile(r'(?:no time: |timestamp field value out of range: |invalid timestamp field format: )"(.*?)"')


def time_expression(column: str, example: str | None) -> str:
    """SQL that parses a column of text as timestamps; an example shows whether they have a zone."""
    with_zone = example is not None and re.fullmatch(_TIME_WITH_ZONE, example) is not None
    pattern, kind = (_TIME_WITH_ZONE, "TIMESTAMPTZ") if with_zone else (_PLAIN_TIME, "TIMESTAMP")
    value = name(column)
    return (
        f"CASE WHEN {value} IS NULL THEN NULL WHEN regexp_full_match({value}, {text(pattern)}) "
        f"THEN CAST({value} AS {kind}) ELSE error('no time: \"' || {value} || '\"') END"
    )


def to_microseconds(column: str, *, with_zone: bool) -> str:
    """SQL that truncates nanoseconds to microseconds; a cast would round, perhaps into the next period."""
    n = f"epoch_ns({name(column)})"
    time = f"make_timestamp(({n} - ({n} % 1000 + 1000) % 1000) // 1000)"
    return f"{time} AT TIME ZONE 'UTC'" if with_zone else time


def bad_time(said: str) -> str | None:
    """The text that DuckDB could not parse as a time, from its error; None if it has none."""
    match = _NO_TIME.search(said)
    return None if match is None else match[1]


def as_whole_numbers(keys: Sequence[object]) -> list[object]:
    """Text keys as whole numbers, if all of them are written as Python writes whole numbers."""
    if all(key is None or _WHOLE.fullmatch(str(key)) for key in keys):
        return [None if key is None else int(str(key)) for key in keys]
    return list(keys)


def from_json(value: object) -> object:
    """A label or a key of a JSON file, with its JSON type."""
    parsed = None if value is None else json.loads(str(value))
    if isinstance(parsed, list | dict):
        raise InputError(
            f"labels and keys must be numbers, text, true or false, got {cut(str(value))}; choose another column."
        )
    # JSON knows one kind of number: 1 and 1.0 are the same key.
    return int(parsed) if isinstance(parsed, float) and parsed.is_integer() else parsed
