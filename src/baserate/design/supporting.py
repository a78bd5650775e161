"""What an existing test set can show."""

import math
from collections.abc import Iterable

from baserate import checks
from baserate.arrays import Prevalence
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.design.largest_width import max_width
from baserate.errors import InputError
from baserate.metrics.predictive import precision
from baserate.metrics.rates import lr_positive
from baserate.results import PointSupport, Support
from baserate.uncertainty.estimate import estimate, sizes_behind
from baserate.uncertainty.points import Cases, cases, rate_intervals

# For a curve, the points at these FPRs are evaluated, down to one false positive.
_FPRS = (0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6)


@checks.declared
def supports(
    at: Curve | Point,
    *,
    width: float = 0.1,
    prevalences: Iterable[Prevalence] = (),
    confidence_level: float = 0.95,
) -> Support:
    """The numbers of rows behind the rates, and the prevalences at which precision is known well enough.

    An FPR of 0.001 from 10,000 negatives rests on 10 false positives, and so does every precision at a low prevalence.

    Parameters
    ----------
    at : Curve or Point
        An operating point with its class sizes; for a curve, the points at FPR 0.1, 0.01, … down to one false positive.
    width : float
        The largest width of the interval of precision.
    prevalences : prevalences, optional
        Prevalences at which to estimate precision: shares, or texts such as "1 in 1,000" and "1:999".
    confidence_level : float
        The level of each interval.

    Returns
    -------
    Support
        With a `PointSupport` for each point.

    Notes
    -----
    The threshold is treated as fixed in advance, as in `test_set`; for a point that was chosen on these rows,
    `estimate` has an interval that allows for the choice. Intervals of rates are Clopper and Pearson's, those of
    precision the default of `estimate`. As the prevalence falls to 0, precision and the width of its interval fall to
    0, too. The interval is widest in between, and `not_known_between` is the range in which it is wider than `width`.
    Below this range precision is known to be small, and little else.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=10, fn=40, tn=9_990)
    >>> found = br.design.supports(point, width=0.2, prevalences=["1 in 1,000"])
    >>> print(found)
    100 positives, 10,000 negatives (95 %)
    the point: TPR 0.6 [0.4972, 0.6967] rests on 60 of 100 positives, FPR 0.001 [0.0004796, 0.001838] rests on 10 of \
10,000 negatives; the interval of precision is at most 0.2 wide from prevalence 1 in 131 up
    >>> print(found.points[0].precision[0])
    precision 0.3752 [0.2391, 0.5608] (95 %, melded, prevalence 1 in 1,000, 100 pos, 10,000 neg)
    """
    wanted = checks.probability(width, "width")
    places = [checks.prevalence(prevalence) for prevalence in prevalences]
    level = checks.confidence_level(confidence_level)
    if at.missing_class is not None:
        raise InputError(
            f"a test set must have rows of both classes, but {at.missing_class.sentence}; add rows of the other class."
        )
    points = [at] if isinstance(at, Point) else _along(at)
    n_pos, n_neg = sizes_behind(at)
    return Support(tuple(_support(point, wanted, places, level) for point in points), n_pos, n_neg, level)


def _along(curve: Curve) -> list[Point]:
    return [curve.at_fpr(fpr) for fpr in _FPRS if fpr * curve.n_neg >= 1]


def _support(point: Point, width: float, prevalences: list[float], confidence_level: float) -> PointSupport:
    seen = cases(point)
    rows = seen._replace(tp=_tidy(seen.tp), fn=_tidy(seen.fn), fp=_tidy(seen.fp), tn=_tidy(seen.tn))
    fixed = _fixed(point, rows)
    tpr, fpr = ((float(low), float(high)) for low, high in rate_intervals(rows, confidence_level))
    ratio = estimate(lr_positive, fixed, confidence_level=confidence_level)
    return PointSupport(
        point=point.chosen_by or "the point",
        tp=rows.tp,
        fn=rows.fn,
        fp=rows.fp,
        tn=rows.tn,
        tpr_interval=tpr,
        fpr_interval=fpr,
        max_width=max_width(tpr=tpr, fpr=fpr),
        wanted_width=width,
        not_known_between=_wider_between(ratio.low, ratio.high, width),
        precision=tuple(
            estimate(precision, fixed.at_prevalence(eta), confidence_level=confidence_level) for eta in prevalences
        ),
    )


def _fixed(point: Point, rows: Cases) -> Point:
    """The point as a given threshold; with weighted rows on its curve, which has the weights."""
    if point.curve is not None and point.curve.weighted and point.threshold is not None:
        return point.curve.at_threshold(point.threshold).at_prevalence(0.5)
    return Point.from_rates(point.tpr, point.fpr, prevalence=0.5, n_pos=rows.n_pos, n_neg=rows.n_neg)


def _wider_between(low: float, high: float, width: float) -> tuple[float, float] | None:
    """The range of prevalences in which the interval of precision is wider than `width`, from the interval of T/F.

    At odds y precision is ``y r / (1 + y r)`` for a ratio r, so that two ends are `width` apart where
    ``width (1 + y low) (1 + y high) = y (high - low)``.
    """
    if math.isnan(low) or math.isnan(high) or (low == 0 and high == math.inf):
        return 0.0, 1.0
    if high == math.inf:
        return 0.0, _share((1 / width - 1) / low)
    if low == 0:
        return _share(width / (1 - width) / high), 1.0
    more = (high - low) - width * (high + low)
    least = 2 * width * math.sqrt(low * high)
    if more <= least:
        return None
    root = (more + math.sqrt((more - least) * (more + least))) / 2
    return _share(width / root), _share(root / (width * low * high))


def _tidy(count: float) -> float:
    """A count without the rounding error of its conversion from a rate."""
    return float(round(count)) if abs(count - round(count)) < 1e-9 * max(1.0, count) else count


def _share(odds: float) -> float:
    return odds / (1 + odds)
