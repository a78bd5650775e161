"""Tests for prior shift between a reference, the first periods, and each later period."""

import math
from collections.abc import Sequence

from baserate.curves.curve import Curve
from baserate.prior.shift import prior_shift_check

# As many first periods as `judge_periods` takes for its reference; of few periods, all but the last.
_REFERENCE = 3


def p_values(curves: Sequence[Curve | None]) -> list[float]:
    """The p-value of `prior_shift_check` for each period against the reference; nan if there is none.

    Periods of the reference are not tested, so a later period that has changed cannot make them look wrong.
    """
    known = [k for k, curve in enumerate(curves) if curve is not None and not curve.missing_class]
    first = known[: max(min(_REFERENCE, len(known) - 1), 0)]
    of_first = [curve for k in first if (curve := curves[k]) is not None]
    p_value = [math.nan] * len(curves)
    if not first or any(curve is not None and curve.weighted for curve in curves):
        return p_value
    reference = Curve.pool(of_first)
    for k in known[len(first) :]:
        after = curves[k]
        assert after is not None
        p_value[k] = prior_shift_check(reference, after).p_value
    return p_value
