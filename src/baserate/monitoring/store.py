"""A store of past curves in one file: a compact curve for each model, period and slice."""

import datetime
import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from baserate import checks
from baserate.arrays import Array
from baserate.curves.curve import Curve
from baserate.curves.packing import decode, fingerprint
from baserate.curves.saving import write_new, write_whole
from baserate.errors import CurveFileError, InputError
from baserate.monitoring import store_file
from baserate.monitoring.maturing import Offered, maturity_from, written
from baserate.monitoring.store_appending import Cuts, Making, Offer, Receipt, check_lengths, is_there, put
from baserate.monitoring.store_file import StoreFile
from baserate.monitoring.store_rows import (
    CurveKey,
    StoredRow,
    StoredRows,
    check_model,
    cuts_of_model,
    key_of,
    place_of,
    row_of,
)


class CurveStore(StoreFile):
    """A file that stores a compact curve for each model, period and slice.

    Each curve takes at most 4 KiB, whatever the number of rows. Counts at the stored thresholds are exact, and `bounds`
    gives the error of a metric. Curves of one model can be pooled. A curve is on the disk when the call returns, and
    stays there if the program or the machine stops right after. ``docs/promises.md`` has all promises.

    The file is an SQLite database: the library comes with Python, its transactions are quick and safe with several
    processes at once, and any SQLite tool can read it. During a transaction there is a journal beside the file. A store
    must be used by the thread that opened it; every thread and every process may open its own.

    Parameters
    ----------
    path : path
        The file; it is created if it does not exist.
    timeout : float
        Seconds to wait while others write.
    read_only : bool
        Do not write; then the file must exist.

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
        super().__init__(Path(path), checks.not_negative(timeout, "timeout"), read_only)

    # --- writing ----------------------------------------------------------------------------------

    @checks.declared
    def append(
        self,
        curve: Curve,
        *,
        model: str,
        period: str,
        slice: str | None = None,
        watch: Iterable[float] = (),
        replace: bool = False,
        matures: str | int | None = None,
        today: datetime.date | None = None,
        rows: Offered = "all",
    ) -> Receipt:
        """Store a curve. Doing it again changes nothing; other rows under the same key are refused.

        Parameters
        ----------
        curve : Curve
            Counted from scores; weights are stored, with their squares.
        model, period : str
            The names of model and period. Periods are sorted by name, so use names such as "2026-05" or "2026-W18".
        slice : str, optional
            The name of a slice; by default all rows.
        watch : iterable of float
            Thresholds at which counts stay exact, in all curves of the model that are stored from now on.
        replace : bool
            Whether a curve of other rows under this key may be overwritten.
        matures : str or int, optional
            How long after the end of a period its labels may still come in, such as "60d". A period that was last
            stored before then may change, and the store notes what was known of it and when (`versions`).
        today : date, optional
            The day that is noted; by default today.
        rows : {"all", "new"}
            Whether the curve of an open period has all of its rows, or only those that are not stored yet.

        Returns
        -------
        Receipt
            With the status, the size in bytes, and the error of average precision. The curve is then on the disk.

        Examples
        --------
        >>> import baserate as br, tempfile, pathlib
        >>> store = br.monitoring.CurveStore(pathlib.Path(tempfile.mkdtemp()) / "monitor.db")
        >>> receipt = store.append(br.Curve.from_scores([0, 1], [0.1, 0.4]), model="m", period="2026-05", slice="web")
        >>> receipt.status, receipt.width
        ('added', 0.0)
        >>> store.close()
        """
        how: dict[str, Any] = {"watch": watch, "replace": replace, "matures": matures, "today": today, "rows": rows}
        return self.append_many({CurveKey(model, period, slice): curve}, **how)[0]

    @checks.declared
    def append_many(
        self,
        curves: "Mapping[CurveKey, Curve] | Mapping[tuple[str, str, str | None], Curve]",
        *,
        watch: Iterable[float] = (),
        replace: bool = False,
        matures: str | int | None = None,
        today: datetime.date | None = None,
        rows: Offered = "all",
    ) -> list[Receipt]:
        """Store several curves, by (model, period, slice), in one transaction: all or none.

        At thresholds that are watched, counts are exact in all curves that are stored from now on. Rows that are
        offered again become exact there, too. With `matures`, periods may grow, as for `append`.
        """
        maturity = maturity_from(matures, today)
        if checks.one_of(rows, ("all", "new"), "rows") == "new" and maturity is None:
            raise InputError(
                "rows='new' needs matures=, got none: other periods may not grow; pass matures='60d', too."
            )
        wanted = {key_of(key): curve for key, curve in curves.items()}
        prints = {key: fingerprint(curve) for key, curve in wanted.items()}
        offer = Offer(prints, replace, maturity, rows)
        models, watched = dict.fromkeys(key.model for key in wanted), [checks.number(one, "watch") for one in watch]
        # Curves are made compact before the write lock is taken. This is repeated under the lock only if another writer
        # has set the cuts of a model in the meantime.
        with self._reading() as stored:
            making = Making(stored, models, watched)
            new = [key for key in wanted if not is_there(stored.one(place_of(key)), prints[key], making)]
        for key in new:
            making.small(key, wanted[key])
        with self._writing() as stored:
            check_lengths(stored, wanted)
            now = Making(stored, models, watched)
            making = making if making.began_as(now) else now
            done = [put(stored, key, curve, making, offer) for key, curve in wanted.items()]
            for model, content in making.new.items():
                stored.put(row_of(cuts_of_model(model), content))
        return done

    @checks.declared
    def watched(self, *, model: str) -> list[float]:
        """The thresholds of a model at which counts are exact in curves that are stored."""
        key_of((model, "any", None))
        with self._reading() as rows:
            row = rows.one(cuts_of_model(model))
        thresholds: list[float] = [] if row is None else Cuts.read(row.content).watched.tolist()
        return thresholds

    @checks.declared
    def delete(self, keys: Iterable[tuple[str, str, str | None]]) -> list[CurveKey]:
        """Delete curves, by (model, period, slice), in one transaction; their bytes are overwritten.

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
    def prune(self, *, keep: int, first: int = 0, model: str | None = None, dry_run: bool = False) -> list[CurveKey]:
        """Delete all but the last periods of each model, and return the keys of the deleted curves.

        Parameters
        ----------
        keep : int
            The number of last periods to keep, with all slices.
        first : int
            The number of first periods to keep as well, such as the reference of `baserate monitor`.
        model : str, optional
            The model; by default all.
        dry_run : bool
            Delete nothing, only return the keys.

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
        check_model(model)
        keep = checks.whole_number(keep, "keep")
        first = int(checks.counts([first], "first")[0])
        with self._reading() if dry_run else self._writing() as rows:
            gone = rows.past(keep, first, model)
            if not dry_run:
                rows.drop_curves(gone)
        return gone

    @checks.declared
    def prune_versions(self, *, keep: int, model: str | None = None, dry_run: bool = False) -> list[CurveKey]:
        """Forget how the labels of old periods came in, and return the keys of the curves that this is about.

        Every time that a period grows, the store notes a version: some 100 bytes and the names of its files. The last
        periods keep all of theirs, and older ones only the last one. Curves stay as they are. `expected_labels` then
        knows less of the past, and what was offered for an old period as an earlier version is no longer recognised.

        Parameters
        ----------
        keep : int
            The number of last periods that keep all versions: at least those that are open.
        model : str, optional
            The model; by default all.
        dry_run : bool
            Forget nothing, only return the keys.

        Examples
        --------
        >>> import baserate as br, datetime, tempfile, pathlib
        >>> store = br.monitoring.CurveStore(pathlib.Path(tempfile.mkdtemp()) / "monitor.db")
        >>> for month in (5, 6):
        ...     for day, n_pos in ((3, 4), (20, 9)):
        ...         curve = br.Curve.from_counts([0.9, 0.2], pos=[n_pos, 0], neg=[60 - n_pos, 900])
        ...         known = {"matures": "60d", "today": datetime.date(2026, month + 1, day)}
        ...         receipt = store.append(curve, model="m", period=f"2026-0{month}", **known)
        >>> [str(key) for key in store.prune_versions(keep=1)]
        ['m, 2026-05']
        >>> store.versions(model="m")["on"].tolist()
        ['2026-06-20', '2026-07-03', '2026-07-20']
        >>> store.close()
        """
        check_model(model)
        keep = checks.whole_number(keep, "keep")
        with self._reading() if dry_run else self._writing() as rows:
            old = [row for key in rows.past(keep, 0, model) if (row := rows.one(place_of(key))) is not None]
            several = [row for row in old if len(row.versions) > 1]
            for row in several if not dry_run else ():
                rows.put(row._replace(source=written(row.versions[-1:])))
        return [row.key for row in several]

    # --- reading ----------------------------------------------------------------------------------

    @checks.declared
    def curve(self, *, model: str, period: str, slice: str | None = None) -> Curve:
        """The curve stored under a key."""
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
            series = rows.series(model, slice or "", last=wanted)
        return {row.period: self._decoded(row) for row in series}

    @checks.declared
    def keys(self, *, model: str | None = None) -> list[CurveKey]:
        """The sorted keys of stored curves, of one model or of all."""
        check_model(model)
        with self._reading() as rows:
            return [row.key for row in rows.curves(model, content=False)]

    @checks.declared
    def history(self, *, model: str, slice: str | None = None) -> dict[str, Array]:
        """A table of the stored periods in order, without decoding their curves.

        The columns are period, n_pos, n_neg, n_bytes, width and source. The source names the files that the rows came
        from when they were first stored, as in ``str(curve.source)``; it is empty if they did not come from files.
        """
        key_of((model, "any", slice))
        with self._reading() as rows:
            series = rows.series(model, slice or "", content=False)
        kinds = {"n_pos": np.float64, "n_neg": np.float64, "n_bytes": np.int64, "width": np.float64}
        names = ("period", *kinds, "source")
        table = [row._replace(source=row.versions[-1].source) for row in series]
        return {name: np.array([getattr(row, name) for row in table], kinds.get(name, np.str_)) for name in names}

    @checks.declared
    def versions(self, *, model: str, slice: str | None = None) -> dict[str, Array]:
        """A table of what was known of each period, and when: several rows for one whose labels came late.

        The columns are period, on, n_pos, n_neg and source. `on` is the date if it was noted (see `append`), or empty.

        Examples
        --------
        >>> import baserate as br, datetime, tempfile, pathlib
        >>> store = br.monitoring.CurveStore(pathlib.Path(tempfile.mkdtemp()) / "monitor.db")
        >>> early = br.Curve.from_counts([0.2, 0.9], pos=[1, 4], neg=[900, 50])
        >>> later = br.Curve.from_counts([0.2, 0.9], pos=[6, 14], neg=[895, 40])
        >>> for day, curve in ((3, early), (20, later)):
        ...     june = datetime.date(2026, 6, day)
        ...     print(store.append(curve, model="m", period="2026-05", matures="60d", today=june).status)
        added
        grown
        >>> known = store.versions(model="m")
        >>> known["on"].tolist(), known["n_pos"].tolist()
        (['2026-06-03', '2026-06-20'], [5.0, 20.0])
        >>> store.close()
        """
        key_of((model, "any", slice))
        with self._reading() as rows:
            known = [
                (row.period, one) for row in rows.series(model, slice or "", content=False) for one in row.versions
            ]
        columns = {"period": np.array([period for period, _ in known], np.str_)}
        kinds = {"on": np.str_, "n_pos": np.float64, "n_neg": np.float64, "source": np.str_}
        return columns | {
            name: np.array([getattr(one, name) for _, one in known], kind) for name, kind in kinds.items()
        }

    def __len__(self) -> int:
        return len(self.keys())

    def verify(self) -> None:
        """Check every page and every curve of the file; raise an error if one is damaged."""
        with self._reading() as rows:
            self._verify(rows)

    def _verify(self, rows: StoredRows) -> None:
        store_file.check_pages(rows.connection, self.path)
        for row in rows.curves():
            self._decoded(row)

    @checks.declared
    def backup(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Copy the store in one consistent snapshot, even while others write; the copy is complete, or there is none.

        It is verified before it gets its name, and needs twice the size of the file in memory. To restore it, copy it
        to the old name while no process writes.

        Parameters
        ----------
        path : path
            The file of the copy.
        replace : bool
            Whether an existing file may be replaced.

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
                f"a backup must be a new file, got {str(target)!r}, which exists; choose another path, or replace an "
                f"older backup with replace=True."
            )
        with self._reading() as rows:
            copy = store_file.copied(rows.connection)
        with closing(copy), store_file.in_a_sentence(target, self.timeout, "written"):
            self._verify(StoredRows(copy, repr(str(self.path))))
            (write_whole if replace else write_new)(target, copy.serialize())

    def _decoded(self, row: StoredRow) -> Curve:
        where = f"in {str(self.path)!r}, {row.key}"
        try:
            curve = decode(row.content)
        except CurveFileError as error:
            raise CurveFileError(f"{error.args[0][:-1]} ({where}).") from None
        if (float(curve.n_pos), float(curve.n_neg), curve.bucketed) != (row.n_pos, row.n_neg, row.bucketed):
            raise CurveFileError(
                f"a stored curve must have the counts of its row, got {curve!r} for {row.n_pos:,g} pos and "
                f"{row.n_neg:,g} neg ({where}); store it again."
            )
        return curve


def _not_kept(key: CurveKey) -> InputError:
    return InputError(f"not in the store: {key}; see keys().")
