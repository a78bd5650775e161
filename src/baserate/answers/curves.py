"""Makes curves of tables, files or given curves, by score and group."""

from collections.abc import Mapping, Sequence
from typing import Any

from baserate.arrays import Table
from baserate.curves.curve import Curve
from baserate.curves.pair import SameRows
from baserate.curves.point import Point
from baserate.errors import InputError
from baserate.ingest import tables
from baserate.results.words import key_text

Key = tuple[object, ...]

# What is asked about: a table, files, or curves.
Data = Table | Curve | Mapping[Any, Curve]

# The key of the curve of a whole table.
WHOLE: Key = ()

# The curve of each score and group; the name of a curve that came alone is empty.
CurvesByScore = dict[tuple[str, Key], Curve]


def curves_of(
    data: Data,
    *,
    label: str | None,
    score: str | Sequence[str] | None,
    by: str | Sequence[str],
    period: tuple[str, str] | None,
    tz: str | None,
    **reading: Any,
) -> CurvesByScore:
    """The given curves, or the curves of the named columns of a table."""
    columns_by = names_of(by, "by")
    columns = {"label": label, "score": score, "by": columns_by or None, "period": period, "tz": tz, **reading}
    if isinstance(data, Curve | Mapping):
        needless = next((name for name, given in columns.items() if given is not None), None)
        if needless is not None:
            raise InputError(f"{needless} is for tables and files, got curves; leave it out, or pass the table.")
        return {("", WHOLE): data} if isinstance(data, Curve) else _named(data)
    label, scores = _named_columns(data, label, score)
    options = {name: value for name, value in reading.items() if value is not None}
    return tables.curves_by_score(data, scores, columns_by, label=label, period=period, tz=tz, **options)


def curves_and_rows(
    table: Table, *, label: str | None, score: str | Sequence[str] | None, **reading: Any
) -> tuple[dict[str, Curve], SameRows | None]:
    """The curve of each score of a table, and the models with the scores of each row, if these were fetched."""
    label, scores = _named_columns(table, label, score)
    options = {name: value for name, value in reading.items() if value is not None}
    return tables.curves_and_rows(table, scores, label=label, **options)


def _named_columns(data: object, label: str | None, score: str | Sequence[str] | None) -> tuple[str, list[str]]:
    if isinstance(data, list | tuple) and any(isinstance(one, Curve) for one in data):
        raise InputError("several curves must have names, got a list of Curves; pass {'old': curve, 'new': other}.")
    if isinstance(data, Point):
        raise InputError("data must be a table, a path or curves, got a Point; pass the curve it was chosen on.")
    if label is None or score is None:
        tables.check_path(data)
        raise InputError(
            f"label and score must name columns of the table, got label={label!r} and score={score!r}; name both."
        )
    return label, names_of(score, "score")


def names_of(columns: object, part: str) -> list[str]:
    """A list of column names, from one name or several."""
    if isinstance(columns, str):
        return [columns]
    if isinstance(columns, list | tuple) and all(isinstance(name, str) for name in columns):
        return [*columns]
    raise InputError(f"{part} must be a column name or a list of them, got {type(columns).__name__}; pass the name.")


def _named(curves: Mapping[Any, object]) -> CurvesByScore:
    """Given curves by name; each is a model."""
    by_score: CurvesByScore = {}
    for name, one in curves.items():
        if not isinstance(one, Curve):
            raise InputError(
                f"data must be a table, a path, a Curve or Curves by name, got a {type(one).__name__} at {name!r}; "
                f"build one with br.Curve.from_scores(y_true, y_score)."
            )
        by_score[key_text(name), WHOLE] = one
    return by_score


def group_name(key: Key) -> str | None:
    """The name of a group; None for the whole table."""
    return " ".join("(none)" if part is None else str(part) for part in key) if key else None
