"""`report`: models, a table, files or a store as one page that shows itself, and is saved with one call."""

import html
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from baserate import checks
from baserate.answers.curves import Key, curves_and_rows, curves_of, names_of
from baserate.arrays import Prevalence, Table
from baserate.checks import Label
from baserate.curves.curve import Curve
from baserate.curves.pair import Models, Pair, SameRows
from baserate.curves.saving import check_output, write_whole
from baserate.errors import InputError, printable
from baserate.ingest.labelling import Missing
from baserate.monitoring.store import CurveStore
from baserate.page.content import Content, content, verdict
from baserate.page.multiples import OverTime
from baserate.page.page import page
from baserate.page.small import Groups
from baserate.page.tables import tables
from baserate.results.base import Row

# Of the frame in a notebook.
_HEIGHT = 720

_TITLE = "What the classifier will do"

# Tables of slices or periods: by heading, by model, by key.
GroupTables = Mapping[str, Mapping[str, Groups]]

# What a page can be about.
Reported = Table | Curve | Models | Pair | CurveStore | Mapping[str, Curve]


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A page about models, as returned by `report`.

    In a notebook it shows itself, in a frame that can reach nothing outside. The page is one HTML text without network
    access, with curves and no rows.

    Attributes
    ----------
    verdict : str
        What the page says first, a sentence per line.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> models = br.Models.from_scores(data["fraud"], {"old": data["old_model"], "new": data["new_model"]})
    >>> found = br.report(models, prevalence="1 in 1,000", quick=True)
    >>> print(found.verdict[:70])
    At a prevalence of 1 in 1,000, new leads old (more than 99 % sure): av
    >>> [row["model"] for row in found.tables()["models"]]
    ['old', 'new']
    """

    verdict: str
    _content: Content = field(compare=False)

    @cached_property
    def html(self) -> str:
        """The page as text."""
        return page(self._content)

    @checks.declared
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; an existing one is replaced as a whole."""
        check_output(path)
        # The name of a file may contain bytes that are no valid text.
        write_whole(path, self.html.encode("utf-8", "replace"))

    def tables(self) -> dict[str, list[Row]]:
        """The numbers of the page at the prevalences asked for, as lists of dicts, by the name of the table.

        "models" has the metrics of each model, "leads" who leads at which prevalence, "crossings" where two models
        swap places; each heading of slices or periods has a table of its own, and "changes" has the change of each
        period in its parts. ``pd.DataFrame(report.tables()["models"])`` makes a dataframe of one.
        """
        return tables(self._content)

    @property
    def models(self) -> dict[str, Curve]:
        """The curve of each model by name."""
        return {one.name: one.curve for one in self._content.models}

    @property
    def revealing(self) -> tuple[str, ...]:
        """Sentences about groups so small that the scores of single rows can be inferred from the page."""
        return self._content.revealing

    def __str__(self) -> str:
        return "\n".join(map(printable, self.verdict.split("\n")))

    def __repr__(self) -> str:
        return printable(f"Report({self._content.title!r}, {', '.join(one.name for one in self._content.models)})")

    def _repr_html_(self) -> str:
        """The page in a frame; it may run its own script, and has no access to the notebook."""
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'title="{html.escape(self._content.title)}" loading="lazy" '
            f'style="width:100%;height:{_HEIGHT}px;border:1px solid #8884;border-radius:4px"></iframe>'
        )


@checks.declared
def report(
    data: Reported,
    *,
    label: str | None = None,
    score: str | Sequence[str] | None = None,
    prevalence: Prevalence | Sequence[Prevalence] = (),
    by: str | Sequence[str] = (),
    period: tuple[str, str] | None = None,
    tz: str | None = None,
    groups: GroupTables | None = None,
    weight: str | None = None,
    positive: Label | None = None,
    sampled: str | None = None,
    stratum: str | None = None,
    inclusion: str | None = None,
    missing: Missing | None = None,
    tolerance: float | None = None,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    title: str | None = None,
    n_resamples: int = 2000,
    quick: bool = False,
    min_cases: int | None = None,
) -> Report:
    """Make an interactive page about one or more models.

    It is one HTML text of some hundred kilobytes, whatever the number of rows: it has curves, no rows, and loads
    nothing from the network. Its prevalence slider redraws everything, with the numbers of the library.

    Parameters
    ----------
    data : dataframe, path, Models, Pair, Curve, mapping of str to Curve, or CurveStore
        A table or files as for `curve`; models on the same rows; curves by the name of the model; or the history that
        `baserate monitor` stores. If the rows are known, models are compared on them, in pairs; curves alone are
        compared by their own intervals, which overlap more often than models are alike.
    label, score : str
        Columns of a table; several scores in a list.
    prevalence : float or str, or a sequence of them
        The prevalences of interest; the page opens at the first, or at that of the data.
    by : str, or a list of str
        Columns of a table; each one gets a section with its slices.
    period : (str, str), optional
        A column of times and the length of a period, as for `curves_by`. Periods are judged by
        `monitoring.judge_periods`: whether a model has changed, or only the prevalence has moved.
    tz, weight, positive, sampled, stratum, inclusion, missing, tolerance, memory_limit, delimiter, decimal
        As for `curve` and `curves_by`.
    groups : mapping, optional
        Slices or periods of curves: for each heading, for each model, the curves by key as `curves_by` returns them.
    title : str, optional
        The heading of the page.
    n_resamples : int
        Populations to draw for intervals of areas; at most 500 for pairs, and 200 for slices and periods.
    quick : bool
        Draw a tenth as many, in seconds; the page says so.
    min_cases : int, optional
        Slices and periods with fewer positives, or fewer negatives, are merged into "other". The page names groups so
        small that the scores of single rows can be inferred.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> table = pl.DataFrame(br.examples.payments())
    >>> page = br.report(table, label="fraud", score=["old_model", "new_model"], prevalence=0.001, quick=True)
    >>> page
    Report('What the classifier will do', old_model, new_model)
    >>> len(page.html) < 500_000
    True
    """
    wanted = [checks.prevalence(one) for one in _several(prevalence)]
    draws = checks.repeats(n_resamples, "n_resamples")
    least = None if min_cases is None else checks.whole_number(min_cases, "min_cases")
    columns: dict[str, Any] = {"label": label, "score": score, "weight": weight, "positive": positive}
    columns |= {"sampled": sampled, "stratum": stratum, "inclusion": inclusion, "missing": missing}
    columns |= {"tolerance": tolerance, "memory_limit": memory_limit, "delimiter": delimiter, "decimal": decimal}
    times: dict[str, Any] = {"period": period, "tz": tz}
    if tz is not None and period is None:
        raise InputError(f"tz needs a period to split, got tz={tz!r} alone; leave it out, or pass period=.")
    if isinstance(data, Curve | Models | Pair | CurveStore | Mapping):
        _check_needless(columns | times | {"by": by or None})
        found = _of_curves(data)
    else:
        if groups is not None:
            raise InputError("groups is for curves, got a table; name its columns by by= and period=.")
        found = _of_table(data, names_of(by, "by"), times, columns)
    made = content(
        title or _TITLE,
        found.models,
        wanted,
        found.groups if groups is None else groups,
        rows=found.rows,
        over_time=found.over_time,
        n_resamples=draws,
        min_cases=least,
        quick=quick,
    )
    return Report("\n".join(verdict(made)), made)


@checks.declared
def write_report(path: str | os.PathLike[str], data: Reported, **options: Any) -> None:
    """Make a page and write it to a file: ``report(data, …).save(path)`` in one line.

    Parameters
    ----------
    path : path
        The file to write.
    data, **options
        As for `report`.

    Examples
    --------
    >>> import baserate as br, pathlib, tempfile
    >>> data = br.examples.payments()
    >>> models = {name: br.Curve.from_scores(data["fraud"], data[name]) for name in ("old_model", "new_model")}
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "page.html"
    >>> br.write_report(path, models, prevalence=["1 in 1,000"], quick=True)
    >>> path.stat().st_size < 500_000
    True
    """
    check_output(path)  # before any work is done
    report(data, **options).save(path)


@dataclass(frozen=True)
class _Subject:
    """What a page is about."""

    models: dict[str, Curve]
    rows: SameRows | None = None
    groups: GroupTables = field(default_factory=dict)
    over_time: Mapping[str, OverTime] = field(default_factory=dict)  # slices by period


def _several(prevalence: object) -> list[object]:
    return list(prevalence) if isinstance(prevalence, Iterable) and not isinstance(prevalence, str) else [prevalence]


def _check_needless(columns: Mapping[str, object]) -> None:
    needless = next((name for name, given in columns.items() if given is not None), None)
    if needless is not None:
        raise InputError(f"{needless} is for tables and files, got curves; leave it out, or pass the table.")


def _of_curves(data: Curve | Models | Pair | CurveStore | Mapping[str, Curve]) -> _Subject:
    if isinstance(data, Curve):
        return _Subject({"model": data})
    if isinstance(data, SameRows):
        rows = None if data.curves[0].sampled else data
        return _Subject(dict(zip(data.names, data.curves, strict=True)), rows)
    if isinstance(data, CurveStore):
        return _of_store(data)
    named = curves_of(data, label=None, score=None, by=(), period=None, tz=None)
    return _Subject({name: curve for (name, _), curve in named.items()})


def _of_store(store: CurveStore) -> _Subject:
    """The models of a store, pooled over their periods, with the periods and the slices of each, and of these."""
    whole: dict[str, dict[str, Curve]] = {}
    slices: dict[str, dict[str, dict[object, dict[str, Curve]]]] = {}
    keys = store.keys()
    for model, part in dict.fromkeys((key.model, key.slice) for key in keys):
        curves = store.curves(model=model, slice=part)
        if part is None:
            whole[model] = curves
        else:
            column, _, value = part.rpartition("=")
            slices.setdefault(column or "slice", {}).setdefault(model, {})[value] = curves
    if not whole:
        raise InputError(f"a store must have curves of all rows, got {str(store.path)!r} without; add some first.")
    models = {name: Curve.pool(curves.values()) for name, curves in whole.items()}
    groups: dict[str, Mapping[str, Groups]] = {"period": whole}
    over_time = {
        column: {name: parts for name, parts in by_model.items() if name in models}
        for column, by_model in slices.items()
    }
    for column, by_part in over_time.items():
        groups[column] = {
            name: {value: Curve.pool(curves.values()) for value, curves in parts.items()}
            for name, parts in by_part.items()
        }
    return _Subject(models, None, groups, over_time)


def _of_table(table: Table, keys: list[str], times: dict[str, Any], columns: dict[str, Any]) -> _Subject:
    models, rows = curves_and_rows(table, **columns)
    groups = {key: _by_model(curves_of(table, by=(key,), period=None, tz=None, **columns)) for key in keys}
    if times["period"] is not None:
        groups[times["period"][1]] = _by_model(curves_of(table, by=(), **times, **columns))
    return _Subject(models, rows, groups)


def _by_model(curves: Mapping[tuple[str, Key], Curve]) -> dict[str, dict[object, Curve]]:
    by_model: dict[str, dict[object, Curve]] = {}
    for (score, (key,)), curve in curves.items():
        by_model.setdefault(score, {})[key] = curve
    return by_model


def title_of(files: Sequence[str]) -> str:
    """The heading of a page about files."""
    names = [Path(name).name or str(name) for name in files]
    return ", ".join(names[:3]) + ", …" * (len(names) > 3)
