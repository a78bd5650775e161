"""Columns: labels, scores, counts, weights, rates, prevalences."""

import re
from numbers import Real
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from baserate.arrays import Array, BoolArray, Counts, FloatArray
from baserate.checks.synonyms import did_you_mean
from baserate.checks.values import MOST_CASES, SMALLEST_PREVALENCE, prevalence
from baserate.errors import InputError, cut, shown

Label = bool | int | float | str

# The square of a weight, and the product of two sums of weights, must neither overflow nor vanish.
_LARGEST_AMOUNT = 1e100

# Above this, float64 cannot tell neighbouring whole numbers apart.
_LARGEST_EXACT_INTEGER = 2**53


# --- columns: anything one-dimensional ------------------------------------------------------------


def narwhals_of(table: object, **options: bool) -> Any:
    """A dataframe as narwhals sees it; anything else as it is."""
    try:
        return nw.from_native(table, pass_through=True, **options)
    except nw.exceptions.DuplicateError as error:
        twice = re.search(r"- (.*) (\d+) times", str(error))
        got = f"{twice[1]} {twice[2]} times" if twice else "some more than once"
        raise InputError(f"the columns of a table must have different names, got {got}; rename one of them.") from None


def column(values: object, name: str) -> Array:
    """Any one-dimensional container as a numpy array without missing values."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        array = _from_series(series, name)
    elif isinstance(values, np.ma.MaskedArray):
        _refuse_missing(int(np.count_nonzero(np.ma.getmaskarray(values))), name)
        array = np.asarray(values)
    elif isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise InputError(f"{name} must be a column of values, got {_kind(values)}; pass a list, array or Series.")
    else:
        array = _from_array_like(values, name)
    if array.ndim != 1:
        of_two = array.ndim == 2 and array.shape[1] == 2
        advice = "pass that of the positive class, predict_proba(X)[:, 1]" if of_two else "pass one column"
        raise InputError(
            f"{name} must be one-dimensional, got shape {array.shape}; {advice}, or use one_vs_rest for a score matrix."
        )
    return _without_missing(array, name)


def _from_series(series: "nw.Series[Any]", name: str) -> Array:
    missing = series.null_count()
    _refuse_missing(missing, name)
    return series.to_numpy()


def matrix(values: object, name: str, n_rows: int) -> tuple[list[str] | None, list[Any]]:
    """A table with one row per label and one column per class: its column names, if it has any, and its columns."""
    frame = narwhals_of(values, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        shape = frame.shape
        names, columns = list(map(str, frame.columns)), [frame[:, k].to_native() for k in range(shape[1])]
    else:
        array = _from_array_like(values, name)
        shape = array.shape
        names, columns = None, list(array.T) if array.ndim == 2 else []
    if len(shape) != 2 or shape[0] != n_rows:
        raise InputError(
            f"{name} must be a matrix with one row per label and one column per class, got shape {shape} for "
            f"{n_rows:,} labels; pass predict_proba's result."
        )
    return names, columns


def _from_array_like(values: object, name: str) -> Array:
    try:
        array = np.asarray(values)
        if array.dtype.kind in "US" and isinstance(values, list | tuple):
            # numpy has made text of whatever stood beside text; look at the values themselves instead.
            array = np.asarray(values, dtype=object)
        return array
    except (ValueError, TypeError, RuntimeError) as error:
        raise InputError(
            f"{name} must be one column of values, got {_kind(values)} that numpy cannot read ({error}); "
            f"pass a list, array or Series."
        ) from None


def _without_missing(array: Array, name: str) -> Array:
    """Refuse nan, None and NaT, and convert arrays of Python objects to a plain type."""
    if array.dtype.kind == "T":  # numpy's variable-width strings
        array = array.astype(object)
    if array.dtype.kind == "O":
        missing = sum(map(is_missing, array))
        _refuse_missing(missing, name)
        kinds = {type(value) for value in array}
        if kinds <= {bool, np.bool_}:
            return array.astype(np.bool_)
        if kinds and kinds <= {str, np.str_}:
            return array.astype(np.str_)
        if _all_plain_numbers(array):
            return _exact_float(array, name)
    elif array.dtype.kind == "f":
        missing = int(np.count_nonzero(np.isnan(array)))
        _refuse_missing(missing, name)
    return array


def is_missing(value: object) -> bool:
    """True for None, float nan, Decimal nan, NaT and pandas.NA."""
    if value is None:
        return True
    try:
        return not bool(value == value)  # noqa: PLR0124
    except (TypeError, ValueError, ArithmeticError):  # pandas.NA refuses to be a bool, a signalling nan to compare
        return True


def present(values: object, name: str) -> tuple[BoolArray, Array]:
    """Which values of a column are there, and these values; None, nan, NaT and NA are missing."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        there = ~series.is_null().to_numpy().astype(np.bool_)
        array = series.filter(there.tolist()).to_numpy()
    elif isinstance(values, np.ma.MaskedArray):
        there = ~np.ma.getmaskarray(values)
        array = np.asarray(values)[there]
    elif isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise InputError(f"{name} must be a column of values, got {_kind(values)}; pass a list, array or Series.")
    else:
        array = np.asarray(values, object) if isinstance(values, list | tuple) else np.asarray(values)
        there = np.ones(array.shape, np.bool_)
    if array.ndim != 1:
        raise InputError(f"{name} must be one-dimensional, got shape {array.shape}; pass one column.")
    if array.dtype.kind == "f":
        known = ~np.isnan(array)
    elif array.dtype.kind == "O":
        known = np.array([not is_missing(value) for value in array], np.bool_)
    else:
        known = np.ones(len(array), np.bool_)
    there[there] = known
    return there, column(array[known], name)


def _refuse_missing(missing: int, name: str) -> None:
    if missing:
        raise InputError(f"{name} must have no missing values, got {missing:,} missing; drop or fill them first.")


def same_length(first: Array, first_name: str, second: Array, second_name: str) -> None:
    """Refuse two columns of different lengths."""
    if len(first) != len(second):
        raise InputError(
            f"{first_name} and {second_name} must have the same length, got {len(first):,} and "
            f"{len(second):,}; pass one value of each per row."
        )


# --- labels ---------------------------------------------------------------------------------------

_SEVERAL = "use one_vs_rest for more than two classes"


def labels(y_true: object, positive: Label | None, name: str = "y_true", *, several: str = _SEVERAL) -> BoolArray:
    """True where the row is positive; `several` is the advice for more than two classes."""
    array = column(y_true, name)
    if len(array) == 0:
        return np.zeros(0, np.bool_)
    if positive is not None:
        return _labels_named(array, positive, name, several)
    if array.dtype.kind == "b":
        return array.astype(np.bool_, copy=False)
    if array.dtype.kind not in "iufO":
        raise InputError(
            f"{name} must be 0/1, -1/1 or bool unless positive= names the positive label, "
            f"got {_dtype_name(array)} labels: {_listed(array)}; {_which_is_positive(_distinct(array), several)}."
        )
    is_positive = np.asarray(array == 1, dtype=np.bool_)
    is_negative = array == 0
    if not (is_positive | is_negative).all() and not (is_positive | (array == -1)).all():
        different = len(_distinct(array))
        if array.dtype.kind == "f" and (array != np.rint(array)).any():
            advice = _LIKE_SCORES if name == "y_true" else "these look like scores; pass label= the column of labels"
        else:
            advice = _which_is_positive(_distinct(array), several)
        raise InputError(
            f"{name} must hold two classes, 0/1 or -1/1, got {different} different "
            f"label{'s' if different != 1 else ''}: {_listed(array)}; {advice}."
        )
    return is_positive


_LIKE_SCORES = "these look like scores: y_true comes first, then y_score"

# What the positive class is called, where two labels are words.
_POSITIVE = {"yes", "y", "true", "t", "positive", "pos", "fraud", "spam", "bad", "default", "churn", "case", "event"}
_POSITIVE |= {"sick", "disease", "malignant", "anomaly", "attack", "fail", "failure", "hit", "click"}


def _which_is_positive(distinct: list[object], several: str) -> str:
    """A hint at the positive label: the one with a telling name, or either of the two."""
    if len(distinct) > 2:
        return several
    named = [label for label in distinct if str(label).strip().lower() in _POSITIVE]
    if len(named) == 1:
        return f"pass positive={_shown(named[0])}"
    return f"say which one is positive, {' or '.join(f'positive={_shown(label)}' for label in distinct)}"


def _labels_named(array: Array, positive: Label, name: str, several: str) -> BoolArray:
    if not isinstance(positive, str | bytes | Real | np.bool_):
        raise InputError(f"positive= must be one label, got {shown(positive)}; pass the label of the positive class.")
    kind = "U" if isinstance(positive, str) else "S" if isinstance(positive, bytes) else "biuf"
    comparable = array.dtype.kind in kind or array.dtype.kind == "O"
    try:
        is_positive = np.asarray(array == positive, np.bool_) if comparable else np.zeros(len(array), np.bool_)
    except OverflowError:  # a number that no label of this type can be
        is_positive = np.zeros(len(array), np.bool_)
    rest = array[~is_positive]
    two_classes = len(rest) == 0 or bool(np.all(rest == rest[0]))
    if two_classes and (is_positive.any() or comparable):
        return is_positive
    if is_positive.any():
        raise InputError(
            f"{name} must hold two classes, got {len(_distinct(array))} different labels: {_listed(array)}; {several}."
        )
    hint = did_you_mean(
        positive if isinstance(positive, str) else shown(positive), [str(label) for label in _distinct(array)]
    )
    raise InputError(
        f"positive= must be one of the labels in {name}, got {shown(positive)} where the labels are "
        f"{_listed(array)}; {hint or 'name one of these'}."
    )


def _distinct(array: Array) -> list[object]:
    if array.dtype.kind != "O":
        return list(np.unique(array).tolist())
    return [value for _, value in sorted({repr(value): value for value in array.tolist()}.items())]


def _listed(array: Array) -> str:
    distinct = _distinct(array)
    shown = ", ".join(_shown(value) for value in distinct[:5])
    return shown + (", …" if len(distinct) > 5 else "")


def _shown(value: object) -> str:
    plain = value.item() if isinstance(value, np.generic) else value
    return cut(repr(int(plain) if isinstance(plain, float) and plain.is_integer() else plain))


# --- numbers, counts and weights ------------------------------------------------------------------


def numbers(values: object, name: str) -> FloatArray:
    """A column of real numbers as float64; refused if different numbers would become equal."""
    return _exact_float(column(values, name), name)


def _exact_float(array: Array, name: str) -> FloatArray:
    """Convert to float64 without making different numbers equal."""
    kind = array.dtype.kind
    if kind in "iu" and len(array):
        largest = max(abs(int(array.max())), abs(int(array.min())))
        if largest > _LARGEST_EXACT_INTEGER:
            raise InputError(
                f"{name} must fit in float64 without new ties, got integers up to {largest:,}; "
                f"subtract an offset or divide first."
            )
    elif kind not in "biuf" and not _all_plain_numbers(array):
        raise InputError(
            f"{name} must be real numbers, got {_dtype_name(array)} values{_such_as(array)}; convert them to float "
            f"first."
        )
    try:
        converted = array.astype(np.float64, copy=False)
        exact = (kind != "O" and array.dtype.itemsize <= 8) or bool(np.all(converted.astype(object) == array))
    except OverflowError:
        exact = False
    if not exact:
        raise InputError(f"{name} must fit in float64 without new ties, got {_dtype_name(array)}; round it first.")
    return converted


def _such_as(array: Array) -> str:
    return f" such as {_shown(array[0])}" if len(array) else ""


def _all_plain_numbers(array: Array) -> bool:
    plain = (bool, int, float, np.bool_, np.integer, np.floating)
    return array.dtype.kind == "O" and all(isinstance(value, plain) for value in array)


def counts(values: object, name: str) -> npt.NDArray[np.int64]:
    """Whole numbers of cases, none negative."""
    array = column(values, name)
    if array.dtype.kind not in "iu" or (len(array) and int(array.min()) < 0):
        array = amounts(array, name)
        if not np.array_equal(array, np.rint(array)):
            raise InputError(
                f"{name} must be whole numbers of cases, got {array[array != np.rint(array)][0]}; for weighted "
                f"rows use from_scores(weight=) or pass the sums of squared weights too."
            )
    cases_fit(array, name)
    return array.astype(np.int64)


def cases_fit(counts: Counts, name: str) -> None:
    """Refuse numbers of cases whose sum is too large to be exact."""
    if counts.dtype.kind != "f" and len(counts) * np.iinfo(counts.dtype).max <= MOST_CASES:
        return  # however large each of them is
    total = float(counts.sum(dtype=np.float64))
    if total > MOST_CASES:
        raise InputError(
            f"{name} must add up to at most 2**62 cases, so that sums fit in int64, got {total:.4g}; divide all "
            f"counts by a common factor."
        )


def weights_fit(weights: FloatArray, name: str) -> None:
    """Refuse weights whose sum is too large."""
    total = float(weights.sum())
    if total > _LARGEST_AMOUNT:
        raise InputError(
            f"{name} must add up to at most {_LARGEST_AMOUNT:.0e}, so that squares fit in float64, got {total:.4g}; "
            f"divide all weights by a common factor."
        )


def amounts(values: object, name: str, *, largest: float = _LARGEST_AMOUNT) -> FloatArray:
    """Finite numbers, none negative: weights, or sums of weights."""
    array = numbers(values, name)
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}; replace or drop it.")
    if (array < 0).any():
        raise InputError(f"{name} must not be negative, got {array[array < 0][0]}; drop or correct these rows.")
    extreme = (array > largest) | ((array > 0) & (array < 1 / largest))
    if extreme.any():
        raise InputError(
            f"{name} must be 0 or between {1 / largest:.0e} and {largest:.0e}, so that squares fit in "
            f"float64, got {array[extreme][0]}; divide all by a common factor."
        )
    return array


def weights(weight: object, n_rows: int) -> FloatArray:
    """One weight per row; not all of them zero."""
    array = amounts(weight, "weight")
    if len(array) != n_rows:
        raise InputError(
            f"weight must have one value per row, got {len(array):,} for {n_rows:,} rows; pass one weight for each."
        )
    if n_rows and not array.any():
        raise InputError("weight must not be zero for every row, got a total of 0; pass the weights of the rows.")
    return array


def not_below(high: FloatArray, name: str, low: FloatArray, low_name: str) -> FloatArray:
    """Refuse upper ends of ranges that are below the lower ends."""
    same_length(high, name, low, low_name)
    wrong = high < low
    if wrong.any():
        raise InputError(f"{name} must not be below {low_name}, got {high[wrong][0]} below {low[wrong][0]}; swap them.")
    return high


# --- rates and prevalences ------------------------------------------------------------------------


def rates(values: object, name: str) -> FloatArray:
    """Rates of a ROC curve, from the strictest threshold to the loosest."""
    array = numbers(values, name)
    if not ((array >= 0) & (array <= 1)).all():
        outside = array[~((array >= 0) & (array <= 1))][0]
        raise InputError(f"{name} must be between 0 and 1, got {outside}; pass shares, not percentages.")
    if (np.diff(array) < 0).any():
        place = int(np.flatnonzero(np.diff(array) < 0)[0])
        raise InputError(
            f"{name} must not decrease, got {array[place]} followed by {array[place + 1]}; order the points from "
            f"the strictest threshold to the loosest."
        )
    return array


def edges(values: object, name: str) -> FloatArray:
    """Edges of bins of probabilities, rising."""
    array = numbers(values, name)
    if len(array) < 2 or not (np.diff(array) > 0).all() or not (array[0] >= 0 and array[-1] <= 1):
        raise InputError(
            f"{name} as edges must be at least two increasing numbers between 0 and 1, got {np.array2string(array)}; "
            f"pass such as [0, 0.1, 0.5, 1]."
        )
    return array


def probabilities(values: object, name: str) -> FloatArray:
    """Probabilities, one per row."""
    array = numbers(values, name)
    outside = ~((array >= 0) & (array <= 1))
    if outside.any():
        raise InputError(
            f"{name} must be probabilities between 0 and 1, got {array[outside][0]}; turn margins or log-odds into "
            f"probabilities first, for example with scikit-learn's CalibratedClassifierCV."
        )
    return array


def prevalences(values: object, name: str = "prevalences") -> FloatArray:
    """A column of prevalences, each strictly between 0 and 1."""
    items = values if isinstance(values, list | tuple) else column(values, name)
    if any(isinstance(item, str) for item in items):
        return np.array([prevalence(item, name) for item in items])
    array = numbers(values, name)
    outside = ~((array >= SMALLEST_PREVALENCE) & (array < 1))
    if outside.any():
        raise InputError(
            f"{name} must be strictly between 0 and 1, got {array[outside][0]}; for a logarithmic grid "
            f"use numpy.geomspace(1e-4, 0.5, 50)."
        )
    return array


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"


def _dtype_name(array: Array) -> str:
    if array.dtype.kind == "O":
        return type(array[0]).__name__ if len(array) else "object"
    return "text" if array.dtype.kind in "US" else str(array.dtype)
