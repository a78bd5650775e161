"""Areas under the PR curve if a class is missing: nan, or a convention that the caller chooses."""

import math
from collections.abc import Callable, Mapping
from typing import Literal

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import Reason
from baserate.registry import UNDEFINED, Metric, all_parameters, normalized

Undefined = Literal["nan", "boyd"]

# What Boyd et al. count where a class is missing (section 4): no positive can be found, no negative can be mistaken.
_BY_BOYD = {Reason.NO_POSITIVES: 0.0, Reason.NO_NEGATIVES: 1.0}


def check_undefined(parameters: Mapping[str, object]) -> None:
    """Refuse an unknown convention."""
    if UNDEFINED in parameters:
        checks.one_of(parameters[UNDEFINED], ("nan", "boyd"), UNDEFINED)


def value_of_one_class(row: Metric, missing: Reason, parameters: Mapping[str, object]) -> float:
    """The value by convention, if the parameters select one: 0 or the best value, which depends on the recall range."""
    if parameters.get(UNDEFINED) != "boyd":
        return math.nan
    low, high = checks.recall_range(parameters.get("recall_range", (0.0, 1.0)))
    return _BY_BOYD.get(missing, math.nan) * (1.0 if row.traits.normalizes is not None else high - low)


def has_convention(row: Metric | None) -> bool:
    """Whether a metric has Boyd's convention: areas under the PR curve, and their normalized versions."""
    return row is not None and (row.traits.normalizes is not None or normalized(row) is not None)


def is_convention(metric: Callable[..., object], at: Curve | Point) -> bool:
    """Whether the value of a metric at this curve is only a convention."""
    return at.missing_class is not None and all_parameters(metric).get(UNDEFINED) == "boyd"
