"""Rows that come in batches, counted in bounded memory."""

import math
import os
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import Array, BoolArray, Counts, FloatArray
from baserate.checks import Label
from baserate.curves import files
from baserate.curves.buckets import MOST_BITS, bucket_of
from baserate.curves.counting import (
    Counted,
    check_totals,
    count_rows,
    count_weighted_rows,
    merge_counts,
    narrow,
    starts,
)
from baserate.curves.curve import Curve
from baserate.curves.formats import BUCKETS, check_version
from baserate.errors import CurveFileError, InputError

# The level above all levels of buckets: every score is kept.
_EXACT = MOST_BITS + 1


class _Part(NamedTuple):
    """Some of the rows, counted at the finest level that fits.

    At the exact level an entry is one score. At a level of buckets it is what one class has in one bucket: its lowest
    and its highest score, and its count. Classes stay apart, for once their ranges were joined, the result would
    depend on which rows met first.
    """

    counted: Counted
    bits: int

    @property
    def size(self) -> int:
        return len(self.counted.score)


class _State(NamedTuple):
    """All that changes; it is replaced as a whole, so an error or an interrupt leaves the old one in place."""

    parts: tuple[_Part, ...] = ()  # each less than half as large as the one before
    rows: int = 0
    other: Label | None = None  # the label of the negatives, once there was one


class Accumulator:
    """Count rows batch by batch, in bounded memory, and make a curve of them at any time.

    The curve is the same, to the last bit, as if all rows had come in one batch, in whatever order they come and
    however they are split into updates and merged. Only sums of weights that are not whole numbers may differ in the
    last digits, because floats are added in another order.

    Every score is kept while there are at most `max_scores` different ones. Beyond that, neighbouring scores share
    buckets, as narrow as the limit allows; then `bounds` says how well a metric of the curve is known. An accumulator
    holds at most two entries per bucket, and twice that while rows wait to be sorted in; no limit makes it coarser
    than some 600 buckets over all numbers there are.

    Parameters
    ----------
    positive : label, optional
        Which label is the positive one, as in `Curve.from_scores`. It is said here, for all batches, because a batch
        need not hold both labels. Labels are those of all batches together: 0/1 in one and -1/1 in another are three
        classes, and refused.
    max_scores : int
        How many different scores, or buckets, to keep.

    Attributes
    ----------
    n_rows : int
        How many rows have been counted: where to go on after `load`.

    Examples
    --------
    >>> import baserate as br
    >>> counted = br.Accumulator(positive="fraud")
    >>> counted.update(["ok", "ok", "ok"], [0.2, 0.1, 0.7])
    >>> counted.update(["fraud", "ok"], [0.9, 0.2])
    >>> counted
    Accumulator(1 pos, 4 neg, exact, 4 scores)
    >>> counted.curve()
    Curve(1 pos, 4 neg, prevalence=0.2)
    """

    def __init__(self, *, positive: Label | None = None, max_scores: int = 1_000_000) -> None:
        self._positive = None if positive is None else _plain(positive, "positive=")
        self._max_scores = checks.whole_number(max_scores, "max_scores")
        self._state = _State()

    # --- counting ---------------------------------------------------------------------------------

    def update(self, y_true: object, y_score: object, *, weight: object = None) -> None:
        """Count a batch of rows; one that is refused leaves everything as it was.

        Parameters
        ----------
        y_true, y_score : column
            Labels and scores, as in `Curve.from_scores`. A batch may lack a class, or have no rows.
        weight : column, optional
            A weight per row. Rows of batches without weights have weight 1, and the curve is weighted if any batch is.

        Examples
        --------
        >>> import baserate as br
        >>> counted = br.Accumulator()
        >>> for day in ([0, 1, 0], [0.2, 0.7, 0.1]), ([0, 0, 1], [0.3, 0.2, 0.9]):
        ...     counted.update(*day)
        >>> counted
        Accumulator(2 pos, 4 neg, exact, 5 scores)
        """
        scores = checks.numbers(y_score, "y_score")
        is_positive, other = self._labels(y_true)
        checks.same_length(is_positive, "y_true", scores, "y_score")
        if weight is None:
            counted = count_rows(scores, is_positive)
        else:
            # That not all weights are zero is a rule for all rows together; `curve` checks it.
            weights = checks.amounts(weight, "weight")
            checks.same_length(scores, "y_score", weights, "weight")
            counted = count_weighted_rows(scores, is_positive, weights)
        self._state = self._with(_Part(counted, _EXACT), len(scores), other)

    @checks.declared
    def merge(self, other: "Accumulator") -> None:
        """Count all rows of another accumulator too, which stays as it is.

        Both must have the same `max_scores` and `positive`.

        Examples
        --------
        >>> import baserate as br
        >>> here, there = br.Accumulator(), br.Accumulator()
        >>> here.update([0, 1, 0], [0.2, 0.7, 0.1])
        >>> there.update([0, 0, 1], [0.3, 0.2, 0.9])
        >>> here.merge(there)
        >>> here
        Accumulator(2 pos, 4 neg, exact, 5 scores)
        """
        mine, theirs = ((each._max_scores, each._positive) for each in (self, other))
        if mine != theirs:
            raise InputError(
                f"accumulators can be merged if max_scores and positive are the same, got {mine[0]} and {mine[1]!r} "
                f"here, {theirs[0]} and {theirs[1]!r} there; make them alike."
            )
        label = self._same_other(other._state.other)
        self._state = self._with(_pooled(other._parts(), self._max_scores), other.n_rows, label)

    @property
    def n_rows(self) -> int:
        """How many rows have been counted."""
        return self._state.rows

    def _with(self, part: _Part, rows: int, other: Label | None) -> _State:
        """The state with one more part.

        Parts wait until those behind one have grown to half its size, and then are sorted into it. So a row is sorted
        in a few times only, however many batches there are.
        """
        parts = self._state.parts
        start, size = len(parts), part.size
        while start > 0 and 2 * size >= parts[start - 1].size:
            start -= 1
            size += parts[start].size
        pooled = _pooled([*parts[start:], part], self._max_scores)
        return _State((*parts[:start], pooled), self._state.rows + rows, other)

    def _labels(self, y_true: object) -> tuple[BoolArray, Label | None]:
        """Which rows are positive, and the label of the negatives of all rows so far."""
        column = checks.column(y_true, "y_true")
        is_positive = checks.labels(column, self._positive)
        if is_positive.all():
            return is_positive, self._state.other
        found = column[np.argmin(is_positive)]
        # Without a named label the negatives are 0, False, 0.0 or -1 in any type; 0 and -1 are all there is to know.
        return is_positive, self._same_other(int(found) if self._positive is None else _plain(found, "y_true"))

    def _same_other(self, found: Label | None) -> Label | None:
        """The label of the negatives; batches that are fine by themselves may still be three classes together."""
        known = self._state.other
        if known is not None and found is not None and known != found:
            raise InputError(
                f"y_true must hold the same two classes in all batches, got the negative label {found!r} after "
                f"{known!r}; write it the same in all, or use one_vs_rest for more than two classes."
            )
        return found if known is None else known

    # --- reading ----------------------------------------------------------------------------------

    def curve(self) -> Curve:
        """The curve of all rows so far; counting may go on.

        Examples
        --------
        >>> import baserate as br
        >>> counted = br.Accumulator(max_scores=100)
        >>> counted.update([k % 3 == 0 for k in range(999)], [k * k for k in range(999)])
        >>> counted
        Accumulator(333 pos, 666 neg, buckets of 2 bits, 110 entries)
        >>> print(br.bounds(br.roc_auc, counted.curve()))
        roc_auc 0.499 in [0.4778, 0.5203] (prevalence 0.3333)
        """
        whole = self._settled()
        if self.n_rows and not whole.size:
            raise InputError(
                "weight must not be zero for every row, got a total of 0; update with rows that have a weight."
            )
        return Curve._of(whole.counted if whole.bits == _EXACT else merge_counts(whole.counted))

    def _parts(self) -> tuple[_Part, ...]:
        return self._state.parts or (_Part(count_rows(np.zeros(0), np.zeros(0, np.bool_)), _EXACT),)

    def _settled(self) -> _Part:
        """Everything in one part, which is kept: it says the same as the parts."""
        parts = self._parts()
        if len(parts) == 1:
            return parts[0]
        whole = _pooled(parts, self._max_scores)
        self._state = self._state._replace(parts=(whole,))
        return whole

    def __repr__(self) -> str:
        whole = self._settled()
        sizes = ", ".join(
            f"{column.sum():,.6g} {name}" if column.dtype.kind == "f" else f"{int(column.sum()):,} {name}"
            for name, column in (("pos", whole.counted.pos), ("neg", whole.counted.neg))
        )
        weighted = ", weighted" * (whole.counted.pos_squares is not None)
        if whole.bits == _EXACT:
            return f"Accumulator({sizes}{weighted}, exact, {whole.size:,} scores)"
        return f"Accumulator({sizes}{weighted}, buckets of {whole.bits} bits, {whole.size:,} entries)"

    # --- keeping ----------------------------------------------------------------------------------

    @checks.declared
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a file from which `load` goes on: plain arrays in a zip, no pickle.

        The file appears under its name when it is complete, so whatever interrupts it, there is the old file or the
        new one.

        Examples
        --------
        >>> import baserate as br, tempfile, pathlib
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "may.counted"
        >>> counted = br.Accumulator()
        >>> counted.update([0, 1, 0], [0.2, 0.7, 0.1])
        >>> counted.save(path)
        >>> resumed = br.Accumulator.load(path)
        >>> resumed.n_rows
        3
        >>> resumed.curve() == counted.curve()
        True
        """
        whole = self._settled()
        facts: dict[str, files.Fact] = {
            "max_scores": self._max_scores,
            "positive": self._positive,
            "other": self._state.other,
            "rows": self._state.rows,
            "bits": None if whole.bits == _EXACT else whole.bits,
            "buckets": BUCKETS.version,
        }
        columns = {name: column for name, column in whole.counted._asdict().items() if column is not None}
        files.write(path, files.Saved(columns, facts), kind="accumulator")

    @classmethod
    @checks.declared
    def load(cls, path: str | os.PathLike[str]) -> "Accumulator":
        """Read a saved accumulator, to go on with it; a damaged or foreign file is refused."""
        columns, facts = files.read(path, kind="accumulator")
        check_version(BUCKETS, facts.get("buckets", 1), repr(os.fspath(path)))  # the first ones were not named
        try:
            loaded = cls(positive=facts["positive"], max_scores=facts["max_scores"])  # type: ignore[arg-type]  # it checks
            other = None if facts["other"] is None else _plain(facts["other"], "other")
            part = _pooled([_checked(columns, facts["bits"])], loaded._max_scores)
            loaded._state = _State((part,), int(checks.counts([facts["rows"]], "rows")[0]), other)
        except (ValueError, TypeError, KeyError) as error:
            raise CurveFileError(
                f"a saved accumulator must hold the columns of one, got {os.fspath(path)!r}, which does not "
                f"({error}); save it again."
            ) from None
        return loaded


def _plain(label: object, name: str) -> Label:
    """A label as Python has it: one that equals itself and can be written to a file."""
    value = label.item() if isinstance(label, np.generic) else label
    if not isinstance(value, bool | int | float | str) or (isinstance(value, float) and math.isnan(value)):
        raise InputError(f"{name} must be numbers, text or bool in an Accumulator, got {label!r}; convert it first.")
    return value


# --- parts ----------------------------------------------------------------------------------------


def _pooled(parts: Sequence[_Part], most: int) -> _Part:
    """The rows of all parts at the finest level that has at most so many scores or buckets.

    Buckets of a level are unions of those of any finer one, and more rows never have fewer. So that level depends on
    the rows alone: no part is coarser than the whole has to be.
    """
    bits = min(part.bits for part in parts)
    counted = _stacked([part.counted for part in parts])
    check_totals(counted)
    if bits < _EXACT:
        counted = _by_bucket_and_class(counted, bits)
    elif len(parts) > 1:
        counted = merge_counts(counted)

    def fits(bits: int) -> bool:
        groups = counted.score if bits == _EXACT else bucket_of(counted.score, bits)
        return len(starts(groups)) <= most

    if fits(bits):
        return _Part(counted, bits)
    coarser = range(bits - 1, 0, -1)
    place = bisect_left(coarser, True, key=fits)
    bits = coarser[place] if place < len(coarser) else 0
    return _Part(_by_bucket_and_class(counted, bits), bits)


def _stacked(tables: Sequence[Counted]) -> Counted:
    """All entries of all tables; rows without weights have weight 1 where others have one."""
    if len(tables) == 1:
        return tables[0]
    weighted = any(table.pos_squares is not None for table in tables)
    bucketed = any(table.top is not None for table in tables)

    def column(name: str, instead: str = "") -> Array:
        return np.concatenate([getattr(table, instead if getattr(table, name) is None else name) for table in tables])

    return Counted(
        column("score"),
        column("pos"),
        column("neg"),
        column("pos_squares", instead="pos") if weighted else None,
        column("neg_squares", instead="neg") if weighted else None,
        column("top", instead="score") if bucketed else None,
    )


def _by_bucket_and_class(counted: Counted, bits: int) -> Counted:
    """One entry for what each class has in each bucket, highest bucket first."""
    of_pos, of_neg = np.flatnonzero(counted.pos > 0), np.flatnonzero(counted.neg > 0)
    entry = np.append(of_pos, of_neg)
    is_pos = np.arange(len(entry)) < len(of_pos)
    # Negated, because entries come with the highest first: the sort is fast where it finds long rising runs.
    keys = -(2 * bucket_of(counted.score[entry], bits) + is_pos)
    order = np.argsort(keys, kind="stable")
    first = starts(keys[order])
    entry, is_pos = entry[order], is_pos[order]

    def summed(values: Counts, wanted: BoolArray) -> Counts:
        wide = values.astype(np.float64 if values.dtype.kind == "f" else np.int64)
        return narrow(np.add.reduceat(np.where(wanted, wide[entry], 0), first))

    def squares(values: FloatArray | None, wanted: BoolArray) -> FloatArray | None:
        return None if values is None else summed(values, wanted)

    top = counted.score if counted.top is None else counted.top
    return Counted(
        np.minimum.reduceat(counted.score[entry], first),
        summed(counted.pos, is_pos),
        summed(counted.neg, ~is_pos),
        squares(counted.pos_squares, is_pos),
        squares(counted.neg_squares, ~is_pos),
        np.maximum.reduceat(top[entry], first),
    )


def _checked(columns: dict[str, Array], bits: object) -> _Part:
    """What a file holds, checked like any other input; `_pooled` brings it into its form again."""
    Curve.from_counts(**columns)
    wide = np.float64 if "pos_squares" in columns else np.int64
    typed = {name: column.astype(wide if name in ("pos", "neg") else np.float64) for name, column in columns.items()}
    counted = Counted(**typed)  # type: ignore[arg-type]  # from_counts knew all names
    if bits is None:
        if counted.top is not None:
            raise InputError("entries must be scores at the exact level, got buckets")
        return _Part(merge_counts(counted), _EXACT)  # `_pooled` takes single scores as they come
    if not isinstance(bits, int) or not 0 <= bits < _EXACT:
        raise InputError(f"bits must be a whole number below {_EXACT}, got {bits!r}")
    level = bits
    if counted.top is None or (bucket_of(counted.score, level) != bucket_of(counted.top, level)).any():
        raise InputError("entries must lie within buckets, got some that do not")
    return _Part(counted, level)
