"""What is appended to a store: curves made small, and the receipts for them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.compact import compact, edges_of, fits, knows, point_width
from baserate.curves.curve import Curve
from baserate.curves.packing import decode
from baserate.monitoring.store_rows import CurveKey, StoredRow, StoredRows, cuts_of_model, key_of
from baserate.results.base import Cell, Result, Said

Status = Literal["added", "unchanged", "refined", "replaced"]


@dataclass(frozen=True, eq=False)
class Receipt(Result):
    """What `CurveStore.append` did; once it is returned, the curve is on the disk.

    Attributes
    ----------
    key : CurveKey
        Model, period and slice.
    status : str
        "added", "unchanged" (the same rows were stored already), "refined" (they were, and are now exact at thresholds
        that are watched since) or "replaced".
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
            edges, watched = self.cuts.get(key.model, _NO_CUTS)
            if not fits(curve) and not len(edges):
                self.cuts[key.model] = Cuts(edges := edges_of(curve), watched)
            self.made[key] = compact(curve, edges=edges, thresholds=watched)
        return self.made[key]

    def is_known(self, row: StoredRow) -> bool:
        """Whether a stored curve is exact at all thresholds of its model that are watched."""
        watched = self.cuts.get(row.model, _NO_CUTS).watched
        return not (row.bucketed and len(watched)) or knows(decode(row.content), watched)
