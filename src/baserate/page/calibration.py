"""Calibration on the page: sums by bin, and sentences about them."""

from dataclasses import dataclass, replace

import numpy as np

from baserate.calibration.agreement import agreeing_odds
from baserate.calibration.goodness_of_fit import hosmer_lemeshow
from baserate.calibration.line import cox_calibration
from baserate.calibration.prior_effects import prior_effect
from baserate.calibration.reliability import likelihood_ratios, reliability
from baserate.curves.bins import binned
from baserate.curves.curve import Curve
from baserate.formulas.scoring import brier_by_class, log_loss_by_class
from baserate.metrics.bounds import bounds
from baserate.metrics.calibration_errors import ece
from baserate.page.words import ALL_DIGITS, Json, isolated, numbers, rounded_p, short
from baserate.results import Estimate, Reliability
from baserate.written import one_in

# Bins of equal width, as by default in the library.
BINS = 10
_LEVEL = 0.95


@dataclass(frozen=True)
class Calibration:
    """Calibration of one model on the page; `json` is None if its scores are no probabilities."""

    said: list[str]
    json: Json | None = None


def calibration(name: str, curve: Curve, asked: float) -> Calibration:
    """The content of the section about calibration."""
    lowest, highest = curve.score[-1], curve.top[0]
    if not (lowest >= 0 and highest <= 1):
        return Calibration(
            [f"Scores of {isolated(name)} are not probabilities: they range from {lowest:.4g} to {highest:.4g}."]
        )
    if curve.sampled:
        return Calibration(
            [f"Calibration of {isolated(name)} is not shown: only some rows were sampled for labelling."]
        )
    own = replace(curve, _given=None)
    table = reliability(own, bins=BINS, confidence_level=_LEVEL)
    said = [f"{isolated(name)}, at the data's own prevalence of {one_in(own.prevalence)}: {table.verdict}"]
    said += _prior(own, asked) + _buckets(own, table, asked)
    return Calibration([" ".join(said)], _bins(own, table) | {"own": _own(own)})


# --- numbers --------------------------------------------------------------------------------------


def _bins(curve: Curve, shown: Reliability) -> Json:
    """Sums by bin, from which the page computes everything at any prevalence."""
    table = binned(curve, BINS)
    middle = curve.middle
    sums = ("pos", "neg", "score_pos", "score_neg", "rest_pos", "pos_squares", "neg_squares")
    of_all = _LEVEL ** (1 / len(table.n))
    ends = {
        "ratio": likelihood_ratios(table, curve, _LEVEL),
        "agreeing_odds": agreeing_odds(curve.at_prevalence(curve.prevalence), table, of_all),
    }
    return {
        "low": numbers(shown.low),
        "high": numbers(shown.high),
        **{key: numbers(getattr(table, key), ALL_DIGITS) for key in sums},
        **{f"{key}_{end}": numbers(getattr(both, end)) for key, both in ends.items() for end in ("low", "high")},
        "brier_score": numbers(brier_by_class(middle, curve.pos, curve.neg), ALL_DIGITS),
        "log_loss": numbers(log_loss_by_class(middle, curve.pos, curve.neg), ALL_DIGITS),
    }


def _own(curve: Curve) -> list[list[str]]:
    """Cells of the table with values at the data's own prevalence, in the order of `OWN_ROWS`."""
    line = cox_calibration(curve, confidence_level=_LEVEL)
    return [_test(curve), *(_estimate(one) for one in (line.slope, line.intercept, line.in_the_large))]


OWN_ROWS = ("Hosmer–Lemeshow p", "Calibration slope", "… its intercept", "Intercept at slope 1")


def _test(curve: Curve) -> list[str]:
    if curve.weighted:
        return ["–", "rows are weighted"]
    result = hosmer_lemeshow(curve, in_sample=False)
    if result.reason:
        return ["–", result.reason.sentence]
    doubt = f"rough: smallest expected count {result.min_expected:.1g}"
    return [rounded_p(result.p_value), doubt if result.caution else f"{result.n_bins} bins of equal frequency"]


def _estimate(estimated: Estimate) -> list[str]:
    if not np.isfinite(estimated.value):
        return ["–", estimated.reason.sentence if estimated.reason else ""]
    to = "to" if estimated.low < 0 else "–"  # a dash before a minus would be a riddle
    interval = f"{_plain(estimated.low, 3)} {to} {_plain(estimated.high, 3)}" if np.isfinite(estimated.low) else ""
    return [_plain(estimated.value, 4), interval]


def _plain(value: float, decimals: int) -> str:
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # no zero below zero


# --- sentences ------------------------------------------------------------------------------------


def _prior(curve: Curve, asked: float) -> list[str]:
    """The part of the calibration error at the given prevalence that is due to the prior."""
    if np.isclose(asked, curve.prevalence, rtol=1e-9, atol=0):
        return []
    effect = prior_effect(curve.at_prevalence(asked), bins=BINS)
    whole, prior, shape = (short(round(error, 12)) for error in (effect.ece, effect.prior_part, effect.shape))
    first = f"At {one_in(asked)}, without adjusting the scores, ECE is {whole}"
    if effect.prior_part <= 0:
        return [f"{first}; adjusting them with br.adjust would not lower it ({shape})."]
    return [f"{first}; adjusting them to this prior with br.adjust would remove {prior} of it and leave {shape}."]


def _buckets(curve: Curve, table: Reliability, asked: float) -> list[str]:
    if not table.score_error:
        return []
    width = bounds(ece, curve.at_prevalence(asked)).width
    return [
        f"Scores are in buckets: mean scores are exact to {table.score_error:.1g}, and ECE at {one_in(asked)} to "
        f"{width:.1g}."
    ]
