"""A metric as a function of the prevalence: sweeps, crossings and means."""

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from baserate import checks
from baserate.arrays import FloatArray, Prevalence, Prevalences
from baserate.curves.curve import Curve
from baserate.curves.point import Point, Points
from baserate.errors import InputError, PrecisionWarning, Reason, UndefinedMetricWarning, shown
from baserate.formulas.exact import odds_against
from baserate.metrics.definition import check_parameters, evaluate
from baserate.registry import Family, all_parameters, bound_parameters, describe, lower_is_better, row_of
from baserate.results import Crossing, Region, Sweep

MetricFunction = Callable[..., Any]

# Crossings: cells of the grid on which signs are compared, and what counts as equal.
_GRID = 2048
_ROUNDING = 1e-13

# Averages: nodes per panel, the panels tried, and the agreement asked for between two of them.
_NODES = 16
_PANELS = tuple(2**k for k in range(2, 12))
_FINE_PANELS = _PANELS[6:]  # a density may have a narrow peak that a coarse look would miss twice
_AGREEMENT = 1e-10


@checks.declared
def sweep(metric: MetricFunction, at: Curve | Point, prevalences: Prevalences) -> Sweep:
    """A metric over a range of prevalences.

    Areas at a thousand prevalences cost little more than at fifty: see the notes.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve or Point that returns a float.
    at : Curve or Point
        What to read; a pointwise metric needs a Point.
    prevalences : column
        Shares strictly between 0 and 1, or texts such as "1 in 1,000" and "1:999".

    Returns
    -------
    Sweep
        With arrays `prevalence` and `value`; nan entries do not warn but have a `reason`.

    Notes
    -----
    Average precision and AUC-PR are analytic in the log-odds of the prevalence and are interpolated through
    a few dozen Chebyshev nodes when there are more prevalences than that; the difference from computing them one by one
    is a few units in the last place. The best F-beta of every prevalence lies on the convex
    hull of the ROC curve, and AUC-PRG is one integral cut at different places.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.6, fpr=0.001)
    >>> br.sweep(br.precision, point, [0.1, 0.001]).value.round(4)
    array([0.9852, 0.3752])
    """
    grid = checks.prevalences(prevalences)
    value, reason = _values(metric, at, grid)
    return Sweep(describe(metric), grid, value, reason)


def _values(metric: MetricFunction, at: Curve | Point, prevalences: FloatArray) -> tuple[FloatArray, Reason | None]:
    row = row_of(metric)
    x = (1 - prevalences) / prevalences
    if row is not None and row.family is Family.POINTWISE:
        if not isinstance(at, Point):
            raise InputError(
                f"{row.name} over prevalences needs one operating point, got a {type(at).__name__}; choose one, for "
                f"example curve.at_recall(0.6)."
            )
        value, reason = evaluate(metric, Points(at.confusion, odds_against(prevalences)))
        return np.full(len(x), value), reason  # one nan where a class is missing, whatever the prevalence
    if row is not None and row.over_odds is not None and isinstance(at, Curve):
        if at.missing_class:
            alone, reason = evaluate(metric, at)
            return np.full(len(x), alone), reason
        check_parameters(row, all_parameters(metric))
        value = row.over_odds(at, x, **bound_parameters(metric))
        return value, row.undefined if np.isnan(value).any() else None
    results = [evaluate(metric, at.at_prevalence(float(prevalence))) for prevalence in prevalences]
    value = np.array([value for value, _ in results], np.float64)
    return value, next((reason for _, reason in results if reason), None)


@checks.declared
def crossings(
    metric: MetricFunction,
    a: Curve | Point,
    b: Curve | Point,
    *,
    low: Prevalence = 1e-6,
    high: Prevalence = 1 - 1e-6,
    names: tuple[str, str] = ("a", "b"),
) -> list[Crossing]:
    """Prevalences at which two classifiers cross.

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve or Point that returns a float.
    a, b : Curve or Point
        The two classifiers.
    low, high : float or odds
        The range to search.
    names : pair of str
        Their names in the result.

    Returns
    -------
    list of Crossing
        In order of prevalence; empty if one of them leads throughout. Each has the names of the better one below and
        above; for a cost the lower one is better. Prevalences at which the metric is undefined are skipped, with a
        warning.

    Notes
    -----
    The difference is computed on a fine grid in log-odds. A change of sign is refined to the last digits. If the
    difference comes near zero between grid points without changing sign there, its extremum is computed, too.
    Differences within rounding count as 0. The precisions of two points never cross, because only T/F matters.

    References
    ----------
    Brabec et al., On Model Evaluation under Non-constant Class Imbalance, ICCS 2020.
    doi:10.1007/978-3-030-50423-6_6.

    Examples
    --------
    >>> import baserate as br
    >>> a, b = br.Point.from_rates(tpr=0.9, fpr=0.01), br.Point.from_rates(tpr=0.6, fpr=0.001)
    >>> [swap] = br.crossings(br.f1, a, b)
    >>> round(swap.prevalence, 10), swap.leads_below
    (0.0167158309, 'b')
    """
    ends = checks.prevalence_range(low, high)
    sign = -1.0 if lower_is_better(metric) else 1.0
    reasons: set[Reason] = set()
    row = row_of(metric)
    # A metric that may be negative is a difference itself, and near zero it is known to rounding of its terms only.
    floor = 1e-15 if row is not None and row.lowest < 0 else 0.0

    def lead(log_odds: FloatArray) -> FloatArray:
        """The lead of `a` over `b`; 0 for a difference within rounding."""
        prevalence = _from_log_odds(log_odds)
        (of_a, reason_a), (of_b, reason_b) = _values(metric, a, prevalence), _values(metric, b, prevalence)
        reasons.update(reason for reason in (reason_a, reason_b) if reason)
        with np.errstate(invalid="ignore"):  # two infinities
            difference = sign * (of_a - of_b)
        rounding = np.maximum(_ROUNDING * np.maximum(np.abs(of_a), np.abs(of_b)), floor)
        return np.where(np.abs(difference) <= rounding, 0.0, difference)

    grid = np.linspace(_log_odds(ends[0]), _log_odds(ends[1]), _GRID + 1)
    swaps = []
    for left, right in _sign_changes(lead, grid):
        root = _refine(lead, left, right)
        prevalence = float(_from_log_odds(np.array(root)))
        value = float(_values(metric, a, np.array([prevalence]))[0][0])
        below, above = names if lead(np.array([left]))[0] > 0 else names[::-1]
        swaps.append(Crossing(describe(metric), prevalence, value, below, above))
    for reason in sorted(reasons):
        warnings.warn(UndefinedMetricWarning(describe(metric), reason), stacklevel=2)
    return swaps


def _sign_changes(lead: Callable[[FloatArray], FloatArray], grid: FloatArray) -> list[tuple[float, float]]:
    """Brackets of all sign changes, including two between the same neighbouring grid points."""
    heights = lead(grid)
    dips = np.array([_nearest_to_zero(lead, grid[i - 1], grid[i + 1], heights[i]) for i in _dips(heights)])
    places = np.concatenate([grid, dips])
    heights = np.concatenate([heights, lead(dips)])
    order = np.argsort(places)
    places, heights = places[order], heights[order]
    decided = np.flatnonzero(np.isfinite(heights) & (heights != 0))
    places, signs = places[decided], np.sign(heights[decided])
    changes = np.flatnonzero(signs[1:] != signs[:-1])
    return [(float(places[i]), float(places[i + 1])) for i in changes]


def _dips(heights: FloatArray) -> list[int]:
    """Inner points nearer to zero than both neighbours, all three on one side of it."""
    size, side = np.abs(heights), np.sign(heights)
    inner = (size[1:-1] < size[:-2]) & (size[1:-1] <= size[2:])
    one_side = (side[1:-1] == side[:-2]) & (side[1:-1] == side[2:]) & (side[1:-1] != 0)
    return [int(i) + 1 for i in np.flatnonzero(inner & one_side)]


def _nearest_to_zero(lead: Callable[[FloatArray], FloatArray], left: float, right: float, height: float) -> float:
    from scipy.optimize import minimize_scalar  # slow to import, seldom needed

    side = math.copysign(1.0, height)
    minimum: Any = minimize_scalar(
        lambda z: side * float(lead(np.array([z]))[0]), bounds=(left, right), method="bounded", options={"xatol": 1e-9}
    )
    return float(minimum.x)


def _refine(lead: Callable[[FloatArray], FloatArray], left: float, right: float) -> float:
    from scipy.optimize import brentq  # slow to import, seldom needed

    return float(brentq(lambda z: float(lead(np.array([z]))[0]), left, right, xtol=1e-14, rtol=1e-15))


def best_regions(metric: MetricFunction, models: Mapping[str, Curve | Point], low: float, high: float) -> list[Region]:
    """Ranges of prevalence with the best of all models, from the crossings of all pairs."""
    names = list(models)
    swaps = {
        swap.prevalence
        for i, a in enumerate(names)
        for b in names[i + 1 :]
        for swap in crossings(metric, models[a], models[b], low=low, high=high)
    }
    borders = np.array([low, *sorted(swaps), high])
    log_odds = np.log(borders) - np.log1p(-borders)
    middles = _from_log_odds((log_odds[1:] + log_odds[:-1]) / 2)
    sign = -1.0 if lower_is_better(metric) else 1.0
    values = np.array([sign * sweep(metric, model, middles).value for model in models.values()])
    regions: list[Region] = []
    for column, start, end in zip(values.T, borders[:-1], borders[1:], strict=True):
        if np.isnan(column).all():
            continue
        winner = names[int(np.nanargmax(column))]
        if regions and regions[-1].winner == winner and regions[-1].high == start:
            regions[-1] = Region(winner, regions[-1].low, float(end))
        else:
            regions.append(Region(winner, float(start), float(end)))
    return regions


@checks.declared
def mean_over_prevalence(
    metric: MetricFunction,
    at: Curve | Point,
    *,
    low: Prevalence,
    high: Prevalence,
    density: Callable[[FloatArray], FloatArray] | None = None,
) -> float:
    r"""A metric averaged over a range of prevalences.

    .. math:: \frac{\int M(\eta) \, p(\eta) \, d\eta}{\int p(\eta) \, d\eta}

    Parameters
    ----------
    metric : callable
        A metric, or your own function of a Curve or Point that returns a float.
    at : Curve or Point
        What to read.
    low, high : float or odds
        The range.
    density : callable, optional
        The density of the prevalence, which need not be normalised, for example ``scipy.stats.beta(2, 500).pdf``; by
        default uniform in log-odds. Choose `low` and `high` around its mass: a peak narrower than a thousandth of the
        range, in log-odds, may be missed.

    References
    ----------
    Landgrebe et al., Precision-recall operating characteristic (P-ROC) curves in imprecise environments,
    ICPR 2006. doi:10.1109/ICPR.2006.941.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.6, fpr=0.001)
    >>> round(br.mean_over_prevalence(br.precision, point, low=0.0001, high=0.01), 4)
    0.4109
    """
    ends = checks.prevalence_range(low, high)
    start, stop = _log_odds(ends[0]), _log_odds(ends[1])
    previous = math.inf
    mean = math.nan
    for panels in _PANELS if density is None else _FINE_PANELS:
        log_odds, weight = _gauss_legendre(start, stop, panels)
        prevalence = _from_log_odds(log_odds)
        if density is not None:
            weight = weight * _checked_density(density, prevalence) * prevalence * (1 - prevalence)
        value, reason = _values(metric, at, prevalence)
        if reason is not None:
            warnings.warn(UndefinedMetricWarning(describe(metric), reason), stacklevel=2)
            return math.nan
        mean = float(weight @ value / weight.sum())
        if abs(mean - previous) <= _AGREEMENT * abs(mean):
            return mean
        previous, difference = mean, abs(mean - previous)
    warnings.warn(
        PrecisionWarning(f"the mean of {describe(metric)} is accurate to about {difference:.1e} only"), stacklevel=2
    )
    return mean


def _checked_density(density: Callable[[FloatArray], FloatArray], prevalence: FloatArray) -> FloatArray:
    returned = density(prevalence)
    try:
        value = np.asarray(returned)
        value = value.astype(np.float64) if value.dtype.kind in "biufO" else np.zeros(0)
    except (TypeError, ValueError):
        value = np.zeros(0)
    if value.shape != prevalence.shape or not np.isfinite(value).all() or (value < 0).any() or not value.any():
        raise InputError(
            f"density must return a finite number, not negative and not all zero, for each of an array of prevalences, "
            f"got {shown(returned)}; pass a function such as scipy.stats.beta(2, 500).pdf."
        )
    return value


def _gauss_legendre(start: float, stop: float, panels: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    half = (stop - start) / panels / 2
    centres = start + half * (2 * np.arange(panels) + 1)
    return (centres[:, np.newaxis] + half * nodes).ravel(), np.tile(half * weights, panels)


def _log_odds(prevalence: float) -> float:
    return math.log(prevalence) - math.log1p(-prevalence)


def _from_log_odds(log_odds: FloatArray) -> FloatArray:
    return 1 / (1 + np.exp(-log_odds))
