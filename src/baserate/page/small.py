"""Groups so small that single rows could be read off them: how many there are, and how they become one."""

from collections.abc import Hashable, Mapping
from typing import Any

from baserate.curves.curve import Curve
from baserate.page.words import counted

# Fewer cases of a class than this are called few.
FEW = 10

Groups = Mapping[Any, Curve]


def folded(by_model: Mapping[str, Groups], least: int) -> dict[str, dict[Any, Curve]]:
    """The groups, with those that have fewer cases of a class in one; if that is small too, the next ones join it."""
    sizes = {key: _size([key], by_model) for key in _keys(by_model)}
    small = [key for key in sizes if sizes[key] < least]
    rest = sorted((key for key in sizes if key not in small), key=lambda key: sizes[key])
    while small and rest and _size(small, by_model) < least:
        small.append(rest.pop(0))
    if not small:
        return {model: dict(curves) for model, curves in by_model.items()}
    name = "(other)" if "other" in rest else "other"
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
        f"{counted(few, 'group')} by {heading} {has} fewer than {FEW} positives or fewer than {FEW} negatives, and "
        f"what single rows scored can be worked out there"
    )


def small_models(models: Mapping[str, Curve]) -> str | None:
    """A sentence about models with few cases of a class; None if there are none."""
    few = [name for name, curve in models.items() if _size([name], {"": models}) < FEW]
    if not few:
        return None
    return (
        f"there are fewer than {FEW} positives or fewer than {FEW} negatives, and what single rows scored can be read "
        f"off the curves"
    )


def _keys(by_model: Mapping[str, Groups]) -> list[Hashable]:
    return list(dict.fromkeys(key for curves in by_model.values() for key in curves))


def _size(keys: list[Any], by_model: Mapping[str, Groups]) -> float:
    """Cases of the rarer class in these groups together, in the model that has the fewest."""
    sizes = []
    for curves in by_model.values():
        found = [curves[key] for key in keys if key in curves]
        if found:
            sizes.append(min(sum(curve.n_pos for curve in found), sum(curve.n_neg for curve in found)))
    return min(sizes)
