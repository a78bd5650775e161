"""Public functions: the curve of a table, and a curve for each group of rows."""

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace

from baserate import checks
from baserate.arrays import Table
from baserate.checks import Label
from baserate.curves.curve import Curve
from baserate.curves.pair import SameRows
from baserate.errors import DataFileError, InputError, UnlabelledWarning
from baserate.ingest import files, paths
from baserate.ingest.collecting import not_single
from baserate.ingest.files import Files, NotInParallel, Options
from baserate.ingest.groups import EACH_ROW, GroupedCounts, GroupReader
from baserate.ingest.labelling import Labelling, Missing, unsaid
from baserate.ingest.passes import gather
from baserate.ingest.periods import Period, period_from
from baserate.ingest.request import Columns, Request, request
from baserate.ingest.sampled_rows import OfGroup, sampled_groups
from baserate.results.sources import Source, SourceTable

TOLERANCE = 1e-4
MAX_SCORES = 4_000_000


@checks.declared
def curve(
    table: Table,
    *,
    label: str | None,
    score: str,
    weight: str | None = None,
    positive: Label | None = None,
    sampled: str | None = None,
    stratum: str | None = None,
    inclusion: str | None = None,
    missing: Missing | None = None,
    tolerance: float = TOLERANCE,
    max_scores: int = MAX_SCORES,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
) -> Curve:
    """The curve of a table of labels and scores, from a dataframe, an engine or files.

    The engine groups the rows and returns only counts, so the table may be far larger than memory. If a dataframe or a
    Parquet file has at most `max_scores` rows, the rows themselves are fetched, which is faster. If there are too many
    distinct scores, they are grouped into buckets, and `bounds` gives the error of a metric.

    Parameters
    ----------
    table : dataframe or path
        pandas, polars (eager or lazy), pyarrow, a DuckDB relation, Dask, PySpark (classic or Connect) or Ibis; or
        files: Parquet, CSV or JSON lines, compressed or not, as a path, a folder (``key=value`` folders in it are
        columns), a pattern such as ``"2026/*.csv.gz"``, or a list of these.
    label, score, weight : str
        Names of columns. Labels as in `Curve.from_scores`; a row with a label must have a score. With ``label=None``
        the table has no labels, every row must have a score, and all are counted as negatives: a curve for
        `estimate_prevalence`.
    positive : label, optional
        The positive label.
    sampled, stratum, inclusion : str, optional
        If rows were sampled for labelling, how: a rule such as "all >= 0.9, else 0.5 %", the column with the name of
        each row's stratum, or the column with its probability to be labelled; see `Curve.from_sampled`.
    missing : {"random", "later"}, optional
        Why other rows have no label; without it they are refused. "random": whatever their class and score, so that
        they may be left out. "later": labels are still to come; until then rows are left out, with a warning. Both are
        counted in ``curve.unlabelled``.
    tolerance : float
        Largest error allowed in average precision when scores are grouped, at the table's own prevalence and from 1e-6
        to 0.5. Parts of the table are read again until the error is small enough; if it stays larger, a warning states
        it. 0 keeps every score; if you give a `memory_limit`, scores of files must fit into it.
    max_scores : int
        The largest number of scores, or of buckets, to fetch; with at most that many rows the curve is exact.
    memory_limit : str, optional
        Memory limit for reading files, such as "2GB"; by default 512MB. Data beyond it go to a temporary folder. A
        limit that you give also bounds the scores that are fetched, at 250 bytes each, if `max_scores` allows more.
    delimiter, decimal : str, optional
        The format of CSV files: the delimiter, if the header is ambiguous, and the decimal sign, by default ".". The
        rules for CSV files are in the documentation of tables.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> table = pl.LazyFrame({"fraud": [0, 1, 0, 1, None], "p": [0.1, 0.4, 0.5, 0.8, 0.9]})
    >>> br.curve(table.drop_nulls(), label="fraud", score="p")
    Curve(2 pos, 2 neg, prevalence 1 in 2)
    """
    labelling = Labelling.said(sampled, stratum, inclusion, missing)
    columns = _columns(label, (score,), weight, labelling, positive=positive)
    options = Options.checked(memory_limit, delimiter, decimal)
    (only,) = _curves(table, columns, tolerance, max_scores, options).values()
    return only


@checks.declared
def curves_by(
    table: Table,
    *by: str,
    label: str | None,
    score: str,
    weight: str | None = None,
    positive: Label | None = None,
    sampled: str | None = None,
    stratum: str | None = None,
    inclusion: str | None = None,
    missing: Missing | None = None,
    period: tuple[str, str] | None = None,
    tz: str | None = None,
    tolerance: float = TOLERANCE,
    max_scores: int = MAX_SCORES,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
) -> dict[object, Curve]:
    """A curve for each group of rows, in one query: by segment, by month, or by both.

    Parameters
    ----------
    table : dataframe or path
        As for `curve`.
    *by : str
        Columns to group by. A missing value makes a group of its own, with the key None.
    label, score, weight, positive, sampled, stratum, inclusion, missing
        As for `curve`; each group has strata of its own.
    tolerance, max_scores, memory_limit, delimiter, decimal
        As for `curve`; `tolerance` holds for each group, `max_scores` for all of them together.
    period : (str, str), optional
        A column of timestamps or dates, and "day", "week", "month", "quarter" or "year".
    tz : str, optional
        Time zone used to split periods; required for timestamps with a zone, refused for others.

    Returns
    -------
    dict
        Curves by key, in order: one value for one key, a tuple for several, the period last and as text such as
        "2026-05", "2026-W18", "2026-Q2".

    Examples
    --------
    >>> import baserate as br, polars as pl, datetime as dt
    >>> table = pl.DataFrame(
    ...     {"y": [0, 1, 0, 1], "p": [0.1, 0.4, 0.5, 0.8], "day": [dt.date(2026, month, 3) for month in (4, 4, 5, 5)]}
    ... )
    >>> br.curves_by(table, label="y", score="p", period=("day", "month"))
    {'2026-04': Curve(1 pos, 1 neg, prevalence 1 in 2), '2026-05': Curve(1 pos, 1 neg, prevalence 1 in 2)}
    """
    labelling = Labelling.said(sampled, stratum, inclusion, missing)
    columns = _columns(label, (score,), weight, labelling, by=by, period=period_from(period, tz), positive=positive)
    if not by and period is None:
        raise InputError("curves_by needs a column or a period to group by, got none; use curve for all rows together.")
    options = Options.checked(memory_limit, delimiter, decimal)
    curves = _curves(table, columns, tolerance, max_scores, options)
    single = len(by) + (period is not None) == 1
    return {key[0] if single else key: of_group for (_, key), of_group in curves.items()}


CurvesByKey = dict[tuple[str, tuple[object, ...]], Curve]


def curves_by_score(
    table: Table,
    scores: Sequence[str],
    by: Sequence[str] = (),
    *,
    label: str | None,
    weight: str | None = None,
    positive: Label | None = None,
    sampled: str | None = None,
    stratum: str | None = None,
    inclusion: str | None = None,
    missing: Missing | None = None,
    period: tuple[str, str] | None = None,
    tz: str | None = None,
    tolerance: float = TOLERANCE,
    max_scores: int = MAX_SCORES,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
) -> CurvesByKey:
    """The curves of several scores by score and key, from one look at the table; `max_scores` holds for each score."""
    labelling = Labelling.said(sampled, stratum, inclusion, missing)
    different, time = tuple(dict.fromkeys(scores)), period_from(period, tz)
    columns = _columns(label, different, weight, labelling, by=tuple(by), period=time, positive=positive)
    options = Options.checked(memory_limit, delimiter, decimal)
    return _curves(table, columns, tolerance, max_scores, options)


def curves_and_rows(
    table: Table,
    scores: Sequence[str],
    *,
    label: str,
    weight: str | None = None,
    positive: Label | None = None,
    sampled: str | None = None,
    stratum: str | None = None,
    inclusion: str | None = None,
    missing: Missing | None = None,
    tolerance: float = TOLERANCE,
    max_scores: int = MAX_SCORES,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
) -> tuple[dict[str, Curve], SameRows | None]:
    """The curve of each score, and the models with the scores of each row, from one look at the table.

    There are no models if there is one score only, if rows have weights, or if there were too many rows to fetch.
    """
    labelling = Labelling.said(sampled, stratum, inclusion, missing)
    columns = _columns(label, tuple(dict.fromkeys(scores)), weight, labelling, positive=positive)
    rows: list[GroupedCounts] = []
    options = Options.checked(memory_limit, delimiter, decimal)
    by_key = _curves(table, columns, tolerance, max_scores, options, rows=rows)
    curves = {score: curve for (score, _), curve in by_key.items()}
    if len(curves) < 2 or weight is not None or not rows:
        return curves, None
    of_each = len(rows[0].low) // len(curves)  # the rows of each score, one below another
    positive_rows, by_score = rows[0].positive[:of_each], rows[0].low.reshape(len(curves), of_each)
    return curves, SameRows(tuple(curves.values()), tuple(curves), positive_rows, tuple(by_score))


def _columns(
    label: str | None,
    scores: tuple[str, ...],
    weight: str | None,
    labelling: Labelling,
    *,
    by: tuple[str, ...] = (),
    period: Period | None = None,
    positive: Label | None = None,
) -> Columns:
    """The columns by role; that of strata is the last to group by."""
    if label is None and positive is not None:
        raise InputError(
            f"positive needs a column of labels, got positive={positive!r} and label=None; name the column."
        )
    labelling.check_fits(label, scores, weight)
    strata = () if labelling.column is None else (labelling.column,)
    return Columns(label, scores, weight, (*by, *strata), period, positive, labelling)


def check_path(table: object) -> None:
    """Refuse a path with nothing to read, or with files of an unknown format; nothing is read yet."""
    if paths.is_path(table):
        paths.format_of(paths.found(table))


def _curves(
    table: Table,
    columns: Columns,
    tolerance: float,
    max_scores: int,
    options: Options,
    *,
    rows: list[GroupedCounts] | None = None,
) -> CurvesByKey:
    """The curve of each score and group; a list of `rows` gets the rows, if they are fetched one by one."""
    tolerance = checks.not_negative(tolerance, "tolerance")
    max_scores = checks.whole_number(max_scores, "max_scores") * len(columns.scores)
    if not paths.is_path(table):
        options.check_unused()
        return _answered(request(table, columns), tolerance, max_scores, rows=rows)
    try:
        curves = _of_files(table, columns, tolerance, max_scores, options, rows=rows)
    except NotInParallel as refused:
        one_by_one = options._replace(parallel=False)
        curves = _of_files(table, columns, tolerance, max_scores, one_by_one, rows=rows)
        # DuckDB by itself then leaves out a last row that it cannot read.
        if _n_rows(curves) != files.n_records(table, options):
            raise DataFileError(str(refused)) from refused
    if not any(len(curve) or curve.unlabelled for curve in curves.values()):
        named = str(table) if isinstance(table, str | os.PathLike) else table
        raise DataFileError(f"the file {named!r} has no rows; check how it was written.")
    return curves


def _of_files(
    table: object,
    columns: Columns,
    tolerance: float,
    max_scores: int,
    options: Options,
    *,
    rows: list[GroupedCounts] | None,
) -> CurvesByKey:
    with files.opened(table, columns, options) as opened:
        asked = request(
            opened.table,
            columns,
            collect=opened.collect,
            text=opened.text,
            length=opened.length,
            limits=opened.limits,
        )
        if options.memory_limit is not None:
            max_scores = min(max_scores, opened.most_scores)
        if tolerance == 0:
            opened.check_room(asked, max_scores)
        return _answered(asked, tolerance, max_scores, opened, rows)


def _n_rows(curves: CurvesByKey) -> int:
    """How many rows were read."""
    score = next(iter(curves))[0] if curves else None  # each row is in the groups of every score
    sources = (curve.source for (one, _), curve in curves.items() if one == score)
    return sum(source.labelled + source.unlabelled for source in sources if source)


def _answered(
    asked: Request,
    tolerance: float,
    max_scores: int,
    opened: Files | None = None,
    rows: list[GroupedCounts] | None = None,
) -> CurvesByKey:
    labelling = asked.columns.labelling
    if labelling.sampled:
        groups = sampled_groups(asked, tolerance, max_scores)
    else:
        groups = _labelled_groups(asked, tolerance, max_scores, rows)
    # Each row is in the groups of every score.
    sizes = [(one.labelled, one.unlabelled) for one in groups if one.score == asked.columns.scores[0]]
    labelled, unlabelled = (sum(column) for column in zip(*sizes, strict=True)) if sizes else (0, 0)
    if unlabelled and not labelling.sampled:
        if labelling.missing is None:
            raise unsaid(unlabelled, labelled + unlabelled)
        if labelling.missing == "later":
            warnings.warn(UnlabelledWarning(unlabelled), stacklevel=4 if opened is None else 5)
    if opened is not None:
        source = SourceTable(opened.files, opened.format, labelled + unlabelled)
        groups = [_with_source(one, source) for one in groups]
    try:
        groups.sort(key=lambda one: (asked.columns.scores.index(one.score), [_sortable(part) for part in one.key]))
    except TypeError:
        raise not_single(part for one in groups for part in one.key) from None
    return {(one.score, one.key): one.curve for one in groups}


def _labelled_groups(
    asked: Request, tolerance: float, max_scores: int, rows: list[GroupedCounts] | None
) -> list[OfGroup]:
    """The curve of the labelled rows of each score and group."""
    reader = GroupReader(asked)
    curves = gather(reader, tolerance, max_scores)
    if rows is not None:
        rows[:] = _each_row(reader, max_scores)
    scores = [asked.columns.scores[int(place)] for place, *_ in reader.groups]
    keys = asked.named([key for _, *key in reader.groups])
    labelled, unlabelled = reader.labelled.astype(int).tolist(), reader.unlabelled.astype(int).tolist()
    return [OfGroup(*one) for one in zip(scores, keys, curves, labelled, unlabelled, strict=True)]


def _each_row(reader: GroupReader, max_scores: int) -> list[GroupedCounts]:
    """The rows one by one, if there are no more than may be fetched."""
    if reader.each_row is None and not reader.weighted and int(reader.labelled.sum()) <= max_scores:
        reader.read(EACH_ROW)
    return [] if reader.each_row is None else [reader.each_row]


def _with_source(group: OfGroup, table: SourceTable) -> OfGroup:
    source = Source((table,), group.labelled, group.unlabelled)
    return group._replace(curve=replace(group.curve, source=source))


def _sortable(part: object) -> tuple[bool, str, object]:
    """A sort key: values of one type in order, None last."""
    kind = "number" if isinstance(part, int | float) else type(part).__name__
    return part is None, kind, 0 if part is None else part
