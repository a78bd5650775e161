"""Scores cut into bins, with counts and score sums of each bin."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from baserate import checks
from baserate.arrays import BoolArray, CountArray, FloatArray, Indices
from baserate.curves.counting import starts
from baserate.curves.row_bins import MOST_BINS_OF_ROWS, BinEdges, RowBins, are_many, bin_rows
from baserate.curves.table import CountTable, RowTable
from baserate.errors import InputError

# More than any sample fills; each has an edge in memory.
_MOST_BINS = 1_000_000

if TYPE_CHECKING:
    from baserate.curves.curve import Curve

Closed = Literal["right", "left"]


@dataclass(frozen=True)
class Bins:
    """A way to cut probabilities into bins; made by `equal_width`, `equal_frequency`, or from a list of edges.

    Every parameter `bins` also takes a whole number (that many bins of equal width), a list of edges, or text as
    ``str`` writes it: "equal_frequency(10)".

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.1, 0.4, 0.6, 0.8, 0.9])
    >>> round(br.ece(curve, bins=br.calibration.equal_frequency(2)), 4), round(br.ece(curve, bins=[0, 0.5, 1]), 4)
    (0.1167, 0.1167)
    """

    kind: Literal["equal_width", "equal_frequency", "edges"]
    n: int
    edges: tuple[float, ...] = ()
    closed: Closed = "right"

    def __str__(self) -> str:
        if self.kind == "edges":
            return "edges " + ", ".join(f"{edge:g}" for edge in self.edges)
        return f"{self.kind}({self.n}{', left-closed' * (self.closed == 'left')})"


BinsLike = Bins | int | str | Sequence[float]


@checks.declared
def equal_width(n: int, *, closed: Closed = "right") -> Bins:
    """A given number of bins of equal width.

    Edges are exactly k/n. A score on an edge belongs to the bin below it, and 0 to the first bin; with
    ``closed="left"`` it belongs to the bin above, and 1 to the last. A 32-bit score counts as on an edge if it is the
    32-bit float nearest to the edge.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 1], [0.3, 0.3, 0.9])
    >>> br.reliability(curve, bins=br.calibration.equal_width(10)).high
    array([0.3, 0.9])
    >>> br.reliability(curve, bins=br.calibration.equal_width(10, closed="left")).high
    array([0.4, 1. ])
    """
    n = checks.whole_number(n, "n", most=_MOST_BINS)
    edges = tuple(float(edge) for edge in np.arange(n + 1) / n)
    return Bins("equal_width", n, edges, checks.one_of(closed, ("right", "left"), "closed"))


@checks.declared
def equal_frequency(n: int) -> Bins:
    """A given number of bins with nearly equal numbers of rows.

    Edges are the quantiles k/n of the scores, linearly interpolated. Equal scores are never split, so long ties lead to
    fewer bins. The bins have the same rows at every prevalence.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 0, 1, 0, 1, 1], [0.1, 0.1, 0.4, 0.6, 0.8, 0.9])
    >>> br.reliability(curve, bins=br.calibration.equal_frequency(3)).n
    array([2, 2, 2])
    """
    return Bins("equal_frequency", checks.whole_number(n, "n", most=_MOST_BINS))


def as_bins(value: object) -> Bins:
    """Bins from a number, a list of edges, text or Bins."""
    if isinstance(value, Bins):
        return value
    if isinstance(value, str):
        said = re.fullmatch(r"(equal_width|equal_frequency)\((\d{1,18})\)", value)
        if said is None:
            raise InputError(
                f"bins as text must be such as 'equal_width(10)' or 'equal_frequency(10)', got {value!r}; or pass a "
                f"number or a list of edges."
            )
        return (equal_width if said[1] == "equal_width" else equal_frequency)(int(said[2]))
    if isinstance(value, Sequence | np.ndarray):
        edges = checks.edges(value, "bins")
        return Bins("edges", len(edges) - 1, tuple(float(edge) for edge in edges))
    return equal_width(checks.whole_number(value, "bins", most=_MOST_BINS))


def check_probabilities(curve: "Curve", asker: str) -> None:
    """Refuse a curve whose scores cannot be probabilities."""
    ends = _ends(curve)
    if ends is not None and not _are_shares(ends):
        lowest, highest = ends
        raise InputError(
            f"{asker} reads scores as probabilities between 0 and 1, got scores from {lowest:.4g} to {highest:.4g}; "
            f"turn them into probabilities first, for example with scikit-learn's CalibratedClassifierCV."
        )


def _ends(curve: "Curve") -> tuple[float, float] | None:
    """The lowest and the highest score; None without rows."""
    if isinstance(curve.table, CountTable):
        return curve.table.ends
    return curve.score[-1], curve.score[0]  # a curve of rates says here what it lacks


def _are_shares(ends: tuple[float, float]) -> bool:
    return ends[0] >= 0 and ends[1] <= 1


@dataclass(frozen=True, eq=False)
class Binned:
    """The rows of a curve in bins, lowest first; empty bins are left out.

    `pos`, `neg` and the sums of their scores are as counted; shares, rates and mean scores are at the curve's
    prevalence. The scores of a bucket are its middle.

    Attributes
    ----------
    low, high : array
        Edges; of bins of equal frequency, the lowest and the highest score.
    pos, neg, score_pos, score_neg, rest_pos : array
        Positives and negatives, the sums of their scores, and the sum of 1 - score over positives.
    pos_squares, neg_squares : array
        Sums of squared weights; the counts themselves where rows have no weights.
    odds : float
        The weight of a negative, if a positive has weight 1, at the curve's prevalence.
    bins : Bins
        The definition of the bins.
    curve : Curve
        The curve.
    rows : RowBins or None
        The bins of unsorted rows, including empty ones; None if rows were sorted.
    """

    low: FloatArray
    high: FloatArray
    pos: CountArray
    neg: CountArray
    score_pos: FloatArray
    score_neg: FloatArray
    rest_pos: FloatArray
    pos_squares: FloatArray
    neg_squares: FloatArray
    odds: float
    bins: Bins
    curve: "Curve"
    rows: RowBins | None = None

    @cached_property
    def place(self) -> Indices:
        """The bin of each entry of the curve, in the curve's order."""
        place = _places(self.curve, self.bins)
        first = starts(place)
        return np.repeat(np.arange(len(first))[::-1], np.diff(first, append=len(place)))

    @property
    def n(self) -> CountArray:
        """Rows, or their weight, in each bin."""
        return self.pos + self.neg

    @cached_property
    def mass(self) -> FloatArray:
        """The weight of each bin at the curve's prevalence; a positive has weight 1."""
        return np.asarray(self.pos + self.odds * self.neg, np.float64)

    @property
    def share(self) -> FloatArray:
        """The share of rows in each bin, at the curve's prevalence."""
        return self.mass / float(self.mass.sum())

    @property
    def mean_score(self) -> FloatArray:
        """The mean score in each bin, at the curve's prevalence."""
        with np.errstate(invalid="ignore"):
            return (self.score_pos + self.odds * self.score_neg) / self.mass

    @property
    def event_rate(self) -> FloatArray:
        """The share of positives in each bin, at the curve's prevalence."""
        with np.errstate(invalid="ignore"):
            return self.pos / self.mass

    @property
    def gap(self) -> FloatArray:
        """Event rate minus mean score, from sums that are accurate near 0 and near 1."""
        with np.errstate(invalid="ignore"):
            return (self.rest_pos - self.odds * self.score_neg) / self.mass

    @property
    def mean_distance(self) -> float:
        """The distance between event rate and mean score, averaged over all rows at the curve's prevalence."""
        return float(np.sum(self.mass * np.abs(self.gap)) / np.sum(self.mass))

    @property
    def rate_variance(self) -> FloatArray:
        """The unbiased sampling variance of each event rate; infinite in bins with one row.

        At the data's own prevalence it is ``rate (1 - rate) / (n - 1)``. At another prevalence it is ``rate² (1 -
        rate)² (1/pos + 1/neg) n / (n - 1)``, where n is the effective sample size.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            of_pos, of_neg = self.pos_squares / self.pos / self.pos, self.neg_squares / self.neg / self.neg
            spread = (self.event_rate * (self.odds * self.neg / self.mass)) ** 2 * (of_pos + of_neg)
            return np.where((self.pos > 0) & (self.neg > 0), spread, 0.0) * (self.mass**2 / self._pairs)

    @property
    def _pairs(self) -> FloatArray:
        """``mass² (n - 1) / n`` without subtracting 1 from n, which is too near 1 if negatives have little weight."""
        pos, neg = np.asarray(self.pos, np.float64), np.asarray(self.neg, np.float64)
        of_neg = self.odds**2 * (neg**2 - self.neg_squares)
        return (pos**2 - self.pos_squares) + 2 * self.odds * pos * neg + of_neg


def binned(curve: "Curve", bins: BinsLike, *, scores: FloatArray | None = None) -> Binned:
    """Put the rows of a curve into bins.

    Bins are made from the curve's own scores; `scores`, if given, are averaged instead of them.
    """
    wanted = as_bins(bins)
    rows = None if scores is not None else _rows_in(curve, wanted)
    if rows is not None:
        return _of_rows(curve, wanted, rows)
    place = _places(curve, wanted)
    # Bins fall along a curve, so that each is a run of entries.
    first = starts(place)
    kept, size = place[first][::-1], len(first)
    middle, pos, neg = curve.middle if scores is None else scores, curve.pos, curve.neg

    def summed(values: CountArray) -> CountArray:
        return np.add.reduceat(values, first)[::-1] if size else values

    if wanted.kind == "equal_frequency":
        last = np.append(first, len(place))[1:] - 1
        low, high = curve.score[last[::-1]], curve.top[first[::-1]]
    else:
        edges = np.array(wanted.edges)
        low, high = edges[kept], edges[kept + 1]
    pos_squares, neg_squares = (curve.pos_squares, curve.neg_squares) if curve.weighted else (pos, neg)
    return Binned(
        low,
        high,
        summed(pos),
        summed(neg),
        score_pos=np.asarray(summed(pos * middle), np.float64),
        score_neg=np.asarray(summed(neg * middle), np.float64),
        rest_pos=np.asarray(summed(pos * (1 - middle)), np.float64),
        pos_squares=np.asarray(summed(pos_squares), np.float64),
        neg_squares=np.asarray(summed(neg_squares), np.float64),
        odds=curve.negative_weight,
        bins=wanted,
        curve=curve,
    )


def _rows_in(curve: "Curve", bins: Bins) -> RowBins | None:
    """The bins of a curve's unsorted rows; None if the rows have to be sorted."""
    table = curve.table
    if not isinstance(table, RowTable) or not are_many(table.rows) or not _are_shares(table.ends or (0, 1)):
        return None
    if bins.kind == "equal_frequency" or bins.n > MOST_BINS_OF_ROWS:
        return None
    _check_cover(curve, bins)
    edges, right = np.array(bins.edges), bins.closed == "right"
    inner, narrow = edges[1:-1], _as_32_bits(edges[1:-1])
    binned = bin_rows(table.rows, BinEdges(inner, right), narrow)
    moved = _moved(bins, binned.pos.met | binned.neg.met)
    return binned if np.array_equal(moved, inner) else bin_rows(table.rows, BinEdges(moved, right), narrow)


def _of_rows(curve: "Curve", bins: Bins, in_bins: RowBins) -> Binned:
    """Counts and score sums of each non-empty bin."""
    edges = np.array(bins.edges)
    kept = np.flatnonzero(in_bins.pos.n + in_bins.neg.n)
    pos, neg = in_bins.pos.n[kept], in_bins.neg.n[kept]
    return Binned(
        edges[kept],
        edges[kept + 1],
        pos,
        neg,
        score_pos=in_bins.score_pos[kept],
        score_neg=in_bins.score_neg[kept],
        rest_pos=in_bins.rest_pos[kept],
        pos_squares=pos.astype(np.float64),
        neg_squares=neg.astype(np.float64),
        odds=curve.negative_weight,
        bins=bins,
        curve=curve,
        rows=in_bins,
    )


def _places(curve: "Curve", bins: Bins) -> Indices:
    """The bin of each entry of a curve."""
    if bins.kind == "equal_frequency":
        return _quantile_places(curve, bins.n)
    _check_cover(curve, bins)
    return place_of(curve.middle, inner_edges(curve, bins), bins.closed)


def _check_cover(curve: "Curve", bins: Bins) -> None:
    """Refuse edges that do not cover all scores."""
    ends = _ends(curve)
    if bins.kind == "edges" and ends is not None and not (bins.edges[0] <= ends[0] and ends[1] <= bins.edges[-1]):
        raise InputError(
            f"bins must cover every score, got edges from {bins.edges[0]:g} to {bins.edges[-1]:g} and scores from "
            f"{ends[0]:.4g} to {ends[1]:.4g}; begin with 0 and end with 1."
        )


def place_of(score: FloatArray, inner: FloatArray, closed: Closed) -> Indices:
    """The bin of each score, given the edges between bins."""
    return np.searchsorted(inner, score, side="left" if closed == "right" else "right")


def inner_edges(curve: "Curve", bins: Bins) -> FloatArray:
    """The edges between bins, each rounded to a 32-bit float if the scores contain that float.

    A 32-bit 0.3 is slightly above the 64-bit 0.3, but should not fall into the next bin.
    """
    inner = np.array(bins.edges[1:-1])
    narrow, score = _as_32_bits(inner), curve.score[::-1]
    if not len(score):
        return inner
    return _moved(bins, score[np.minimum(np.searchsorted(score, narrow), len(score) - 1)] == narrow)


def _as_32_bits(edges: FloatArray) -> FloatArray:
    return edges.astype(np.float32).astype(np.float64)


def _moved(bins: Bins, there: BoolArray) -> FloatArray:
    """The edges between bins, moved to the nearest 32-bit floats if these occur among the scores."""
    edges = np.array(bins.edges)
    inner, narrow = edges[1:-1], _as_32_bits(edges[1:-1])
    there = there & (narrow > edges[:-2]) & (narrow < edges[2:])  # an edge does not move onto another
    moved = np.maximum(inner, narrow) if bins.closed == "right" else np.minimum(inner, narrow)
    return np.where(there, moved, inner)


def _quantile_places(curve: "Curve", n: int) -> Indices:
    rows = curve.pos + curve.neg
    return quantile_place(rows_below(curve), float(rows.sum()), n, ranked=not curve.weighted)


def rows_below(curve: "Curve") -> CountArray:
    """The number of rows with scores below each entry."""
    rows = (curve.pos + curve.neg)[::-1]
    return (np.cumsum(rows) - rows)[::-1]


def quantile_place(below: CountArray, total: float, n: int, *, ranked: bool) -> Indices:
    """The bin between quantiles of the scores, from the number of rows below.

    The quantile k/n of N rows lies at the rank k (N - 1) / n, counted from 0, or between the ranks around it. So a row
    is below the quantile if the number of rows below its score is at most that rank. These are whole numbers, so
    nothing is rounded. Weighted rows have no ranks: with them, the rows at which the cumulative share reaches k/n are
    the last below the quantile.
    """
    if not ranked:
        return np.clip(np.floor(below * n / total), 0, n - 1).astype(np.intp)
    return np.clip(-(-below * n // max(int(total) - 1, 1)) - 1, 0, n - 1).astype(np.intp)
