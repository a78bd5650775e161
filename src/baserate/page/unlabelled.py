"""Where labels are missing: in which slices and periods most of the rows have none."""

from collections.abc import Mapping
from typing import Any

from baserate.curves.curve import Curve
from baserate.page.words import isolated
from baserate.written import percent


def share_unlabelled(curve: Curve) -> float:
    """The share of rows without a label; 0 where rows have weights, which those without a label lack."""
    if curve.weighted or not curve.unlabelled:
        return 0.0
    return float(curve.unlabelled / (curve.unlabelled + curve.n_pos + curve.n_neg))


def where_labels_are_missing(heading: str, by_model: Mapping[str, Mapping[Any, Curve]]) -> str:
    """A sentence about the groups with the most and the fewest rows without a label; empty if all have theirs."""
    shares: dict[Any, float] = {}
    for curves in by_model.values():
        for key, curve in curves.items():
            shares[key] = max(share_unlabelled(curve), shares.get(key, 0.0))
    most, least = (pick(shares, key=lambda key: shares[key], default=None) for pick in (max, min))
    if not any(shares.values()):
        return ""
    return (
        f"By {heading}: most in {_named(most)} ({percent(shares[most])} of the rows), fewest in {_named(least)} "
        f"({percent(shares[least])})."
    )


def _named(key: object) -> str:
    return "(none)" if key is None else isolated(str(key))
