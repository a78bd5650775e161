"""Audit of published numbers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from baserate import checks
from baserate.arrays import Prevalence
from baserate.curves.curve import Curve
from baserate.errors import InputError, shown
from baserate.metrics.areas import auc_pr, average_precision
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.published.numbers import (
    FPR,
    NEGATIVES,
    POSITIVES,
    PREVALENCE,
    SHARES,
    TPR,
    Printed,
    class_size,
    measure,
    printed_number,
)
from baserate.published.tables import Agreeing
from baserate.registry import CellRatio
from baserate.results.audits import Audit, ImpliedRange

# At the paper's own prevalence, and at another one, where the rates are what they were.
_OWN = (PREVALENCE, "recall", "specificity", "precision", "f1")
_ELSEWHERE = ("precision", "f1")

# The lowest area of a curve that reaches a point: average precision without ties falls to the exact area.
_LOWEST: Mapping[MetricFunction, MetricFunction] = {average_precision: auc_pr}

_ROUNDING = 1e-9  # of areas, which are computed in floating point; an area this close counts as possible


@checks.declared
def audit(
    printed: Mapping[str, object],
    *,
    at: Prevalence | Sequence[Prevalence] | None = None,
    metrics: str | Sequence[str] | None = None,
) -> Audit:
    """Audit published numbers: can they be true together, and what do they imply at another prevalence?

    Parameters
    ----------
    printed : mapping of str to number or text
        What is printed, by name: pointwise metrics of one threshold that are ratios of sums of cells of the confusion
        matrix (``precision``, ``recall``, ``specificity``, ``npv``, ``f1``, ``f_beta:beta=2``, ``accuracy``,
        ``alert_rate``, …), ``fpr``, ``prevalence``, areas (``roc_auc``, ``auc_pr``, ``average_precision``), and the
        class sizes ``n_pos`` and ``n_neg``. A number stands for all numbers that round to it: ``"0.90"`` for 0.895 to
        0.905, and 0.9 for 0.85 to 0.95. So write numbers as text, as they are printed. A pair is a range.
    at : float, text or a sequence of these, optional
        Prevalences at which to say what follows.
    metrics : str or sequence of str, optional
        Metrics to say it of, at the printed prevalence and at each of `at`; by default precision, F1 and the rates.

    Returns
    -------
    Audit
        Whether the numbers are possible, else which ones contradict each other; and the implied ranges.

    Notes
    -----
    Without class sizes, all tables of shares are considered; with them, all tables of whole numbers. Among these, "not
    possible" is proven, by exact arithmetic, and the ranges are sharp: each end is reached, or approached if the
    prevalence is unknown. All threshold metrics must belong to the same threshold.

    Areas are bounded by the worst and the best ROC curve through a point in the range of the rates, so numbers that
    cannot be true together may pass. AUC-PR is the exact area of Davis and Goadrich; a sum of trapezoids in a paper can
    be larger. The lowest AUC-PR is that of Boyd et al.

    References
    ----------
    Davis and Goadrich, The relationship between Precision-Recall and ROC curves, ICML 2006.
    doi:10.1145/1143844.1143874.
    Boyd et al., Unachievable Region in Precision-Recall Space and Its Effect on Empirical Evaluation, ICML 2012.

    Examples
    --------
    >>> import baserate as br
    >>> found = br.audit({"precision": "0.90", "recall": "0.80", "prevalence": "0.10"}, at="1 in 1,000")
    >>> found.possible
    True
    >>> print(found)
    possible: precision 0.90, recall 0.80, prevalence 0.10
    metric       prevalence     low  high
    prevalence   as printed   0.095  0.105
    recall       as printed   0.795  0.805
    specificity  as printed  0.9889  0.9912
    precision    as printed   0.895  0.905
    f1           as printed   0.842  0.8521
    precision    1 in 1,000  0.0678  0.08328
    f1           1 in 1,000  0.1249  0.1509
    >>> print(br.audit({"precision": "0.90", "recall": "0.80", "f1": "0.70"}))
    not possible: f1 0.70 contradicts precision 0.90, recall 0.80, which imply f1 between 0.842 and 0.8521
    """
    stated = _stated(printed)
    prevalences = _prevalences(at)
    wanted = None if metrics is None else [(name, *measure(name)) for name in _names(metrics)]
    conflict = _conflict(stated)
    tables = Agreeing(stated.numbers, stated.sizes)
    return Audit(
        printed=tuple(f"{name} {_text(value)}" for name, value in printed.items()),
        possible=not conflict,
        why=_why(conflict, stated),
        implied=() if conflict else tuple(_implied(tables, stated, prevalences, wanted)),
    )


class _Stated(NamedTuple):
    """What a paper says."""

    numbers: list[Printed]
    sizes: tuple[int, int] | None

    def but(self, one: Printed) -> "_Stated":
        """All but one of the numbers."""
        return _Stated([other for other in self.numbers if other is not one], self.sizes)


def _stated(printed: Mapping[str, object]) -> _Stated:
    if not printed:
        raise InputError("audit needs at least one printed number, got none; pass {'precision': '0.90'} for example.")
    for name in printed:
        if not isinstance(name, str):
            raise InputError(f"printed numbers must have names, got {shown(name)}; pass {{'precision': '0.90'}}.")
    sizes = {name: class_size(name, printed[name]) for name in (POSITIVES, NEGATIVES) if name in printed}
    if len(sizes) == 1 or 0 in sizes.values():
        raise InputError(
            f"n_pos and n_neg must both be given, and above 0, got {sizes}; pass both, or the prevalence alone."
        )
    numbers = [printed_number(name, value) for name, value in printed.items() if name not in sizes]
    return _Stated(numbers, (sizes[POSITIVES], sizes[NEGATIVES]) if sizes else None)


def _text(value: object) -> str:
    return value if isinstance(value, str) else f"{value:,}" if isinstance(value, int) else str(value)


def _prevalences(at: Prevalence | Iterable[Prevalence] | None) -> list[float]:
    if at is None:
        return []
    each = [at] if isinstance(at, str | float | int) else at
    return [checks.prevalence(one, "at") for one in each]


def _names(metrics: object) -> list[str]:
    names = []
    for name in metrics if isinstance(metrics, list | tuple) else [metrics]:
        if not isinstance(name, str):
            raise InputError(f"metrics must be names of metrics, got a {type(name).__name__}; pass metrics=['npv'].")
        names.append(name)
    return names


# --- can it be true? ------------------------------------------------------------------------------


def _is_possible(stated: _Stated) -> bool:
    tables = Agreeing(stated.numbers, stated.sizes)
    if not tables.possible:
        return False
    areas = [one for one in stated.numbers if one.cells is None]
    return all(_overlaps(one, _area(one.metric, tables)) for one in areas)


def _overlaps(one: Printed, between: tuple[float, float]) -> bool:
    low, high = between
    return not (float(one.high) < low - _ROUNDING or float(one.low) > high + _ROUNDING)


def _conflict(stated: _Stated) -> list[Printed]:
    """Numbers that cannot be true together, none of which can be left out; none if all can be true."""
    if _is_possible(stated):
        return []
    for one in list(stated.numbers):
        if not _is_possible(fewer := stated.but(one)):
            stated = fewer
    return stated.numbers


def _why(conflict: Sequence[Printed], stated: _Stated) -> str | None:
    if not conflict:
        return None
    *others, last = sorted(conflict, key=lambda one: one.cells is None)  # an area is judged by the rates
    low, high = _range_of(last, Agreeing(others, stated.sizes))
    sizes = [] if stated.sizes is None else [f"{stated.sizes[0]:,} positives and {stated.sizes[1]:,} negatives"]
    rest = [*(one.said for one in others), *sizes]
    if not rest:
        return f"no table has {last.said}"
    if float(last.low) <= high and low <= float(last.high):  # the range has gaps
        return f"no table of whole numbers has {', '.join([last.said, *rest])}"
    verb = "imply" if len(rest) > 1 or sizes else "implies"
    return f"{last.said} contradicts {', '.join(rest)}, which {verb} {last.name} between {low:.4g} and {high:.4g}"


# --- what follows ---------------------------------------------------------------------------------


def _implied(
    tables: Agreeing,
    stated: _Stated,
    prevalences: Sequence[float],
    wanted: Sequence[tuple[str, CellRatio | None, MetricFunction | None]] | None,
) -> Iterable[ImpliedRange]:
    for prevalence in (None, *prevalences):
        names = _OWN if prevalence is None else _ELSEWHERE
        for name, cells, metric in wanted or [(name, *measure(name)) for name in names]:
            low, high = _area(metric, tables, prevalence) if cells is None else tables.extremes(cells, prevalence)
            yield ImpliedRange(name, prevalence, low, high)


def _range_of(one: Printed, tables: Agreeing) -> tuple[float, float]:
    return _area(one.metric, tables) if one.cells is None else tables.extremes(one.cells)


def _area(metric: MetricFunction | None, tables: Agreeing, prevalence: float | None = None) -> tuple[float, float]:
    """The lowest and the highest area of a curve through a point whose rates lie in their ranges."""
    assert metric is not None  # what is no ratio of cells is an area
    (least_tpr, most_tpr), (least_fpr, most_fpr) = (tables.extremes(SHARES[rate]) for rate in (TPR, FPR))
    worst = Curve.from_rates(tpr=[0.0, least_tpr, least_tpr], fpr=[most_fpr, most_fpr, 1.0])
    best = Curve.from_rates(tpr=[most_tpr, most_tpr, 1.0], fpr=[0.0, least_fpr, least_fpr])
    own = tables.extremes(SHARES[PREVALENCE])
    ends = [min(max(end, checks.values.SMALLEST_PREVALENCE), 1 - 2**-53) for end in own]
    read_at = ends if prevalence is None else [prevalence]
    lowest = _LOWEST.get(metric, metric)
    return (
        min(float(evaluate(lowest, worst.at_prevalence(one))[0]) for one in read_at),
        max(float(evaluate(metric, best.at_prevalence(one))[0]) for one in read_at),
    )
