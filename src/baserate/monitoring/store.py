"""The past of models in one file: a compact curve for each model, period and slice."""

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import numpy as np

from baserate import checks
from baserate.arrays import Array
from baserate.curves.compact import compact, edges_of, fits
from baserate.curves.curve import Curve
from baserate.curves.files import write_new, write_whole
from baserate.curves.packing import decode, fingerprint
from baserate.errors import CurveFileError, InputError
from baserate.monitoring import store_file
from baserate.monitoring.store_rows import Key, Row, Rows, edges_of_model, key_of, place_of, row_of, row_of_curve
from baserate.results.base import Cell, Result, Said

Status = Literal["added", "unchanged", "replaced"]


@dataclass(frozen=True, eq=False)
class Receipt(Result):
    """What `CurveStore.append` did; when it is there, the curve is on the disk.

    Attributes
    ----------
    key : Key
        Model, period and slice.
    status : str
        "added", "unchanged" (the same rows were there already) or "replaced".
    n_bytes : int
        What the curve takes.
    exact : bool
        Whether every score is still told apart.
    width : float
        How far apart the certain bounds of average precision are, at most: at the curve's own prevalence and from
        1e-6 to 0.5.

    Examples
    --------
    >>> import baserate as br, numpy as np, tempfile, pathlib
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(100_000) < 0.01
    >>> curve = br.Curve.from_scores(y, rng.normal(size=100_000) + 2 * y)
    >>> with br.monitoring.CurveStore(pathlib.Path(tempfile.mkdtemp()) / "monitor.db") as store:
    ...     receipt = store.append(curve, model="fraud-3", period="2026-05")
    >>> receipt.n_bytes <= 4096, receipt.width < 0.01
    (True, True)
    """

    key: Key
    status: Status
    n_bytes: int
    exact: bool
    width: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", key_of(self.key))  # from JSON it comes as a plain tuple

    def _rows(self) -> list[dict[str, Cell]]:
        (row,) = super()._rows()
        return [self.key._asdict() | {name: value for name, value in row.items() if name != "key"}]

    def _said(self) -> Said:
        known = "exact" if self.exact else f"average precision certain within {self.width:.2g}"
        return Said(f"{self.key}: {self.status}, {self.n_bytes:,} bytes, {known}")


class CurveStore:
    """A file that keeps a compact curve for each model, period and slice.

    Each curve takes at most 4 KiB, whatever it was counted from: thresholds that are kept have exact counts, and
    `bounds` says how well a metric is known. Curves of one model can be pooled. What is appended is there when the
    call returns, and stays if the program or the machine ends right after. ``docs/promises.md`` has all promises.

    The file is an SQLite database: the library comes with Python, its transactions are quick and safe from several
    processes at once, and any tool can look inside. Its journal is beside the file for as long as a transaction takes.
    A store is used by the thread that opened it; every thread and every process may open its own.

    Parameters
    ----------
    path : path
        The file; it is made if it is not there.
    timeout : float
        Seconds to wait for others that are writing.
    read_only : bool
        Look only; then the file must be there.

    Examples
    --------
    >>> import baserate as br, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "monitor.db"
    >>> may = br.Curve.from_counts([0.2, 0.9], pos=[10, 40], neg=[900, 50])
    >>> with br.monitoring.CurveStore(path) as store:
    ...     print(store.append(may, model="fraud-3", period="2026-05"))
    ...     print(store.append(may, model="fraud-3", period="2026-05"))
    ...     store.curve(model="fraud-3", period="2026-05") == may
    fraud-3, 2026-05: added, 25 bytes, exact
    fraud-3, 2026-05: unchanged, 25 bytes, exact
    True
    """

    @checks.declared
    def __init__(self, path: str | os.PathLike[str], *, timeout: float = 30.0, read_only: bool = False) -> None:
        self.path = Path(path)
        self.timeout = checks.not_negative(timeout, "timeout")
        self.read_only = read_only
        self._open: sqlite3.Connection | None = store_file.opened(self.path, self.timeout, read_only)
        self._opened_by = _here()

    # --- writing ----------------------------------------------------------------------------------

    @checks.declared
    def append(
        self, curve: Curve, *, model: str, period: str, slice: str | None = None, replace: bool = False
    ) -> Receipt:
        """Keep a curve; doing it again changes nothing, and other rows under the same key are refused.

        Parameters
        ----------
        curve : Curve
            Counted from scores; weights are kept, with their squares.
        model, period : str
            What it is of. Periods are put in the order of their names, so names such as "2026-05", "2026-W18" do well.
        slice : str, optional
            Which part of the rows; all if not given.
        replace : bool
            Whether a curve of other rows under this key may be overwritten.

        Returns
        -------
        Receipt
            With what was done, bytes, and how well average precision is known. It comes when the curve is on the disk.

        Examples
        --------
        >>> import baserate as br, tempfile, pathlib
        >>> store = br.monitoring.CurveStore(pathlib.Path(tempfile.mkdtemp()) / "monitor.db")
        >>> receipt = store.append(br.Curve.from_scores([0, 1], [0.1, 0.4]), model="m", period="2026-05", slice="web")
        >>> receipt.status, receipt.width
        ('added', 0.0)
        >>> store.close()
        """
        return self.append_many({Key(model, period, slice): curve}, replace=replace)[0]

    @checks.declared
    def append_many(
        self,
        curves: "Mapping[Key, Curve] | Mapping[tuple[str, str, str | None], Curve]",
        *,
        replace: bool = False,
    ) -> list[Receipt]:
        """Keep several curves, by (model, period, slice), together or not at all."""
        wanted = {key_of(key): curve for key, curve in curves.items()}
        prints = {key: fingerprint(curve) for key, curve in wanted.items()}
        models = dict.fromkeys(key.model for key in wanted)
        # The work is done before anybody has to wait for it. It is done again, while they wait, only if another writer
        # has given a model its edges in the meantime: what is decided is decided by what is there when it is written.
        with self._reading() as rows:
            making = _Making(rows, models)
            new = [key for key in wanted if (row := rows.one(place_of(key))) is None or row.digest != prints[key]]
        for key in new:
            making.small(key, wanted[key])
        with self._writing() as rows:
            now = _Making(rows, models)
            making = making if making.began_as(now) else now
            done = []
            for key, curve in wanted.items():
                there = rows.one(place_of(key))
                if there is None or there.digest != prints[key]:
                    row = row_of_curve(place_of(key), making.small(key, curve), digest=prints[key])
                    done.append(self._put(rows, row, there, replace))
                else:
                    done.append(_receipt("unchanged", there))
            for model in making.new:
                rows.put(row_of(edges_of_model(model), making.edges[model].astype("<f8").tobytes()))
        return done

    def _put(self, rows: Rows, row: Row, there: Row | None, replace: bool) -> Receipt:
        """Write a row where another may be."""
        if there is not None and there.content == row.content:
            return _receipt("unchanged", there)
        if there is not None and not replace:
            raise InputError(
                f"a curve is kept once, got other rows for {row.key} than those in {str(self.path)!r}; pass "
                f"replace=True if these are to count from now on."
            )
        rows.put(row)
        return _receipt("added" if there is None else "replaced", row)

    @checks.declared
    def delete(self, keys: "Iterable[Key] | Iterable[tuple[str, str, str | None]]") -> list[Key]:
        """Take curves out, by (model, period, slice), all of them or none; the bytes they took are overwritten.

        Rows of a deleted slice still count in the curves of all rows.

        Examples
        --------
        >>> import baserate as br, tempfile, pathlib
        >>> store = br.monitoring.CurveStore(pathlib.Path(tempfile.mkdtemp()) / "monitor.db")
        >>> curve = br.Curve.from_scores([0, 1], [0.1, 0.4])
        >>> for part in (None, "customer=acme", "customer=emca"):
        ...     receipt = store.append(curve, model="m", period="2026-05", slice=part)
        >>> gone = store.delete(key for key in store.keys() if key.slice == "customer=acme")
        >>> [str(key) for key in store.keys()]
        ['m, 2026-05', 'm, 2026-05, customer=emca']
        >>> store.close()
        """
        wanted = list(dict.fromkeys(key_of(key) for key in keys))
        with self._writing() as rows:
            for key in wanted:
                if rows.one(place_of(key), content=False) is None:
                    raise _not_kept(key)
            rows.drop_curves(wanted)
        return wanted

    @checks.declared
    def prune(self, *, keep: int, first: int = 0, model: str | None = None, dry_run: bool = False) -> list[Key]:
        """Take out all but the last periods of each model, and say which curves that were.

        Parameters
        ----------
        keep : int
            How many of the last periods stay, whatever their slices.
        first : int
            How many of the first ones stay too, such as those that `baserate monitor` compares with.
        model : str, optional
            Which model; all if not given.
        dry_run : bool
            Only say which curves they are.

        Examples
        --------
        >>> import baserate as br, tempfile, pathlib
        >>> store = br.monitoring.CurveStore(pathlib.Path(tempfile.mkdtemp()) / "monitor.db")
        >>> for month in ("2026-01", "2026-02", "2026-03", "2026-04"):
        ...     receipt = store.append(br.Curve.from_scores([0, 1], [0.1, 0.4]), model="m", period=month)
        >>> [str(key) for key in store.prune(keep=2, first=1)]
        ['m, 2026-02']
        >>> store.close()
        """
        keep = checks.whole_number(keep, "keep")
        first = int(checks.counts([first], "first")[0])
        with self._reading() if dry_run else self._writing() as rows:
            gone = rows.past(keep, first, model)
            if not dry_run:
                rows.drop_curves(gone)
        return gone

    # --- reading ----------------------------------------------------------------------------------

    @checks.declared
    def curve(self, *, model: str, period: str, slice: str | None = None) -> Curve:
        """The curve that is kept under a key."""
        key = key_of((model, period, slice))
        with self._reading() as rows:
            row = rows.one(place_of(key))
        if row is None:
            raise _not_kept(key)
        return self._decoded(row)

    @checks.declared
    def curves(self, *, model: str, slice: str | None = None, last: int | None = None) -> dict[str, Curve]:
        """The curves of a model by period, in order: all, or the `last` ones."""
        key_of((model, "any", slice))
        wanted = None if last is None else checks.whole_number(last, "last")
        with self._reading() as rows:
            found = rows.series(model, slice or "", last=wanted)
        return {row.period: self._decoded(row) for row in found}

    @checks.declared
    def keys(self, *, model: str | None = None) -> list[Key]:
        """What is kept, in order: of one model, or of all."""
        with self._reading() as rows:
            return [row.key for row in rows.curves(model, content=False)]

    @checks.declared
    def history(self, *, model: str, slice: str | None = None) -> dict[str, Array]:
        """A table of what is known without looking at curves: a column for each of the facts, periods in order.

        The columns are period, n_pos, n_neg, n_bytes, width, and source: which files the rows came from when they were
        first kept, as ``str(curve.source)`` says it; empty if they came from elsewhere.
        """
        key_of((model, "any", slice))
        with self._reading() as rows:
            found = rows.series(model, slice or "", content=False)
        kinds = {"n_pos": np.float64, "n_neg": np.float64, "n_bytes": np.int64, "width": np.float64}
        names = ("period", *kinds, "source")
        return {name: np.array([getattr(row, name) for row in found], kinds.get(name, np.str_)) for name in names}

    def __len__(self) -> int:
        return len(self.keys())

    def verify(self) -> None:
        """Look at every page and every curve; say in a sentence if one is damaged."""
        with self._reading() as rows:
            self._verify(rows)

    def _verify(self, rows: Rows) -> None:
        store_file.check_pages(rows.connection, self.path)
        for row in rows.curves():
            self._decoded(row)

    @checks.declared
    def backup(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Copy the store as it is at one moment, whoever else writes; the copy is whole, or there is none.

        It is verified before it gets its name, and takes twice the memory that the file is long. To bring it back, copy
        it to the old name while nobody writes.

        Parameters
        ----------
        path : path
            The file of the copy.
        replace : bool
            Whether a file of that name may be replaced, as a whole.

        Examples
        --------
        >>> import baserate as br, tempfile, pathlib
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> with br.monitoring.CurveStore(folder / "monitor.db") as store:
        ...     receipt = store.append(br.Curve.from_scores([0, 1], [0.1, 0.4]), model="m", period="2026-05")
        ...     store.backup(folder / "copy.db")
        >>> len(br.monitoring.CurveStore(folder / "copy.db", read_only=True))
        1
        """
        target = Path(path)
        if target.exists() and (not replace or target.samefile(self.path)):
            raise InputError(
                f"a copy must be a new file, got {str(target)!r}, which is there; choose another path, or replace an "
                f"older copy with replace=True."
            )
        with self._reading() as rows:
            copy = store_file.copied(rows.connection)
        with closing(copy), store_file.in_a_sentence(target, self.timeout, "written"):
            self._verify(Rows(copy, repr(str(self.path))))
            (write_whole if replace else write_new)(target, copy.serialize())

    def _decoded(self, row: Row) -> Curve:
        where = f"in {str(self.path)!r}, {row.key}"
        try:
            curve = decode(row.content)
        except CurveFileError as error:
            raise CurveFileError(f"{error.args[0][:-1]} ({where}).") from None
        if (float(curve.n_pos), float(curve.n_neg), curve.bucketed) != (row.n_pos, row.n_neg, row.bucketed):
            raise CurveFileError(
                f"a kept curve must be of the rows that are told of it, got {curve!r} where {row.n_pos:,g} pos and "
                f"{row.n_neg:,g} neg are ({where}); keep it again."
            )
        return curve

    # --- opening and closing ----------------------------------------------------------------------

    def _reading(self) -> AbstractContextManager[Rows]:
        return self._asking("read")

    def _writing(self) -> AbstractContextManager[Rows]:
        return self._asking("written")

    @contextmanager
    def _asking(self, done: Literal["read", "written"]) -> Iterator[Rows]:
        """The rows within one transaction."""
        if self._open is None:
            raise InputError(f"a store must be open, got {str(self.path)!r} after close(); open it again.")
        if self._opened_by != _here():
            raise InputError(
                f"a store must be used by the thread and the process that opened it, got {str(self.path)!r} in "
                f"another; open it there, too."
            )
        with store_file.in_a_sentence(self.path, self.timeout, done), store_file.transaction(self._open, done):
            yield Rows(self._open, repr(str(self.path)))

    def close(self) -> None:
        """Close the file; closing twice does no harm."""
        if self._open is not None and self._opened_by == _here():  # what another opened is closed by it
            self._open.close()
            self._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"CurveStore({str(self.path)!r})" + " (closed)" * (self._open is None)


def _here() -> tuple[int, int]:
    """The process and the thread that ask: SQLite's connections must not be taken along to others."""
    return os.getpid(), threading.get_ident()


class _Making:
    """Curves made compact, each once, with the edges that their models have or get."""

    def __init__(self, rows: Rows, models: Iterable[str]) -> None:
        found = {model: rows.one(edges_of_model(model)) for model in models}
        self.edges = {model: np.frombuffer(row.content, "<f8") for model, row in found.items() if row is not None}
        self.before = {model: row.content for model, row in found.items() if row is not None}
        self.made: dict[Key, Curve] = {}

    def began_as(self, other: "_Making") -> bool:
        return self.before == other.before

    @property
    def new(self) -> list[str]:
        """Models that get their edges now."""
        return [model for model in self.edges if model not in self.before]

    def small(self, key: Key, curve: Curve) -> Curve:
        if key not in self.made:
            if not fits(curve) and key.model not in self.edges:
                self.edges[key.model] = edges_of(curve)
            self.made[key] = compact(curve, edges=self.edges.get(key.model))
        return self.made[key]


def _not_kept(key: Key) -> InputError:
    return InputError(f"a key must be one that is kept, got {key}, which is not; see keys().")


def _receipt(status: Status, row: Row) -> Receipt:
    return Receipt(row.key, status, row.n_bytes, not row.bucketed, row.width)
