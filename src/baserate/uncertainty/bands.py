"""Bands: an interval at each prevalence, or at each place along a curve."""

from collections.abc import Callable

import numpy as np

from baserate import checks
from baserate.arrays import ArrayLike, FloatArray, Indices, Prevalences
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.formulas.choosing import ROUNDING
from baserate.formulas.steps import Steps, per_rise
from baserate.metrics.over_prevalence import MetricFunction
from baserate.registry import describe
from baserate.results import Band
from baserate.uncertainty import ends
from baserate.uncertainty.cells import cells_of
from baserate.uncertainty.draws import Reader, drawn
from baserate.uncertainty.estimate import (
    BUCKETS_AS_TIES,
    About,
    IntervalSettings,
    check_counted,
    check_estimable,
    estimates,
    is_again,
    sizes_behind,
)
from baserate.uncertainty.methods import Estimand
from baserate.uncertainty.samplers import OfCurve, check_draws

_PLACES = 101  # along a curve, if the caller does not say where


@checks.declared
def sweep_estimates(
    metric: MetricFunction,
    at: Curve | Point,
    prevalences: Prevalences,
    *,
    method: str | None = None,
    about: About = "threshold",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Band:
    """A metric over a range of prevalences, with an interval at each: `sweep` with a band.

    For precision this is Brabec's P3 curve with its lower and upper bound. For F1 the band includes the uncertainty of
    recall. All prevalences share the same draws, so the band is smooth.

    Parameters
    ----------
    metric, at, method, confidence_level, n_resamples, rng
        As for `estimate`. The level holds at each prevalence (pointwise), not for all at once.
    prevalences : column
        Shares strictly between 0 and 1, or texts such as "1 in 1,000" and "1:999".

    References
    ----------
    Brabec et al., On Model Evaluation under Non-constant Class Imbalance, ICCS 2020.
    doi:10.1007/978-3-030-50423-6_6.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=100, fn=40, tn=99_900)
    >>> band = br.sweep_estimates(br.f1, point, [0.01, 0.001])
    >>> band.low.round(2), band.value.round(2), band.high.round(2)
    (array([0.62, 0.39]), array([0.71, 0.46]), array([0.78, 0.53]))
    """
    check_estimable(metric, at)
    grid = checks.prevalences(prevalences)
    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    (estimated,) = estimates([Estimand(metric, at, (1 - grid) / grid, again=is_again(at, about))], settings, method)
    n_pos, n_neg = sizes_behind(at)
    value, low, high = (np.array([getattr(one, name) for one in estimated]) for name in ("value", "low", "high"))
    return Band(
        metric=describe(metric),
        along="prevalence",
        place=grid,
        value=value,
        low=low,
        high=high,
        confidence_level=settings.confidence_level,
        simultaneous=False,
        method=estimated[0].method if estimated else "",
        prevalence=None,
        n_pos=n_pos,
        n_neg=n_neg,
        reason=next((one.reason for one in estimated if one.reason), None),
        caution=estimated[0].caution if estimated else None,
    )


# --- along a curve --------------------------------------------------------------------------------


@checks.declared
def pr_band(
    curve: Curve,
    recalls: ArrayLike | None = None,
    *,
    simultaneous: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Band:
    """The precision-recall curve at its prevalence, with a band of precision.

    Parameters
    ----------
    curve : Curve
        The curve, at its prevalence.
    recalls : column, optional
        Recalls above 0; by default every hundredth.
    simultaneous : bool
        True if the level is that of the whole curve inside the band, False if it holds at each recall by itself
        (pointwise).
    confidence_level, n_resamples, rng
        As for `estimate`, whose default method this is.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> band = br.pr_band(curve.at_prevalence(0.001), [0.3, 0.6], rng=0)
    >>> bool((band.low < band.value).all() and (band.value <= band.high).all())
    True
    """
    check_counted(curve)
    places = _places(recalls, "recalls", above=True)

    def precision(steps: Steps) -> FloatArray:
        return places / (places + curve.odds_against * _fpr_at(steps, places))

    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    return _band(
        curve,
        precision,
        places,
        settings,
        simultaneous=simultaneous,
        names=("precision", "recall"),
        prevalence=curve.prevalence,
    )


@checks.declared
def roc_band(
    curve: Curve,
    fprs: ArrayLike | None = None,
    *,
    simultaneous: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Band:
    """The ROC curve with a band of recall; it does not depend on the prevalence.

    Parameters
    ----------
    curve : Curve
        The curve.
    fprs : column, optional
        False positive rates; by default every hundredth.
    simultaneous, confidence_level, n_resamples, rng
        As for `pr_band`.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> band = br.roc_band(curve, [0.01, 0.1], simultaneous=True, rng=0)
    >>> bool((band.low < band.value).all() and (band.value < band.high).all())
    True
    """
    check_counted(curve)
    places = _places(fprs, "fprs")
    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    read: Callable[[Steps], FloatArray] = lambda steps: _tpr_at(steps, places)  # noqa: E731
    return _band(curve, read, places, settings, simultaneous=simultaneous, names=("recall", "fpr"), prevalence=None)


@checks.declared
def prg_band(
    curve: Curve,
    recall_gains: ArrayLike | None = None,
    *,
    simultaneous: bool = False,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Band:
    """The precision-recall-gain curve at its prevalence, with a band of precision gain.

    Parameters
    ----------
    curve : Curve
        The curve, at its prevalence.
    recall_gains : column, optional
        Recall gains from 0 (recall = prevalence) to 1; by default every hundredth.
    simultaneous, confidence_level, n_resamples, rng
        As for `pr_band`.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> band = br.prg_band(curve.at_prevalence(0.5), [0.1, 0.6], rng=0)
    >>> bool((band.low < band.value).all() and (band.value < band.high).all())
    True
    """
    check_counted(curve)
    places = _places(recall_gains, "recall_gains")
    recalls = curve.prevalence / (1 - (1 - curve.prevalence) * places)

    def precision_gain(steps: Steps) -> FloatArray:
        return 1 - _fpr_at(steps, recalls) / recalls

    settings = IntervalSettings.of(confidence_level, n_resamples, rng)
    names = ("precision_gain", "recall_gain")
    return _band(
        curve, precision_gain, places, settings, simultaneous=simultaneous, names=names, prevalence=curve.prevalence
    )


def _places(given: object, name: str, *, above: bool = False) -> FloatArray:
    if given is None:
        return np.linspace(0.01 if above else 0.0, 1.0, _PLACES - above)
    places = checks.numbers(given, name)
    for place in places.tolist():
        checks.share(place, name, above=above)
    return places


def _band(
    curve: Curve,
    read: Callable[[Steps], FloatArray],
    places: FloatArray,
    settings: IntervalSettings,
    *,
    simultaneous: bool,
    names: tuple[str, str],
    prevalence: float | None,
) -> Band:
    check_draws(settings.n_draws, settings.confidence_level)
    value = low = high = np.full(len(places), np.nan)
    if not curve.missing_class:
        value = read(curve.table.steps.each(lambda column: column[np.newaxis]))[0]
        sampler = OfCurve(curve, cells_of(curve))
        (values,) = drawn(sampler, [Reader(lambda models: read(models[0].steps))], settings.n_draws, settings.seeds)
        if simultaneous:
            low, high = ends.envelope(values, settings.confidence_level)
            low, high = np.minimum(low, value), np.maximum(high, value)
        else:
            low, high = ends.melded(values, value, settings.confidence_level)
    n_pos, n_neg = sizes_behind(curve)
    return Band(
        metric=names[0],
        along=names[1],
        place=places,
        value=value,
        low=low,
        high=high,
        confidence_level=settings.confidence_level,
        simultaneous=simultaneous,
        method="melded",
        prevalence=prevalence,
        n_pos=n_pos,
        n_neg=n_neg,
        reason=curve.missing_class,
        caution=BUCKETS_AS_TIES if curve.bucketed else None,
    )


def _fpr_at(steps: Steps, recalls: FloatArray) -> FloatArray:
    """The FPR at which each curve reaches each recall, by linear interpolation between corners of the ROC curve."""
    tpr, rise, run = steps.tp / steps.n_pos, steps.pos / steps.n_pos, steps.neg / steps.n_neg
    wanted = recalls * (1 - ROUNDING)
    k = np.minimum(_each_row(lambda row: np.searchsorted(row, wanted), tpr), np.intp(tpr.shape[1] - 1))
    start_tpr, start_fpr, slope = tpr - rise, steps.fp / steps.n_neg - run, per_rise(run, rise)
    picked = [np.take_along_axis(column, k, 1) for column in (start_tpr, start_fpr, slope)]
    return picked[1] + picked[2] * np.maximum(recalls - picked[0], 0.0)


def _tpr_at(steps: Steps, fprs: FloatArray) -> FloatArray:
    """The highest TPR of each curve at each FPR, by linear interpolation between corners of the ROC curve."""
    tpr, fpr = steps.tp / steps.n_pos, steps.fp / steps.n_neg
    rise, run = steps.pos / steps.n_pos, steps.neg / steps.n_neg
    reached = _each_row(lambda row: np.searchsorted(row, fprs * (1 + ROUNDING), side="right"), fpr)
    done = np.take_along_axis(np.append(np.zeros((len(tpr), 1)), tpr, 1), reached, 1)
    following = np.minimum(reached, np.intp(tpr.shape[1] - 1))
    within = fprs - np.take_along_axis(fpr - run, following, 1)
    slope = np.take_along_axis(per_rise(rise, run), following, 1)
    return np.minimum(done + np.maximum(within, 0.0) * slope, 1.0)


def _each_row(find: Callable[[FloatArray], Indices], rows: FloatArray) -> Indices:
    return np.stack([find(row) for row in rows])
