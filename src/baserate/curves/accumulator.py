"""Rows that come in batches, counted in bounded memory."""

import math
import os
import threading
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import Array, ArrayLike, BoolArray
from baserate.checks import Label
from baserate.curves import saving
from baserate.curves.buckets import bucket_of
from baserate.curves.counting import (
    Counted,
    count_rows,
    count_weighted_rows,
    merge_counts,
)
from baserate.curves.curve import Curve
from baserate.curves.formats import BUCKETS, check_version
from baserate.curves.parts import EXACT, CountedPart, pooled
from baserate.curves.rows import tabulate
from baserate.errors import CurveFileError, InputError, shown

# Held while a state takes the place of another, which takes no time, and over a fork, so that no child is born with it.
_replacing = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_replacing.acquire, after_in_parent=_replacing.release, after_in_child=_replacing.release
    )


class _State(NamedTuple):
    """The mutable state; it is replaced as a whole, so an error or an interrupt leaves the old one in place."""

    parts: tuple[CountedPart, ...] = ()  # each less than half as large as the one before
    rows: int = 0
    other: Label | None = None  # the label of the negatives, once there was one


class Accumulator:
    """Count rows batch by batch, in bounded memory, and make a curve of them at any time.

    The curve is identical to that of all rows in one batch, whatever their order and however they are split into
    updates and merged. Only sums of fractional weights may differ in the last digits, because floats are added in
    another order.

    Every score is kept while there are at most `max_scores` distinct ones. Beyond that, neighbouring scores share
    buckets, as narrow as the limit allows; then `bounds` gives the error of a metric. An accumulator holds at most two
    entries per bucket, and twice that while rows wait to be sorted. However low the limit, the range of all floats has
    at least about 600 buckets.

    Threads may share an accumulator: each batch is counted once, and a curve contains whole batches only. Processes use
    one each, to be merged afterwards; accumulators can be pickled, or saved and loaded.

    Parameters
    ----------
    positive : label, optional
        The positive label, as in `Curve.from_scores`. It is set here for all batches, because a batch may lack a class.
        Labels are checked over all batches: 0/1 in one and -1/1 in another are three classes, and refused.
    max_scores : int
        The largest number of distinct scores, or of buckets, to keep.

    Attributes
    ----------
    n_rows : int
        Number of rows counted so far: the place to continue from after `load`.

    Examples
    --------
    >>> import baserate as br
    >>> counted = br.Accumulator(positive="fraud")
    >>> counted.update(["ok", "ok", "ok"], [0.2, 0.1, 0.7])
    >>> counted.update(["fraud", "ok"], [0.9, 0.2])
    >>> counted
    Accumulator(1 pos, 4 neg, exact, 4 scores)
    >>> counted.curve()
    Curve(1 pos, 4 neg, prevalence 1 in 5)
    """

    def __init__(self, *, positive: Label | None = None, max_scores: int = 1_000_000) -> None:
        self._positive = None if positive is None else _plain(positive, "positive=")
        self._max_scores = checks.whole_number(max_scores, "max_scores")
        self._state = _State()

    # --- counting ---------------------------------------------------------------------------------

    @checks.declared
    def update(self, y_true: ArrayLike, y_score: ArrayLike, *, weight: ArrayLike | None = None) -> None:
        """Count a batch of rows; an invalid batch changes nothing.

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
            counted = tabulate(scores, is_positive)
        else:
            # That not all weights are zero is a rule for all rows together; `curve` checks it.
            weights = checks.amounts(weight, "weight")
            checks.same_length(scores, "y_score", weights, "weight")
            counted = count_weighted_rows(scores, is_positive, weights)
        self._add(CountedPart(counted, EXACT), len(scores), other)

    @checks.declared
    def merge(self, other: "Accumulator") -> None:
        """Add all rows of another accumulator, which is not changed.

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
        theirs_now = other._state
        self._add(pooled(_parts(theirs_now), self._max_scores), theirs_now.rows, theirs_now.other)

    @property
    def n_rows(self) -> int:
        """Number of rows counted so far."""
        return self._state.rows

    def _add(self, part: CountedPart, rows: int, label: Label | None) -> None:
        """Add a part; safe if other threads add parts at the same time."""
        while not self._replace(before := self._state, _with(before, part, rows, label, self._max_scores)):
            pass  # another thread was quicker, and this part is added to what it has left

    def _replace(self, before: _State, after: _State) -> bool:
        """Replace the state by one derived from it; False if another thread has replaced it before."""
        with _replacing:
            if self._state is not before:
                return False
            self._state = after
            return True

    def _labels(self, y_true: ArrayLike) -> tuple[BoolArray, Label | None]:
        """Which rows are positive, and the label of the negatives, if there are any."""
        column = checks.column(y_true, "y_true")
        is_positive = checks.labels(column, self._positive)
        if is_positive.all():
            return is_positive, None
        other = column[np.argmin(is_positive)]
        # Without a named label the negatives are 0, False, 0.0 or -1 in any type; 0 and -1 are all there is to know.
        return is_positive, int(other) if self._positive is None else _plain(other, "y_true")

    # --- reading ----------------------------------------------------------------------------------

    def curve(self) -> Curve:
        """The curve of all rows counted so far; more may be added later.

        Examples
        --------
        >>> import baserate as br
        >>> counted = br.Accumulator(max_scores=100)
        >>> counted.update([k % 3 == 0 for k in range(999)], [k * k for k in range(999)])
        >>> counted
        Accumulator(333 pos, 666 neg, buckets of 2 bits, 110 entries)
        >>> print(br.bounds(br.roc_auc, counted.curve()))
        roc_auc 0.499 in [0.4778, 0.5203] (prevalence 1 in 3)
        """
        whole, state = self._settled()
        if state.rows and not whole.size:
            raise InputError(
                "weight must not be zero for every row, got a total of 0; update with rows that have a weight."
            )
        return Curve._of(whole.counted if whole.bits == EXACT else merge_counts(whole.counted))

    def _settled(self) -> tuple[CountedPart, _State]:
        """All rows as one part, and the state they belong to; the one part replaces the others."""
        state = self._state
        parts = _parts(state)
        if len(parts) == 1:
            return parts[0], state
        whole = pooled(parts, self._max_scores)
        self._replace(state, state._replace(parts=(whole,)))
        return whole, state

    def __repr__(self) -> str:
        whole, _ = self._settled()
        sizes = ", ".join(
            f"{column.sum():,.6g} {name}" if column.dtype.kind == "f" else f"{int(column.sum()):,} {name}"
            for name, column in (("pos", whole.counted.pos), ("neg", whole.counted.neg))
        )
        weighted = ", weighted" * (whole.counted.pos_squares is not None)
        if whole.bits == EXACT:
            return f"Accumulator({sizes}{weighted}, exact, {whole.size:,} scores)"
        return f"Accumulator({sizes}{weighted}, buckets of {whole.bits} bits, {whole.size:,} entries)"

    # --- keeping ----------------------------------------------------------------------------------

    @checks.declared
    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the accumulator to a file; `load` resumes counting from it.

        The file is a zip of plain arrays, without pickle. It gets its name when it is complete, so after an
        interruption there is either the old file or the new one.

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
        whole, state = self._settled()
        facts: dict[str, saving.Fact] = {
            "max_scores": self._max_scores,
            "positive": self._positive,
            "other": state.other,
            "rows": state.rows,
            "bits": None if whole.bits == EXACT else whole.bits,
            "buckets": BUCKETS.version,
        }
        columns = {name: column for name, column in whole.counted._asdict().items() if column is not None}
        saving.write(path, saving.Saved(columns, facts), kind="accumulator")

    @classmethod
    @checks.declared
    def load(cls, path: str | os.PathLike[str]) -> "Accumulator":
        """Load a saved accumulator to continue counting; a damaged or foreign file is refused."""
        columns, facts = saving.read(path, kind="accumulator")
        check_version(BUCKETS, facts.get("buckets", 1), repr(os.fspath(path)))  # the first ones were not named
        try:
            loaded = cls(positive=facts["positive"], max_scores=facts["max_scores"])  # type: ignore[arg-type]  # it checks
            other = None if facts["other"] is None else _plain(facts["other"], "other")
            part = pooled([_checked(columns, facts["bits"])], loaded._max_scores)
            loaded._state = _State((part,), int(checks.counts([facts["rows"]], "rows")[0]), other)
        except (ValueError, TypeError, KeyError) as error:
            raise CurveFileError(
                f"a saved accumulator must hold the columns of one, got {os.fspath(path)!r}, which does not "
                f"({error}); save it again."
            ) from None
        return loaded


def _plain(label: object, name: str) -> Label:
    """A label as a plain Python value, which can be compared and written to a file."""
    value = label.item() if isinstance(label, np.generic) else label
    if not isinstance(value, bool | int | float | str) or (isinstance(value, float) and math.isnan(value)):
        raise InputError(
            f"{name} must be numbers, text or bool in an Accumulator, got {shown(label)}; convert it first."
        )
    return value


# --- parts ----------------------------------------------------------------------------------------


def _parts(state: _State) -> tuple[CountedPart, ...]:
    return state.parts or (CountedPart(count_rows(np.zeros(0), np.zeros(0, np.bool_)), EXACT),)


def _with(state: _State, part: CountedPart, rows: int, label: Label | None, most: int) -> _State:
    """The state with one more part.

    Parts are merged into the part before them once they have half its size together. So each row is sorted only a few
    times, whatever the number of batches.
    """
    other = _same_other(state.other, label)
    parts = state.parts
    start, size = len(parts), part.size
    while start > 0 and 2 * size >= parts[start - 1].size:
        start -= 1
        size += parts[start].size
    whole = pooled([*parts[start:], part], most)
    return _State((*parts[:start], whole), state.rows + rows, other)


def _same_other(known: Label | None, other: Label | None) -> Label | None:
    """The label of the negatives; refuses two batches that have more than two labels together."""
    if known is not None and other is not None and known != other:
        raise InputError(
            f"y_true must hold the same two classes in all batches, got the negative label {other!r} after "
            f"{known!r}; write it the same in all, or use one_vs_rest for more than two classes."
        )
    return other if known is None else known


def _checked(columns: dict[str, Array], bits: object) -> CountedPart:
    """The counts in a saved file, checked like any other input; `pooled` sorts and merges them afterwards."""
    Curve.from_counts(**columns)
    wide = np.float64 if "pos_squares" in columns else np.int64
    typed = {name: column.astype(wide if name in ("pos", "neg") else np.float64) for name, column in columns.items()}
    counted = Counted(**typed)  # type: ignore[arg-type]  # from_counts knew all names
    if bits is None:
        if counted.top is not None:
            raise InputError("entries must be scores at the exact level, got buckets")
        return CountedPart(merge_counts(counted), EXACT)  # `pooled` takes single scores as they come
    if not isinstance(bits, int) or not 0 <= bits < EXACT:
        raise InputError(f"bits must be a whole number below {EXACT}, got {shown(bits)}")
    level = bits
    if counted.top is None or (bucket_of(counted.score, level) != bucket_of(counted.top, level)).any():
        raise InputError("entries must lie within buckets, got some that do not")
    return CountedPart(counted, level)
