"""What is appended to a store: curves made small, and the receipts for them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from baserate.curves.compact import compact, edges_of, fits
from baserate.curves.curve import Curve
from baserate.monitoring.store_rows import CurveKey, Row, Rows, edges_of_model, key_of
from baserate.results.base import Cell, Result, Said

Status = Literal["added", "unchanged", "replaced"]


@dataclass(frozen=True, eq=False)
class Receipt(Result):
    """What `CurveStore.append` did; once it is returned, the curve is on the disk.

    Attributes
    ----------
    key : CurveKey
        Model, period and slice.
    status : str
        "added", "unchanged" (the same rows were stored already) or "replaced".
    n_bytes : int
        The size of the stored curve.
    exact : bool
        Whether all scores are kept, without buckets.
    width : float
        The largest width of the `bounds` of average precision: at the curve's own prevalence and from 1e-6 to 0.5.

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

    key: CurveKey
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
        known = "exact" if self.exact else f"average precision exact to {self.width:.2g}"
        return Said(f"{self.key}: {self.status}, {self.n_bytes:,} bytes, {known}")


def receipt_of(status: Status, row: Row) -> Receipt:
    """The receipt for a row."""
    return Receipt(row.key, status, row.n_bytes, not row.bucketed, row.width)


class Making:
    """A cache of compact curves, with the bucket edges of their models, which are made if needed."""

    def __init__(self, rows: Rows, models: Iterable[str]) -> None:
        stored = {model: rows.one(edges_of_model(model)) for model in models}
        self.edges = {model: np.frombuffer(row.content, "<f8") for model, row in stored.items() if row is not None}
        self.before = {model: row.content for model, row in stored.items() if row is not None}
        self.made: dict[CurveKey, Curve] = {}

    def began_as(self, other: "Making") -> bool:
        """Whether both have seen the same edges in the store."""
        return self.before == other.before

    @property
    def new(self) -> list[str]:
        """Models whose edges are new."""
        return [model for model in self.edges if model not in self.before]

    def small(self, key: CurveKey, curve: Curve) -> Curve:
        """The curve made compact, with the edges of its model."""
        if key not in self.made:
            if not fits(curve) and key.model not in self.edges:
                self.edges[key.model] = edges_of(curve)
            self.made[key] = compact(curve, edges=self.edges.get(key.model))
        return self.made[key]
