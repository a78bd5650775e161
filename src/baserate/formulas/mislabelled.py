"""True counts behind labels that are sometimes wrong, from the error rates of the labeller.

Arrays have the axes (…, group, side): groups of rows with error rates of their own, and in each the rows at or above a
threshold and those below it. Rows are labelled positive with the probability `sensitivity` if they are positive, and
labelled negative with the probability `specificity` if they are negative.
"""

from typing import Literal, NamedTuple

import numpy as np

from baserate.arrays import FloatArray
from baserate.formulas.pointwise import Confusion, ratio
from baserate.formulas.proportions import Interval, z_score

# Which end of what is possible, if errors may follow the score: the fewest true positives above the threshold, or most.
PossibleEnd = Literal["least", "most"]


class ErrorRates(NamedTuple):
    """Rates of correct labels in each class, by group."""

    sensitivity: FloatArray
    specificity: FloatArray


def corrected(pos: FloatArray, neg: FloatArray, rates: ErrorRates) -> Confusion[FloatArray]:
    """True counts, if errors depend on the class only: Rogan and Gladen's estimate above the threshold and below it.

    They may be negative. With labels no better than chance they are nan.
    """
    sensitivity, specificity = (rate[..., np.newaxis] for rate in rates)
    true_pos = _by_youden(specificity * pos - (1 - specificity) * neg, rates, side=True)
    true_neg = _by_youden(sensitivity * neg - (1 - sensitivity) * pos, rates, side=True)
    (tp, fn), (fp, tn) = (np.moveaxis(true.sum(axis=-2), -1, 0) for true in (true_pos, true_neg))
    return Confusion(tp, fn, fp, tn)


def at_an_end(pos: FloatArray, neg: FloatArray, rates: ErrorRates, end: PossibleEnd) -> Confusion[FloatArray]:
    """True counts with the fewest or most true positives above the threshold, if errors may follow the score.

    The rates hold for each class of a group as a whole, so its class sizes are those of `corrected`. Where the wrong
    labels are is open, as far as there are such labels on each side.
    """
    sensitivity, specificity = rates
    all_pos, all_neg = pos.sum(axis=-1), neg.sum(axis=-1)
    true_pos = np.maximum(_by_youden(specificity * all_pos - (1 - specificity) * all_neg, rates), 0.0)
    true_neg = np.maximum(_by_youden(sensitivity * all_neg - (1 - sensitivity) * all_pos, rates), 0.0)
    missed, false = (1 - sensitivity) * true_pos, (1 - specificity) * true_neg
    above, below = (..., 0), (..., 1)
    if end == "least":
        tp = pos[above] - np.minimum(false, pos[above]) + np.maximum(missed - neg[below], 0.0)
    else:
        tp = pos[above] - np.maximum(false - pos[below], 0.0) + np.minimum(missed, neg[above])
    fn, fp = true_pos - tp, pos[above] + neg[above] - tp
    return Confusion(*(part.sum(axis=-1) for part in (tp, fn, fp, true_neg - fp)))


def _by_youden(count: FloatArray, rates: ErrorRates, *, side: bool = False) -> FloatArray:
    youden = rates.sensitivity + rates.specificity - 1
    youden = np.where(youden > 0, youden, np.nan)
    return count / (youden[..., np.newaxis] if side else youden)


class TrueRates(NamedTuple):
    """What is read off true counts."""

    prevalence: FloatArray
    recall: FloatArray
    fpr: FloatArray
    precision: FloatArray


def rates_of(true: Confusion[FloatArray], odds_against: float | None) -> TrueRates:
    """Rates of true counts, of which negative ones count as 0; precision at given odds, or at those of the counts."""
    tp, fn, fp, tn = (np.maximum(cell, 0.0) for cell in true)
    all_pos, all_neg = (np.maximum(one + other, 0.0) for one, other in (true[:2], true[2:]))
    recall, fpr = ratio(tp, tp + fn), ratio(fp, fp + tn)
    precision = ratio(tp, tp + fp) if odds_against is None else ratio(recall, recall + odds_against * fpr)
    return TrueRates(ratio(all_pos, all_pos + all_neg), recall, fpr, precision)


def for_and_against(name: str, true: Confusion[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The counts whose ratio is the odds of a rate."""
    tp, fn, fp, tn = true
    return {"prevalence": (tp + fn, fp + tn), "recall": (tp, fn), "fpr": (fp, tn), "precision": (tp, fp)}[name]


def change_of_log(name: str, change: Confusion[FloatArray], before: Confusion[FloatArray]) -> float:
    """How the log-odds of a rate change with small changes of the counts, each at least half a row."""
    (up, against), (of, of_others) = for_and_against(name, change), for_and_against(name, before)
    return float(up / np.maximum(of, 0.5) - against / np.maximum(of_others, 0.5))


def lang_reiczigel(k: float, n: float, rates: ErrorRates, checked: tuple[float, float], level: float) -> Interval:
    """Lang and Reiczigel's interval for the prevalence, if `checked` positives and negatives gave the error rates.

    It adds a positive and a negative, each half labelled right, to what the rates come from, and shifts the interval.
    """
    z = z_score(level)
    more = n + z * z
    labelled = (k + z * z / 2) / more
    sensitivity, specificity = (
        rate if np.isinf(of) else (of * rate + 1) / (of + 2) for rate, of in zip(rates, checked, strict=True)
    )
    youden = sensitivity + specificity - 1
    share = (labelled + specificity - 1) / youden
    of_sensitivity = sensitivity * (1 - sensitivity) / (checked[0] + 2)
    of_specificity = specificity * (1 - specificity) / (checked[1] + 2)
    variance = labelled * (1 - labelled) / more + share**2 * of_sensitivity + (1 - share) ** 2 * of_specificity
    middle = share + 2 * z * z * (share * of_sensitivity - (1 - share) * of_specificity)
    margin = z * np.sqrt(variance) / youden
    return Interval(np.clip(middle - margin, 0.0, 1.0), np.clip(middle + margin, 0.0, 1.0))
