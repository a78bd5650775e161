"""Slices over their periods, as small multiples: each slice has a chart, all read at one prevalence."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from baserate.arrays import FloatArray
from baserate.curves.curve import Curve
from baserate.metrics.areas import average_precision
from baserate.page.words import SHOWN_DIGITS, Json, numbers

# Slices that have a chart: those that have changed most.
_MOST = 24

# As many periods at each end tell by how much a slice has changed.
_ENDS = 3

# By model, by slice, by period.
OverTime = Mapping[str, Mapping[Any, Mapping[str, Curve]]]


def multiples(heading: str, slices: OverTime, prevalence: float) -> Json:
    """Average precision of each slice, model and period; those that have changed most come first."""
    keys = list(dict.fromkeys(key for of_model in slices.values() for key in of_model))
    periods = sorted({period for of_model in slices.values() for curves in of_model.values() for period in curves})
    values = {
        key: [_values(of_model.get(key, {}), periods, prevalence) for of_model in slices.values()] for key in keys
    }
    order = sorted(keys, key=lambda key: -max(map(_changed, values[key])))[:_MOST]
    return {
        "name": heading,
        "prevalence": prevalence,
        "models": list(slices),
        "periods": periods,
        "rows": [
            {
                "key": "(none)" if key is None else str(key),
                "values": [numbers(column, SHOWN_DIGITS) for column in values[key]],
            }
            for key in order
        ],
        "all": len(keys),
    }


def _values(curves: Mapping[str, Curve], periods: Sequence[str], prevalence: float) -> FloatArray:
    """At the prevalence; nan where a slice has no curve, or none with both classes."""
    known = [curves.get(period) for period in periods]
    return np.array(
        [
            np.nan if curve is None or curve.missing_class else average_precision(curve.at_prevalence(prevalence))
            for curve in known
        ]
    )


def _changed(values: FloatArray) -> float:
    """How far the last known periods are from the first ones; 0 if there are few."""
    known = values[np.isfinite(values)]
    return float(abs(known[-_ENDS:].mean() - known[:_ENDS].mean())) if len(known) > _ENDS else 0.0
