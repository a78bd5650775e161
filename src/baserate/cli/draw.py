"""``baserate plan --draw``: which rows of a file to label, and the file with their labels."""

import csv
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from baserate.arrays import FloatArray
from baserate.cli.arguments import check_outputs, curves_of
from baserate.cli.notes import note
from baserate.cli.output import say
from baserate.cli.prevalences import prevalence_from
from baserate.curves.curve import Curve
from baserate.design import draw_rows, labelling
from baserate.design.drawing import check_positions, clauses_of, rule_of
from baserate.errors import DataFileError, InputError
from baserate.metrics.by_name import metric_from

# Columns that a file of rows to label has besides those of the file that they were drawn from.
_ADDED = ("position", "stratum", "inclusion", "drawn_label")


class _Rows(NamedTuple):
    """The header and the rows of a CSV file."""

    names: list[str]
    rows: list[list[str]]

    def column(self, name: str) -> list[str]:
        """One column by its name."""
        if name not in self.names:
            raise InputError(f"column {name!r} must be in the file, got {', '.join(self.names[:10])}; check the name.")
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def numbers(self, name: str) -> FloatArray:
        """One column of numbers."""
        texts = self.column(name)
        try:
            return np.array(texts, np.float64)
        except ValueError:
            wrong = next(text for text in texts if not _is_number(text))
            raise InputError(f"column {name!r} must hold numbers, got {wrong!r}; check the file.") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read(path: str, delimiter: str | None) -> _Rows:
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file, delimiter=delimiter or ","))
    except FileNotFoundError:
        raise DataFileError(f"file not found: {path!r}; check the path.") from None
    except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
        raise DataFileError(
            f"rows to label are drawn from a CSV file, got {path!r}: {error}; write it as CSV."
        ) from None
    names, *rows = rows or [[]]
    short = next((k for k, row in enumerate(rows, 2) if len(row) != len(names)), None)
    if short is not None:
        raise DataFileError(
            f"every line must have {len(names)} values, got another number in line {short} of {path!r}."
        )
    return _Rows(names, rows)


def _keep_labels(output: str, *, of: Sequence[str] = ()) -> None:
    """Refuse to write over labels of people, however the file is written; `of` are other columns that it has."""
    if not Path(output).is_file():
        return
    text = Path(output).read_text(encoding="utf-8-sig", errors="replace")
    for delimiter in ",;\t":
        try:
            names, *rows = [*csv.reader(text.splitlines(), delimiter=delimiter)] or [[]]
        except csv.Error:  # another kind of file
            continue
        if not {"drawn_label", *of} <= {*names}:
            continue
        place = names.index("drawn_label")
        n_labels = sum(any(row[place : place + 1]) for row in rows)
        if n_labels:
            raise InputError(
                f"output {output!r} would overwrite {n_labels:,} labels in its column drawn_label; name another file."
            )


def _write(path: str, names: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def draw(path: str, wanted: int, output: str | None, asked: dict[str, Any]) -> None:
    """Draw rows of a file, and write them with the columns that say how they were drawn."""
    if output is None:
        raise click.UsageError("Missing option '--output'.")
    check_outputs([output], [one for one in (path, asked["known"], asked["like"]) if one])
    _keep_labels(output)
    table = _read(path, asked["delimiter"])
    taken = [name for name in _ADDED if name in table.names]
    if taken:
        raise InputError(f"columns {', '.join(_ADDED)} are added to the file, got a file with {taken[0]!r}; rename it.")
    score = table.numbers(_only_score(asked))
    label, rule = (None, None) if asked["known"] is None else _known(asked["known"], table, asked)
    plan = labelling(
        score,
        _example(asked),
        metric=metric_from(asked["metric"]),
        threshold=asked["threshold"],
        budget=wanted,
        prevalence=None if asked["prevalence"] is None else prevalence_from(asked["prevalence"]),
        label=label,
        rule=rule,
        simulations=0,
    )
    if asked["threshold"] is not None and asked["threshold"] > score.max():
        note(f"no row has a score of {asked['threshold']:.6g} or above; the highest is {score.max():.6g}.")
    drawn = draw_rows(plan, score, label=label, rng=asked["seed"]).position.tolist()
    clause, share = clauses_of(plan, score)
    known = {} if label is None else {int(k): int(label[k]) for k in np.flatnonzero(~np.isnan(label))}
    lines = [[k, *table.rows[k], clause[k], f"{share[k]:.10g}", known.get(k, "")] for k in [*known, *drawn]]
    _write(output, [_ADDED[0], *table.names, *_ADDED[1:]], lines)
    say(*str(plan).split("\n"), f"rule: {plan.rule}")


def _only_score(asked: dict[str, Any]) -> str:
    if len(asked["score"]) != 1:
        raise click.UsageError("--draw needs one --score.")
    name: str = asked["score"][0]
    return name


def _example(asked: dict[str, Any]) -> Curve | None:
    """The earlier curve, if there is one."""
    if asked["like"] is None:
        return None
    data = {name: asked[name] for name in ("label", "positive", "delimiter", "decimal")}
    nothing: dict[str, Any] = {"weight": None, "by": (), "period": None, "tz": None, "tolerance": None}
    (curve,) = curves_of((asked["like"],), scores=asked["score"], **data, **nothing).values()
    return curve


def _known(path: str, table: _Rows, asked: dict[str, Any]) -> tuple[FloatArray, str]:
    """Labels of a file that was drawn and filled in, for each row, and the rule by which it was drawn."""
    filled = _read(path, None)
    places, texts = filled.numbers("position").astype(np.intp), filled.column("drawn_label")
    n_rows = len(table.rows)
    if len(places) and not 0 <= places.min() <= places.max() < n_rows:
        raise InputError(
            f"position must be below the number of rows, {n_rows:,}, got {places.max():,}; pass the file drawn from."
        )
    check_positions(places)
    _check_copies(filled, table, places.tolist())
    _note_rows(filled, n_rows)
    if not any(texts):
        raise InputError(f"drawn_label must have labels, got an empty column in {path!r}; fill it in first.")
    positive = asked["positive"] or "1"
    others = sorted({text for text in texts if text} - {positive})
    if len(others) > 1:
        raise InputError(
            f"drawn_label must hold two classes, got {', '.join(others[:3])} besides {positive!r}; name the positive "
            f"one with --positive, and leave rows without a label empty."
        )
    label = np.full(n_rows, np.nan)
    label[places] = [np.nan if not text else float(text == positive) for text in texts]
    return label, rule_of(filled.column("stratum"))


def _check_copies(filled: _Rows, table: _Rows, places: Sequence[int]) -> None:
    """Refuse labels of other rows: what the drawn rows have of the file must be what it has at their positions."""
    for name in table.names:
        if name in filled.names:
            column = table.column(name)
            for place, copied in zip(places, filled.column(name), strict=True):
                if not _is_same(copied, column[place]):
                    raise InputError(
                        f"labels must be of rows of the file, got {name} {copied!r} at position {place:,}, where the "
                        f"file has {column[place]!r}; pass the file as it was drawn from, or, if only this column "
                        f"changed, remove it from the labels."
                    )


def _note_rows(filled: _Rows, n_rows: int) -> None:
    """Say if drawn rows stand for more or fewer rows than the file has: each for one over its inclusion."""
    if "inclusion" not in filled.names:
        return
    share = filled.numbers("inclusion")
    standing = float((1 / share[share > 0]).sum())
    if not math.isclose(standing, n_rows, rel_tol=1e-5, abs_tol=0.5):
        note(
            f"the drawn rows stand for {standing:,.0f} rows, and the file has {n_rows:,}: rows were added to the file "
            f"or removed, or drawn ones are missing. Rows that were added had no chance of a label."
        )


def _is_same(copied: str, text: str) -> bool:
    """Whether two cells are the same; spreadsheets round numbers, and write true in capitals."""
    if copied.strip().casefold() == text.strip().casefold():
        return True
    return _is_number(copied) and _is_number(text) and math.isclose(float(copied), float(text), rel_tol=1e-6)


def fill(path: str, output: str | None, asked: dict[str, Any]) -> None:
    """Write the file with a column of the labels of drawn rows, empty elsewhere, and say the rule."""
    if output is None:
        raise click.UsageError("Missing option '--output'.")
    check_outputs([output], [path, asked["known"]])
    _keep_labels(output, of=["position"])
    table = _read(path, asked["delimiter"])
    if "drawn_label" in table.names:
        raise InputError("column drawn_label is added to the file, got a file with 'drawn_label'; rename it.")
    label, rule = _known(asked["known"], table, asked)
    texts = ["" if np.isnan(one) else str(int(one)) for one in label]
    _write(output, [*table.names, "drawn_label"], [[*row, text] for row, text in zip(table.rows, texts, strict=True)])
    say(f"{int((~np.isnan(label)).sum()):,} of {len(label):,} rows labelled in {os.fspath(output)}", f"rule: {rule}")
