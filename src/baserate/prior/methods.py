"""Three estimators of the prevalence of unlabelled rows, and a goodness-of-fit test."""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from baserate.arrays import FloatArray, Indices
from baserate.errors import InputError, Reason
from baserate.formulas.mixture import Histograms, MixtureFit, fit_mixture, fit_posteriors
from baserate.formulas.prior_shift import shifted
from baserate.prior.bins import MOST_BINS, UNLABELLED_PER_BIN, fine_cuts, middle_cut, summed
from baserate.prior.rows import StretchedRows
from baserate.results.priors import CHECK_LEVEL, PrevalenceEstimate
from baserate.written import one_in

# With fewer labelled rows of a class on a side of the threshold, the coverage of the interval is unknown.
FEW_ROWS = 5

_WEIGHTED = "rows are weighted and count by their effective sample size; the interval is approximate"
_UNKNOWN = MixtureFit(*(np.asarray(np.nan) for _ in MixtureFit._fields))


@dataclass(frozen=True, eq=False)
class Examined:
    """Rows, their bins, the fitted mixture, and a result with the test but without a prevalence."""

    rows: StretchedRows
    cuts: Indices
    fit: MixtureFit
    answer: PrevalenceEstimate


def examined(rows: StretchedRows, confidence_level: float) -> Examined:
    """Bin the rows, fit a mixture of the labelled classes, and test its fit."""
    blank = _blank(rows, confidence_level)
    if blank.reason:
        return Examined(rows, np.zeros(0, np.intp), _UNKNOWN, blank)
    cuts = cuts_of(rows)
    n_bins = len(cuts) + 1
    answer = replace(blank, n_bins=n_bins, fit_reason=Reason.TOO_FEW_BINS)
    if n_bins == 1:
        return Examined(rows, cuts, _UNKNOWN, answer)
    smaller = min(answer.n_pos, answer.n_neg)
    fit = fit_mixture(rows.counts(cuts), largest_rise(smaller, n_bins, confidence_level))
    if n_bins > 2:
        statistic, df, p_value = misfit(fit, smaller, n_bins)
        answer = replace(
            answer, fit_statistic=float(statistic), fit_df=int(df), fit_p_value=float(p_value), fit_reason=None
        )
    return Examined(rows, cuts, fit, answer)


def cuts_of(rows: StretchedRows) -> Indices:
    """Cuts for fine bins, or for at least two."""
    most = min(MOST_BINS, max(2, int(rows.unlabelled.sum() // UNLABELLED_PER_BIN)))
    cuts = fine_cuts(rows.pos, rows.neg, most)
    return cuts if len(cuts) else middle_cut(rows.pos, rows.neg)


def largest_rise(smaller: float, n_bins: int, confidence_level: float) -> float:
    """The rise of the deviance at the ends of the interval; `smaller` is the size of the smaller class."""
    quantile = float(scipy.special.stdtrit(_freedom(smaller, n_bins), (1 + confidence_level) / 2))
    return quantile**2 / min(_freedom(smaller, n_bins) / smaller, 1.0)


def misfit(fit: MixtureFit, smaller: float, n_bins: int) -> tuple[FloatArray, Indices, FloatArray]:
    """The statistic of the goodness-of-fit test, its degrees of freedom and its p-value."""
    statistic = fit.deviance * min(_freedom(smaller, n_bins) / smaller, 1.0)
    # A prevalence of 0 or 1 is at the boundary, and takes no degree of freedom.
    df = np.where((fit.prevalence == 0) | (fit.prevalence == 1), n_bins - 1, n_bins - 2)
    return statistic, df, scipy.special.chdtrc(df, statistic)


def _freedom(smaller: float, n_bins: int) -> float:
    """The degrees of freedom left of a class after the shares of its bins are estimated."""
    return max(smaller - (n_bins - 1), 1.0)


def _blank(rows: StretchedRows, level: float) -> PrevalenceEstimate:
    """A result with sizes only, and a reason if rows are missing."""
    n_unlabelled = float(rows.unlabelled.sum())
    reason = rows.curve.missing_class or (Reason.NO_ROWS if n_unlabelled == 0 else None)
    return PrevalenceEstimate(
        value=np.nan,
        low=np.nan,
        high=np.nan,
        confidence_level=level,
        method="mixture",
        n_unlabelled=n_unlabelled,
        n_pos=float(rows.pos.sum()),
        n_neg=float(rows.neg.sum()),
        n_bins=0,
        threshold=None,
        scores_prevalence=None,
        fit_statistic=np.nan,
        fit_df=0,
        fit_p_value=np.nan,
        fit_reason=reason,
        reason=reason,
        caution=_WEIGHTED if rows.weighted else None,
    )


def _answered(answer: PrevalenceEstimate, fit: MixtureFit) -> PrevalenceEstimate:
    return replace(answer, value=float(fit.prevalence), low=float(fit.low), high=float(fit.high))


def _with_caution(answer: PrevalenceEstimate, sentence: str) -> PrevalenceEstimate:
    return replace(answer, caution=sentence if answer.caution is None else f"{answer.caution}; {sentence}")


# --- the methods ----------------------------------------------------------------------------------


def by_mixture(data: Examined) -> PrevalenceEstimate:
    """The prevalence by maximum likelihood over the bins."""
    if data.answer.reason:
        return data.answer
    if data.answer.n_bins == 1:
        return replace(data.answer, reason=Reason.NOT_TOLD_APART)
    answer = _answered(data.answer, data.fit)
    return answer if answer.n_bins > 2 else _with_few(answer, data.rows.counts(data.cuts))


def by_adjusted_count(data: Examined, threshold: float | None) -> PrevalenceEstimate:
    """The adjusted count: maximum likelihood with two bins, above and below a threshold."""
    rows, answer = data.rows, replace(data.answer, method="adjusted_count")
    if answer.reason:
        return answer
    if answer.n_bins == 1 and threshold is None:
        return replace(answer, reason=Reason.NOT_TOLD_APART)
    cut = middle_cut(rows.pos, rows.neg) if threshold is None else _cut_at(rows, threshold)
    at = float(rows.starts[cut[0]]) if threshold is None else threshold
    answer = replace(answer, threshold=at)
    labelled = rows.pos + rows.neg
    if labelled[cut[0] :].sum() == 0:
        return replace(answer, reason=Reason.NO_ALERTS)
    if labelled[: cut[0]].sum() == 0:
        return replace(answer, reason=Reason.NO_REJECTIONS)
    counts = rows.counts(cut)
    if counts.pos[1] * counts.neg[0] == counts.pos[0] * counts.neg[1]:  # TPR = FPR
        return replace(answer, reason=Reason.NOT_TOLD_APART)
    rise = largest_rise(min(answer.n_pos, answer.n_neg), 2, answer.confidence_level)
    return _with_few(_answered(answer, fit_mixture(counts, rise)), counts)


def _with_few(answer: PrevalenceEstimate, counts: Histograms) -> PrevalenceEstimate:
    """The result with a caution if one of two bins has few labelled rows of a class."""
    for name, column in (("positives", counts.pos), ("negatives", counts.neg)):
        if column.min() < FEW_ROWS:
            side = "below" if column[0] < column[1] else "at or above"
            return _with_caution(
                answer,
                f"only {column.min():.3g} labelled {name} lie {side} the threshold, too few to estimate a rate",
            )
    return answer


def _cut_at(rows: StretchedRows, threshold: float) -> Indices:
    for given in (rows.curve, rows.now):
        split = np.flatnonzero((given.score < threshold) & (threshold <= given.top))
        if len(split):
            low, high = float(given.score[split[0]]), float(given.top[split[0]])
            raise InputError(
                f"threshold must not lie within a bucket, got {threshold:g} within the bucket from {low:g} to "
                f"{high:g}; use {low!r}."
            )
    return np.array([np.searchsorted(rows.starts, threshold)], np.intp)


def by_em(data: Examined, scores_prevalence: float) -> PrevalenceEstimate:
    """The prevalence by maximum likelihood over the scores, assumed to be calibrated at `scores_prevalence`."""
    rows, answer = data.rows, replace(data.answer, method="em")
    if answer.reason:
        return answer
    answer = replace(answer, scores_prevalence=scores_prevalence)
    now = rows.now
    if (now.score == scores_prevalence).all() and not now.bucketed:
        return replace(answer, reason=Reason.NOT_TOLD_APART)
    amounts = np.asarray(now.pos + now.neg, np.float64)
    count = amounts * (answer.n_unlabelled / float(amounts.sum()))
    rise = float(scipy.special.ndtri((1 + answer.confidence_level) / 2)) ** 2
    # Higher scores mean more positives. Scores of a bucket may all be as low as its lowest, or as high as its highest.
    scores = (now.middle, now.score, now.top) if now.bucketed else (now.middle,)
    fits = [fit_posteriors(score, count, scores_prevalence, rise) for score in scores]
    low, high = np.min([fit.low for fit in fits]), np.max([fit.high for fit in fits])
    answer = _answered(answer, fits[0]._replace(low=low, high=high))
    p_value = _calibration(rows, data.cuts, scores_prevalence)
    if p_value >= CHECK_LEVEL:
        return answer
    return _with_caution(
        answer,
        f'"em" assumes scores that are calibrated at prevalence {one_in(scores_prevalence)}, and the labelled rows '
        f'contradict it (p = {p_value:.2g}); use "mixture"',
    )


def _calibration(rows: StretchedRows, cuts: Indices, prevalence: float) -> float:
    """The p-value of a chi-squared test of calibration: observed and expected positives of labelled rows by bin."""
    curve, own = rows.curve, rows.curve.own_prevalence
    assert own is not None
    bins = np.searchsorted(cuts, rows.place, side="right")
    size = len(cuts) + 1
    # The expectation of a bucket lies between its lowest and highest score; what is within counts as no deviation.
    low, high = (shifted(score, 1 - score, prevalence, own).share for score in (curve.score, curve.top))
    seen = summed(bins, curve.pos, size)
    least, most = (summed(bins, (curve.pos + curve.neg) * share, size) for share in (low, high))
    variance = summed(bins, (curve.pos_squares + curve.neg_squares) * (low * (1 - low) + high * (1 - high)) / 2, size)
    off = np.maximum(np.maximum(least - seen, seen - most), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(off > 1e-9 * seen.sum(), off**2 / variance, 0.0)
    return float(scipy.special.chdtrc(size, parts.sum()))
