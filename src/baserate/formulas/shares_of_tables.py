r"""All confusion matrices, as shares of the cases, that obey given inequalities: exactly.

A table is a vector :math:`v = (tp, fn, fp, tn) \ge 0` with sum 1. A metric that is a ratio of two sums of cells,
:math:`n \cdot v / d \cdot v`, lies between l and h where :math:`(n - l d) \cdot v \ge 0` and
:math:`(h d - n) \cdot v \ge 0`: half-spaces, whatever the prevalence. So the tables that agree with printed numbers
are a polytope. Its vertices are computed in whole numbers, so that an empty polytope is a proof.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm

import numpy as np

from baserate.arrays import FloatArray

Vector = tuple[int, int, int, int]  # over the cells tp, fn, fp, tn

_CELLS: tuple[Vector, ...] = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))


def whole(vector: Iterable[Fraction]) -> Vector:
    """A vector of whole numbers in the same direction."""
    parts = tuple(vector)
    common = lcm(*(part.denominator for part in parts))
    a, b, c, d = (int(part * common) for part in parts)
    return a, b, c, d


def between(
    numerator: Sequence[float], denominator: Sequence[float], low: Fraction, high: Fraction
) -> tuple[Vector, Vector]:
    """The two half-spaces in which a ratio is at least `low` and at most `high`."""
    top, bottom = (tuple(map(Fraction, weights)) for weights in (numerator, denominator))
    pairs = list(zip(top, bottom, strict=True))
    return whole(n - low * d for n, d in pairs), whole(high * d - n for n, d in pairs)


def vertices(constraints: Iterable[Vector]) -> list[Vector]:
    """The vertices of the tables v with c · v >= 0 for each constraint c; none if there is no such table."""
    planes = list(dict.fromkeys([*_CELLS, *constraints]))
    found: dict[tuple[Fraction, ...], Vector] = {}
    for three in combinations(planes, 3):
        across = _across(*three)
        total = sum(across)
        if total < 0:
            across, total = (-across[0], -across[1], -across[2], -across[3]), -total
        if total and all(dot(plane, across) >= 0 for plane in planes):
            found[tuple(Fraction(part, total) for part in across)] = across
    return list(found.values())


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    """The product of two vectors."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def _across(a: Vector, b: Vector, c: Vector) -> Vector:
    """The direction that three planes have in common; 0 if that is more than a line."""

    def minor(i: int, j: int, k: int) -> int:
        return (
            a[i] * (b[j] * c[k] - b[k] * c[j]) - a[j] * (b[i] * c[k] - b[k] * c[i]) + a[k] * (b[i] * c[j] - b[j] * c[i])
        )

    return minor(1, 2, 3), -minor(0, 2, 3), minor(0, 1, 3), -minor(0, 1, 2)


def extremes(
    corners: Sequence[Vector],
    numerator: Sequence[float],
    denominator: Sequence[float],
    prevalence: float | None = None,
) -> tuple[float, float]:
    r"""The lowest and the highest value of a ratio over the polytope, read at a prevalence or at each table's own.

    Read at prevalence :math:`\eta`, the cells are :math:`\eta (1 - p)\,(tp, fn)` and :math:`(1 - \eta)\, p\,(fp, tn)`,
    where :math:`p = tp + fn`. At one p the ratio is extreme at a vertex of the slice, which lies on an edge of the
    polytope. Along an edge it is a ratio of quadratics, which is extreme at an end or where its derivative, another
    quadratic, is 0. All segments between vertices are tried, because they include the edges.
    """
    shares = np.array([[float(Fraction(part, sum(corner))) for part in corner] for corner in corners])
    first, second = (np.repeat(shares, len(shares), axis=0), np.tile(shares, (len(shares), 1)))
    ratio = [np.asarray(weights, dtype=float) for weights in (numerator, denominator)]
    top, bottom = (_along(first, second, weights, prevalence) for weights in ratio)
    found = [_at_start(top, bottom)]
    for way in _flat_places(top, bottom)[..., None]:
        # Read from the table there: near an end where both sums are 0 their polynomials cancel to nothing.
        table = first * (1 - way) + second * way
        found.append(_at_start(*(_along(table, table, weights, prevalence) for weights in ratio)))
    values = np.concatenate(found)
    values = values[~np.isnan(values)]
    return (float(values.min()), float(values.max())) if len(values) else (np.nan, np.nan)


def _along(first: FloatArray, second: FloatArray, weights: FloatArray, prevalence: float | None) -> FloatArray:
    """Coefficients of a weighted sum of cells as a polynomial of the way from one table to another."""
    step = second - first
    if prevalence is None:
        return np.stack([first @ weights, step @ weights, np.zeros(len(first))])
    total = np.zeros((3, len(first)))
    for own, other, share in ((slice(0, 2), slice(2, 4), prevalence), (slice(2, 4), slice(0, 2), 1 - prevalence)):
        a0, a1 = first[:, own] @ weights[own], step[:, own] @ weights[own]
        b0, b1 = first[:, other].sum(axis=1), step[:, other].sum(axis=1)
        total += share * np.stack([a0 * b0, a0 * b1 + a1 * b0, a1 * b1])
    return total


def _at_start(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """The ratio at the beginning of each way; its limit where both sums are 0 there; nan where it has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value: FloatArray = top[0] / bottom[0]
        for k in (1, 2):
            value = np.where(np.isnan(value), top[k] / bottom[k], value)
    return value


def _flat_places(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """The two interior places, between 0 and 1, where the ratio has a horizontal tangent; nan for others."""
    c2 = top[2] * bottom[1] - top[1] * bottom[2]
    c1 = 2 * (top[2] * bottom[0] - top[0] * bottom[2])
    c0 = top[1] * bottom[0] - top[0] * bottom[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(c1**2 - 4 * c2 * c0)
        q = -(c1 + np.copysign(root, c1)) / 2
        places = np.stack([q / c2, c0 / q])
    return np.where((places > 0) & (places < 1), places, np.nan)
