"""Whether scores are probabilities: what a page keeps of their bins, and sentences about them."""

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

# So many bins of equal width, as the library has them unless told.
BINS = 10
_LEVEL = 0.95


@dataclass(frozen=True)
class Calibration:
    """What the page says of one model's scores as probabilities; `json` is None where they are none."""

    said: list[str]
    json: Json | None = None


def calibration(name: str, curve: Curve, asked: float) -> Calibration:
    """Work out what the section about calibration shows."""
    lowest, highest = curve.score[-1], curve.top[0]
    if not (lowest >= 0 and highest <= 1):
        return Calibration(
            [f"Scores of {isolated(name)} are not probabilities: they go from {lowest:.4g} to {highest:.4g}."]
        )
    own = replace(curve, _given=None)
    found = reliability(own, bins=BINS, confidence_level=_LEVEL)
    said = [f"{isolated(name)}, at the data's own prevalence of {one_in(own.prevalence)}: {found.verdict}"]
    said += _prior(own, asked) + _buckets(own, found, asked)
    return Calibration([" ".join(said)], _bins(own, found) | {"own": _own(own)})


# --- numbers --------------------------------------------------------------------------------------


def _bins(curve: Curve, shown: Reliability) -> Json:
    """Sums by bin, from which everything follows at any prevalence."""
    found = binned(curve, BINS)
    middle = curve.middle
    sums = ("pos", "neg", "score_pos", "score_neg", "rest_pos", "pos_squares", "neg_squares")
    of_all = _LEVEL ** (1 / len(found.n))
    ends = {
        "ratio": likelihood_ratios(found, curve, _LEVEL),
        "agreeing_odds": agreeing_odds(curve.at_prevalence(curve.prevalence), found, of_all),
    }
    return {
        "low": numbers(shown.low),
        "high": numbers(shown.high),
        **{key: numbers(getattr(found, key), ALL_DIGITS) for key in sums},
        **{f"{key}_{end}": numbers(getattr(both, end)) for key, both in ends.items() for end in ("low", "high")},
        "brier_score": numbers(brier_by_class(middle, curve.pos, curve.neg), ALL_DIGITS),
        "log_loss": numbers(log_loss_by_class(middle, curve.pos, curve.neg), ALL_DIGITS),
    }


def _own(curve: Curve) -> list[list[str]]:
    """Cells with small print of what is known at the data's own prevalence, in the order of `OWN_ROWS`."""
    line = cox_calibration(curve, confidence_level=_LEVEL)
    return [_test(curve), *(_estimate(one) for one in (line.slope, line.intercept, line.in_the_large))]


OWN_ROWS = ("Hosmer–Lemeshow p", "Calibration slope", "… its intercept", "Intercept at slope 1")


def _test(curve: Curve) -> list[str]:
    if curve.weighted:
        return ["–", "rows have weights"]
    found = hosmer_lemeshow(curve, in_sample=False)
    if found.reason:
        return ["–", found.reason.sentence]
    doubt = f"rough: expected counts down to {found.min_expected:.1g}"
    return [rounded_p(found.p_value), doubt if found.caution else f"{found.n_bins} bins of equal frequency"]


def _estimate(found: Estimate) -> list[str]:
    if not np.isfinite(found.value):
        return ["–", found.reason.sentence if found.reason else ""]
    interval = f"{_plain(found.low, 3)} – {_plain(found.high, 3)}" if np.isfinite(found.low) else ""
    return [_plain(found.value, 4), interval]


def _plain(value: float, decimals: int) -> str:
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # no zero below zero


# --- sentences ------------------------------------------------------------------------------------


def _prior(curve: Curve, asked: float) -> list[str]:
    """What of the error at the asked prevalence is there because the scores belong to another one."""
    if np.isclose(asked, curve.prevalence, rtol=1e-9, atol=0):
        return []
    found = prior_effect(curve.at_prevalence(asked), bins=BINS)
    whole, prior, shape = (short(round(error, 12)) for error in (found.ece, found.prior_part, found.shape))
    first = f"Read at {one_in(asked)} with the scores as they are, ECE is {whole}"
    if found.prior_part <= 0:
        return [f"{first}; moved there with br.adjust they would be no better ({shape})."]
    return [f"{first}; {prior} of this is the prior, and moving the scores with br.adjust mends it; {shape} is shape."]


def _buckets(curve: Curve, found: Reliability, asked: float) -> list[str]:
    if not found.score_error:
        return []
    width = bounds(ece, curve.at_prevalence(asked)).width
    return [
        f"Some scores are not told apart: mean scores are known to {found.score_error:.1g}, and ECE at {one_in(asked)} "
        f"is certain within {width:.1g}."
    ]
