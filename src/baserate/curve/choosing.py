"""Which threshold: the rules that turn a curve into one of its points. Points are never interpolated.

A wish is met if it is met up to the rounding of the arithmetic.
"""

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from baserate import checks
from baserate.arrays import Counts, FloatArray
from baserate.curve.point import Choice, Point
from baserate.errors import InputError, MissingInformationError, NoSuchPointError, UndefinedMetricWarning
from baserate.formulas import pointwise
from baserate.registry import describe, lower_is_better

if TYPE_CHECKING:
    from baserate.curve.curve import Curve

# Two values closer than this, relatively, are equal: they differ by the rounding of the formula only.
_ROUNDING = 8 * np.finfo(np.float64).eps

# The row above all others: nothing is predicted positive.
_ABOVE_ALL = -1


def at_threshold(curve: "Curve", threshold: float) -> Point:
    """The point that predicts positive at `threshold` and above."""
    wanted = checks.number(threshold, "threshold")
    row = len(curve) - int(np.searchsorted(curve.score[::-1], wanted)) - 1
    return _point(curve, row, Choice("threshold", wanted), threshold=wanted)


def at_recall(curve: "Curve", recall: float) -> Point:
    """The highest threshold whose recall reaches `recall`."""
    wanted = checks.share(recall, "recall", above=True)
    _needs_both_classes(curve)
    tp, _ = curve.table.cumulative()
    row = int(np.searchsorted(tp, wanted * curve.table.total_pos * (1 - _ROUNDING)))
    return _point(curve, row, Choice("recall", wanted))


def at_fpr(curve: "Curve", fpr: float) -> Point:
    """The lowest threshold whose FPR stays within `fpr`."""
    wanted = checks.share(fpr, "fpr")
    _needs_both_classes(curve)
    _, fp = curve.table.cumulative()
    return _point(curve, _last_within(fp, wanted * curve.table.total_neg), Choice("fpr", wanted))


def at_alert_rate(curve: "Curve", alert_rate: float) -> Point:
    """The lowest threshold whose share of alerts, at the prevalence read at, stays within `alert_rate`."""
    wanted = checks.share(alert_rate, "alert_rate")
    _needs_both_classes(curve)
    row = _last_within(pointwise.alert_rate(curve.confusion_as_read), wanted)
    return _point(curve, row, Choice("alert_rate", wanted, prevalence=curve.prevalence))


def at_top_k(curve: "Curve", k: int) -> Point:
    """The lowest threshold with at most `k` rows at or above it."""
    wanted = checks.whole_number(k, "k")
    if curve.weighted or not curve.has_scores:
        raise MissingInformationError(
            "at_top_k counts rows, and this curve has weights or rates instead; use at_alert_rate with a share."
        )
    rows_above = np.cumsum(curve.pos + curve.neg)
    return _point(curve, _last_within(rows_above, wanted), Choice("top_k", wanted))


def at_precision(curve: "Curve", precision: float) -> Point:
    """The threshold with the largest recall among those whose precision reaches `precision`."""
    wanted = checks.share(precision, "precision", above=True)
    _needs_both_classes(curve)
    cases = curve.confusion_as_read
    reached = pointwise.precision(cases)
    rows = np.flatnonzero(reached >= wanted * (1 - _ROUNDING))
    if len(rows) == 0:
        highest = int(np.argmax(reached))
        where = f", at threshold {curve.score[highest]:.6g}" if curve.has_scores else ""
        raise NoSuchPointError(
            f"no threshold has precision >= {wanted} at prevalence {curve.prevalence:.4g}; the highest is "
            f"{reached[highest]:.4g}{where}."
        )
    # Several thresholds may share the largest recall; the highest of them has the best precision.
    row = int(rows[cases.tp[rows] == cases.tp[rows[-1]]][0])
    return _point(curve, row, Choice("precision", wanted, prevalence=curve.prevalence))


def best(curve: "Curve", metric: Callable[..., object]) -> Point:
    """The threshold where `metric` is best, silence included; among equals the highest."""
    _needs_both_classes(curve)
    sign = -1.0 if lower_is_better(metric) else 1.0
    choice = Choice("best", metric=metric, prevalence=curve.prevalence)
    can_be_silent = not curve.has_scores or curve.score[0] < math.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # an undefined threshold is simply not the best
        values = np.asarray(metric(curve), np.float64)
        if values.shape != (len(curve),):
            raise InputError(
                f"best needs a pointwise metric, one value per threshold, got shape {values.shape} from "
                f"{describe(metric)}; pass one such as br.f1."
            )
        silent = float(np.asarray(metric(_point(curve, _ABOVE_ALL, choice)))) if can_be_silent else math.nan
    gains: FloatArray = sign * np.append(silent, values)
    gains[np.isnan(gains)] = -np.inf
    highest = float(gains.max())
    if highest == -np.inf:
        raise NoSuchPointError(f"{describe(metric)} is undefined at every threshold of this curve.")
    nearly = highest - _ROUNDING * abs(highest) if math.isfinite(highest) else highest
    return _point(curve, int(np.argmax(gains >= nearly)) - 1, choice)


def _last_within(rising: Counts, limit: float) -> int:
    return int(np.searchsorted(rising, limit * (1 + _ROUNDING), side="right")) - 1


def _needs_both_classes(curve: "Curve") -> None:
    if curve.missing_class:
        raise NoSuchPointError(f"a threshold cannot be chosen on this curve: {curve.missing_class.sentence}.")


def _point(curve: "Curve", row: int, choice: Choice, threshold: float | None = None) -> Point:
    if threshold is None and curve.has_scores:
        if row == _ABOVE_ALL and len(curve) and curve.score[0] == math.inf:
            raise NoSuchPointError(f"no threshold has {choice}: the highest score is infinite, none lies above it.")
        threshold = float(curve.score[row]) if row != _ABOVE_ALL else math.inf
    return Point(curve.table.confusion_at(row), curve._n, threshold, choice, curve, _given=curve.given_prevalence)
