"""Groups so small that single rows can be inferred: how many there are, and how they are merged."""

from collections.abc import Hashable, Mapping
from typing import Any

from baserate.curves.curve import Curve
from baserate.page.words import counted

# Fewer cases of a class than this are few.
FEW = 10

Groups = Mapping[Any, Curve]

# What small groups are called together; the second where a group has the first one's name.
POOLED = ("other", "(other)")


def folded(by_model: Mapping[str, Groups], least: int) -> dict[str, dict[Any, Curve]]:
    """The groups, with small ones merged into one; if that is still too small, the next smallest are added to it."""
    sizes = {key: _size([key], by_model) for key in _keys(by_model)}
    small = [key for key in sizes if sizes[key] < least]
    rest = sorted((key for key in sizes if key not in small), key=lambda key: sizes[key])
    while small and rest and _size(small, by_model) < least:
        small.append(rest.pop(0))
    if not small:
        return {model: dict(curves) for model, curves in by_model.items()}
    name = POOLED["other" in rest]
    return {model: _joined(curves, small, name) for model, curves in by_model.items()}


def _joined(curves: Groups, small: list[Any], name: str) -> dict[Any, Curve]:
    kept = {key: curve for key, curve in curves.items() if key not in small}
    return kept | {name: Curve.pool(curve for key, curve in curves.items() if key in small)}


def small_groups(heading: str, by_model: Mapping[str, Groups]) -> str | None:
    """A sentence about groups with few cases of a class; None if there are none."""
    few = sum(_size([key], by_model) < FEW for key in _keys(by_model))
    if not few:
        return None
    has = "has" if few == 1 else "have"
    return (
        f"{counted(few, 'group')} by {heading} {has} fewer than {FEW} positives or fewer than {FEW} negatives; the "
        f"scores of single rows can be inferred there"
    )


def small_models(models: Mapping[str, Curve]) -> str | None:
    """A sentence about models with few cases of a class; None if there are none."""
    few = [name for name, curve in models.items() if _size([name], {"": models}) < FEW]
    if not few:
        return None
    return (
        f"there are fewer than {FEW} positives or fewer than {FEW} negatives; the scores of single rows can be "
        "inferred from the curves"
    )


def _keys(by_model: Mapping[str, Groups]) -> list[Hashable]:
    return list(dict.fromkeys(key for curves in by_model.values() for key in curves))


def _size(keys: list[Any], by_model: Mapping[str, Groups]) -> float:
    """The cases of the rarer class in these groups together, for the model with the fewest."""
    sizes = []
    for curves in by_model.values():
        of_model = [curves[key] for key in keys if key in curves]
        if of_model:
            sizes.append(min(sum(curve.n_pos for curve in of_model), sum(curve.n_neg for curve in of_model)))
    return min(sizes)
