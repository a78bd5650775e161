"""What is appended to a store: curves made small, and the receipts for them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.compact import compact, edges_of, fits, knows, point_width
from baserate.curves.curve import Curve
from baserate.curves.packing import decode, fingerprint
from baserate.errors import InputError
from baserate.monitoring.maturing import Maturity, Offered, Version, length_of, missing_rows, written
from baserate.monitoring.store_rows import (
    CurveKey,
    StoredRow,
    StoredRows,
    cuts_of_model,
    key_of,
    place_of,
    row_of_curve,
)
from baserate.results.base import Cell, Result, Said

Status = Literal["added", "unchanged", "refined", "grown", "replaced"]


@dataclass(frozen=True, eq=False)
class Receipt(Result):
    """What `CurveStore.append` did; once it is returned, the curve is on the disk.

    Attributes
    ----------
    key : CurveKey
        Model, period and slice.
    status : str
        "added", "unchanged" (the same rows were stored already), "refined" (they were, and are now exact at thresholds
        that are watched since), "grown" (labels of the period came late) or "replaced".
    n_bytes : int
        The size of the stored curve.
    exact : bool
        Whether all scores are kept, without buckets.
    width : float
        The largest width of the `bounds` of average precision: at the curve's own prevalence and from 1e-6 to 0.5.
    point_width : float
        The largest width of the `bounds` of recall at any threshold, and of precision at any threshold and prevalence;
        those of F1 are at most twice as wide. At watched thresholds all are exact.

    Examples
    --------
    >>> import baserate as br, numpy as np, tempfile, pathlib
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(100_000) < 0.01
    >>> curve = br.Curve.from_scores(y, rng.normal(size=100_000) + 2 * y)
    >>> with br.monitoring.CurveStore(pathlib.Path(tempfile.mkdtemp()) / "monitor.db") as store:
    ...     receipt = store.append(curve, model="fraud-3", period="2026-05")
    >>> receipt.n_bytes <= 4096, receipt.width < 0.01, receipt.point_width < 0.03
    (True, True, True)
    """

    key: CurveKey
    status: Status
    n_bytes: int
    exact: bool
    width: float
    point_width: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", key_of(self.key))  # from JSON it comes as a plain tuple

    def _rows(self) -> list[dict[str, Cell]]:
        (row,) = super()._rows()
        return [self.key._asdict() | {name: value for name, value in row.items() if name != "key"}]

    def _said(self) -> Said:
        known = "exact"
        if not self.exact:
            known = f"average precision exact to {self.width:.2g}, precision at any threshold to {self.point_width:.2g}"
        return Said(f"{self.key}: {self.status}, {self.n_bytes:,} bytes, {known}")


def receipt_of(status: Status, row: StoredRow) -> Receipt:
    """The receipt for a row."""
    points = point_width(decode(row.content)) if row.bucketed else 0.0
    return Receipt(row.key, status, row.n_bytes, not row.bucketed, row.width, points)


class Cuts(NamedTuple):
    """Where buckets of a model's curves must end: at edges that they share, and at thresholds that are watched."""

    edges: FloatArray
    watched: FloatArray

    @classmethod
    def read(cls, content: bytes) -> "Cuts":
        """As they are stored: edges, and if thresholds are watched a nan and these."""
        edges, *watched = np.split(values := np.frombuffer(content, "<f8"), np.flatnonzero(np.isnan(values)))
        return cls(edges, watched[0][1:] if watched else np.empty(0))

    def written(self) -> bytes:
        """The bytes to store."""
        parts = (self.edges, [np.nan], self.watched) if len(self.watched) else (self.edges,)
        return np.concatenate(parts).astype("<f8").tobytes()


_NO_CUTS = Cuts(np.empty(0), np.empty(0))


class Making:
    """A cache of compact curves, with the cuts of their models; edges are made if needed."""

    def __init__(self, rows: StoredRows, models: Iterable[str], watch: Iterable[float] = ()) -> None:
        stored = {model: rows.one(cuts_of_model(model)) for model in models}
        self.before = {model: row.content for model, row in stored.items() if row is not None}
        self.cuts = {model: Cuts.read(content) for model, content in self.before.items()}
        self.made: dict[CurveKey, Curve] = {}
        for model in models if (new := np.unique(list(watch))).size else ():
            edges, watched = self.cuts.get(model, _NO_CUTS)
            self.cuts[model] = Cuts(edges, np.union1d(watched, new))

    def began_as(self, other: "Making") -> bool:
        """Whether both have seen the same cuts in the store."""
        return self.before == other.before

    @property
    def new(self) -> dict[str, bytes]:
        """What is new of the cuts of models."""
        written = {model: cuts.written() for model, cuts in self.cuts.items()}
        return {model: content for model, content in written.items() if content != self.before.get(model)}

    def small(self, key: CurveKey, curve: Curve) -> Curve:
        """The curve made compact, with the cuts of its model."""
        if key not in self.made:
            self.made[key] = self.small_now(key, curve)
        return self.made[key]

    def small_now(self, key: CurveKey, curve: Curve) -> Curve:
        """A curve made compact that was not known before the lock was taken."""
        edges, watched = self.cuts.get(key.model, _NO_CUTS)
        if not fits(curve) and not len(edges):
            self.cuts[key.model] = Cuts(edges := edges_of(curve), watched)
        return compact(curve, edges=edges, thresholds=watched)

    def is_known(self, row: StoredRow) -> bool:
        """Whether a stored curve is exact at all thresholds of its model that are watched."""
        watched = self.cuts.get(row.model, _NO_CUTS).watched
        return not (row.bucketed and len(watched)) or knows(decode(row.content), watched)


# --- one curve after the other --------------------------------------------------------------------


class Offer(NamedTuple):
    """How curves are offered: whether, and which, stored ones they may take the place of."""

    digests: Mapping[CurveKey, bytes]
    replace: bool
    maturity: Maturity | None
    offered: Offered

    def may_grow(self, there: StoredRow) -> bool:
        """Whether labels of a stored period may have come since."""
        known, maturity = there.versions[-1].day, self.maturity
        if maturity is None:
            return False
        return maturity.is_open(there.period) or (known is not None and maturity.is_open(there.period, known))

    def noted(self, row: StoredRow, before: Iterable[Version] = (), digest: bytes | None = None) -> StoredRow:
        """The row with what is known today, after what was known before."""
        if self.maturity is None:
            return row
        digest = row.digest if digest is None else digest
        version = Version(self.maturity.today.isoformat(), row.n_pos, row.n_neg, digest.hex(), row.source)
        return row._replace(source=written([*before, version]))


def is_there(row: StoredRow | None, digest: bytes, making: Making) -> bool:
    """Whether the same rows are stored, exact at all thresholds that are watched, or were a part or a version of it."""
    if row is None:
        return False
    if row.digest == digest:
        return making.is_known(row)
    return digest.hex() in {version.digest for version in row.versions}


def check_lengths(rows: StoredRows, keys: Iterable[CurveKey]) -> None:
    """Refuse months beside weeks of one model or slice: their rows would be counted twice."""
    known: dict[tuple[str, str], str] = {}
    for key in keys:
        if length_of(key.period) is None:
            continue
        series = key.model, key.slice or ""
        if series not in known:
            stored = rows.series(*series, last=1, content=False)
            known[series] = stored[0].key.period if stored else key.period
        other = known[series]
        if length_of(other) not in (None, length_of(key.period)):
            raise InputError(
                f"periods of a model must have one length, got {key} in a store that has {other}; use another store, "
                f"or the same length."
            )


def put(rows: StoredRows, key: CurveKey, curve: Curve, making: Making, offer: Offer) -> Receipt:
    """Store a curve, unless the period has other rows and is not open."""
    digest = offer.digests[key]
    there = rows.one(place_of(key))
    if there is not None and is_there(there, digest, making):
        return receipt_of("unchanged", there)
    if there is not None and there.digest != digest and not offer.replace and offer.may_grow(there):
        row = _grown(there, curve, making, offer)
        rows.put(row)
        return receipt_of("grown", row)
    row = offer.noted(row_of_curve(place_of(key), making.small(key, curve), digest=digest))
    if there is not None and there.content == row.content:
        return receipt_of("unchanged", there)
    if there is not None and there.digest == digest:
        rows.put(row._replace(source=there.source))
        return receipt_of("refined", row)
    if there is not None and not offer.replace:
        raise InputError(
            f"a key must keep its rows, got other rows for {key} than those in {rows.where}; pass replace=True to "
            f"overwrite them."
        )
    rows.put(row)
    return receipt_of("added" if there is None else "replaced", row)


def _grown(there: StoredRow, curve: Curve, making: Making, offer: Offer) -> StoredRow:
    """The row of an open period with the rows that came: instead of the stored ones, or beside them."""
    stored, key = decode(there.content), there.key
    source = "" if curve.source is None else str(curve.source)
    if offer.offered == "new":
        curve = Curve.pool([stored, curve])
        small = making.small_now(key, curve)
    elif not (missing := missing_rows(stored, curve)):
        small = making.small(key, curve)
    else:
        raise InputError(
            f"the rows of an open period must include those that are stored, got {float(curve.n_pos + curve.n_neg):,g} "
            f"for {key}, where {missing:,g} of the stored ones are missing; pass rows='new' if these are new ones "
            f"only, or replace=True to overwrite what is stored."
        )
    row = row_of_curve(place_of(key), small, digest=fingerprint(curve))
    return offer.noted(row._replace(source=source), there.versions, offer.digests[key])
