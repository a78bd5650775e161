"""The rows of a store, with checksums and links: damaged and missing rows are detected when they are read.

Every row has a checksum, and the key of the row before it in sorted order. The first row has an empty key and follows
the last one, so the rows form a ring, which a lost row breaks: if there is no row under a key, its neighbours must be
linked to each other. Besides the curves, each model may have a row with its bucket edges and watched thresholds.
"""

import hashlib
import sqlite3
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from baserate.curves.compact import width
from baserate.curves.curve import Curve
from baserate.curves.packing import encode, fingerprint
from baserate.errors import CurveFileError, InputError, printable, shown
from baserate.monitoring import maturing


class CurveKey(NamedTuple):
    """The key of a stored curve; the slice None means all rows."""

    model: str
    period: str
    slice: str | None = None

    def __str__(self) -> str:
        return printable(f"{self.model}, {self.period}" + (f", {self.slice}" if self.slice is not None else ""))


def key_of(names: object) -> CurveKey:
    """A checked key."""
    if not isinstance(names, tuple) or len(names) != 3:
        raise InputError(
            f"a key must be (model, period, slice), got {shown(names)}; pass None for a slice of all rows."
        )
    model, period, part = names
    for name, value in (("model", model), ("period", period), ("slice", part)):
        if name == "slice" and value is None:
            continue
        if not isinstance(value, str) or not value or "\0" in value:
            raise InputError(f"{name} must be a non-empty text without null characters, got {shown(value)}; rename it.")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InputError(f"{name} must be valid UTF-8, got {shown(value)}; rename it.") from None
    return CurveKey(model, period, part)  # checked above


def check_model(model: str | None) -> None:
    """Refuse a name that no model can have."""
    if model is not None:
        key_of((model, "any", None))


# A key in the order of rows: model, slice, period. No name is empty, and none has a "\0" in it.
Place = tuple[str, str, str]

START: Place = ("", "", "")


def place_of(key: CurveKey) -> Place:
    """The place of a curve in the order of rows."""
    return key.model, key.slice or "", key.period


def cuts_of_model(model: str) -> Place:
    """The place of what a model's curves share: bucket edges, so that they can be pooled, and watched thresholds."""
    return model, "", ""


class StoredRow(NamedTuple):
    """A row of the store: a curve with its key, its counts and its checksums."""

    model: str
    slice: str  # empty for all rows
    period: str  # empty for the edges of a model
    n_pos: float
    n_neg: float
    bucketed: bool
    width: float
    digest: bytes  # of the original curve
    source: str  # the files that it came from, if any, or versions
    n_bytes: int
    content_sum: bytes
    follows: bytes  # the place of the row before
    checksum: bytes  # of all of the above
    content: bytes  # the compact curve, or edges

    @property
    def place(self) -> Place:
        """Its place in the order of rows."""
        return self.model, self.slice, self.period

    @property
    def key(self) -> CurveKey:
        """The key of its curve."""
        return CurveKey(self.model, self.period, self.slice or None)

    @property
    def versions(self) -> list[maturing.Version]:
        """What was known of its period, and when: one version, unless labels came late."""
        noted = maturing.Version("", self.n_pos, self.n_neg, self.digest.hex(), self.source)
        return maturing.read(self.source) or [noted]


COLUMNS = StoredRow._fields
_NUMBERS = struct.Struct("<3d7q")

_TABLE = """
CREATE TABLE kept (
    model TEXT NOT NULL,
    slice TEXT NOT NULL,
    period TEXT NOT NULL,
    n_pos REAL NOT NULL,
    n_neg REAL NOT NULL,
    bucketed INTEGER NOT NULL,
    width REAL NOT NULL,
    digest BLOB NOT NULL,
    source TEXT NOT NULL,
    n_bytes INTEGER NOT NULL,
    content_sum BLOB NOT NULL,
    follows BLOB NOT NULL,
    checksum BLOB NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (model, slice, period)
) WITHOUT ROWID
"""

_NAMES = "(model, slice, period)"
_INSERT = f"INSERT OR REPLACE INTO kept VALUES (?{', ?' * (len(COLUMNS) - 1)})"


def row_of(
    place: Place,
    content: bytes,
    *,
    n_pos: float = 0.0,
    n_neg: float = 0.0,
    bucketed: bool = False,
    width: float = 0.0,
    digest: bytes = b"",
    source: str = "",
) -> StoredRow:
    """A row that is not linked yet."""
    width += 0.0  # the database would keep -0.0 as 0.0
    model, part, period = place
    return StoredRow(
        *(model, part, period, n_pos, n_neg, bucketed, width, digest, source),
        *(len(content), _sum(content), b"", b"", content),
    )


def row_of_curve(place: Place, small: Curve, *, digest: bytes | None = None, content: bytes | None = None) -> StoredRow:
    """The row of a compact curve; without a digest of the original, its own digest is used."""
    return row_of(
        place,
        encode(small) if content is None else content,
        n_pos=float(small.n_pos),
        n_neg=float(small.n_neg),
        bucketed=small.bucketed,
        width=width(small),
        digest=fingerprint(small) if digest is None else digest,
        source="" if small.source is None else str(small.source),
    )


class StoredRows:
    """Access to the rows, within a transaction of the caller."""

    def __init__(self, connection: sqlite3.Connection, where: str) -> None:
        self.connection, self.where = connection, where

    def begin(self, rows: Iterable[StoredRow] = ()) -> None:
        """Create the table, with rows in sorted order."""
        self.connection.execute(_TABLE)
        last = START
        for row in rows:
            self.connection.execute(_INSERT, _sealed(row, last))
            last = row.place
        self.connection.execute(_INSERT, _sealed(row_of(START, b""), last))

    # --- reading ----------------------------------------------------------------------------------

    def one(self, place: Place, *, content: bool = True) -> StoredRow | None:
        """The row at a place; None if there is none, which its neighbours confirm."""
        rows = list(self.between(place, (*place[:2], place[2] + "\0"), content=content))
        return rows[0] if rows else None

    def curves(self, model: str | None = None, *, content: bool = True) -> Iterator[StoredRow]:
        """Rows of curves, of one model or of all."""
        low, high = (("\0", "", ""), None) if model is None else ((model, "", ""), (model + "\0", "", ""))
        return (row for row in self.between(low, high, content=content) if row.period)

    def series(self, model: str, part: str, *, last: int | None = None, content: bool = True) -> list[StoredRow]:
        """Rows of one slice of a model, in the order of periods: all, or the last ones."""
        low, high = (model, part, "\0"), (model, part + "\0", "")
        if last is None:
            return list(self.between(low, high, content=content))
        query = f"SELECT period FROM kept WHERE {_NAMES} >= (?, ?, ?) AND {_NAMES} < (?, ?, ?)"
        query += " ORDER BY model DESC, slice DESC, period DESC LIMIT 1 OFFSET ?"
        first = self.connection.execute(query, (*low, *high, last - 1)).fetchone()
        rows = list(self.between(low if first is None else (model, part, first[0]), high, content=content))
        if len(rows) > last or (first is not None and len(rows) < last):
            raise self._damaged("its rows are out of order")
        return rows

    def between(self, low: Place, high: Place | None, *, content: bool = True) -> Iterator[StoredRow]:
        """All rows from `low` to before `high`, in order; links confirm that none is missing."""
        before = self._nearest(f"{_NAMES} < (?, ?, ?) ORDER BY model DESC, slice DESC, period DESC", low)
        link = START if before is None else before.place
        where = f"{_NAMES} >= (?, ?, ?)" + f" AND {_NAMES} < (?, ?, ?)" * (high is not None)
        query = f"SELECT {_columns(content)} FROM kept WHERE {where} ORDER BY model, slice, period"
        for values in self.connection.execute(query, (*low, *(high or ()))):
            row = self._whole(StoredRow(*values), content)
            self._linked(link, row)
            link = row.place
            yield row
        self._linked(link, self._at_or_after(high))

    def _at_or_after(self, place: Place | None) -> StoredRow:
        """The next row from a place on; after the last one comes the first."""
        row = None if place is None else self._nearest(f"{_NAMES} >= (?, ?, ?) ORDER BY model, slice, period", place)
        if row is None:
            row = self._nearest(f"{_NAMES} = (?, ?, ?)", START)
        if row is None:
            raise self._damaged("its first row is missing")
        return self._whole(row, content=False)

    def _nearest(self, where: str, place: Place) -> StoredRow | None:
        query = f"SELECT {_columns(content=False)} FROM kept WHERE {where} LIMIT 1"
        values = self.connection.execute(query, place).fetchone()
        return None if values is None else StoredRow(*values)

    def _whole(self, row: StoredRow, content: bool) -> StoredRow:
        try:
            whole = row.checksum == _sum_of_facts(row) and (not content or row.content_sum == _sum(row.content))
        except (TypeError, AttributeError, struct.error):  # a kind of value that is never written
            whole = False
        if not whole:
            raise self._damaged(f"the row of {row.key} is not what was written")
        return row

    def _linked(self, before: Place, row: StoredRow) -> None:
        if row.follows != _link(before):
            raise self._damaged(f"rows are missing, or out of order, before that of {row.key}")

    def _damaged(self, why: str) -> CurveFileError:
        return CurveFileError(f"a store must be intact, got {self.where}, which is damaged: {why}; restore a backup.")

    # --- writing ----------------------------------------------------------------------------------

    def put(self, row: StoredRow) -> None:
        """Write a row, or overwrite it."""
        there = self.one(row.place, content=False)
        following = self._at_or_after(row.place) if there is None else there
        self.connection.execute(_INSERT, _sealed(row, _unlinked(following.follows)))
        if there is None:
            self._link_to(following, row.place)

    def drop(self, place: Place) -> None:
        """Delete a row; its content may be damaged."""
        row = self.one(place, content=False)
        assert row is not None  # the caller has checked
        self.connection.execute(f"DELETE FROM kept WHERE {_NAMES} = (?, ?, ?)", place)
        self._link_to(self._at_or_after(place), _unlinked(row.follows))

    def past(self, keep: int, first: int, model: str | None) -> list[CurveKey]:
        """Curves of the middle periods of a model: all but its first few and its last few."""
        kept = [row.key for row in self.curves(model, content=False)]
        periods: dict[str, set[str]] = {key.model: set() for key in kept}
        for key in kept:
            periods[key.model].add(key.period)
        gone = {name: sorted(names)[first : max(len(names) - keep, first)] for name, names in periods.items()}
        return [key for key in kept if key.period in gone[key.model]]

    def drop_curves(self, keys: Iterable[CurveKey]) -> None:
        """Delete curves, and what models without curves share."""
        models = set()
        for key in keys:
            self.drop(place_of(key))
            models.add(key.model)
        for model in models:
            cuts = cuts_of_model(model)
            if not any(self.curves(model, content=False)) and self.one(cuts, content=False) is not None:
                self.drop(cuts)

    def _link_to(self, row: StoredRow, before: Place) -> None:
        sealed = _sealed(row, before)
        query = f"UPDATE kept SET follows = ?, checksum = ? WHERE {_NAMES} = (?, ?, ?)"
        self.connection.execute(query, (sealed.follows, sealed.checksum, *row.place))


def _columns(content: bool) -> str:
    return ", ".join(COLUMNS) if content else ", ".join(COLUMNS[:-1]) + ", x''"


def _sealed(row: StoredRow, before: Place) -> StoredRow:
    """The row with its link to the row before, and its checksum."""
    linked = row._replace(follows=_link(before))
    return linked._replace(checksum=_sum_of_facts(linked))


def _link(place: Place) -> bytes:
    return "\0".join(place).encode()


def _unlinked(link: bytes) -> Place:
    model, part, period = link.decode().split("\0")
    return model, part, period


def _sum(content: bytes) -> bytes:
    """A checksum of eight bytes, which misses a change with probability 2**-64."""
    return hashlib.blake2b(content, digest_size=8).digest()


def _sum_of_facts(row: StoredRow) -> bytes:
    """The checksum of all columns but the content, whose own checksum is included."""
    texts = _link(row.place), row.digest, row.source.encode(), row.content_sum, row.follows
    numbers = row.n_pos, row.n_neg, row.width, row.bucketed, row.n_bytes
    return _sum(b"".join([_NUMBERS.pack(*numbers, *map(len, texts)), *texts]))
