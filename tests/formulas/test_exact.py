"""Differences of products against fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from baserate.formulas.exact import Twofold, complement, difference, odds_against

counts = st.integers(1, 10**12)
shares = st.floats(1e-9, 1 - 1e-9)


@given(counts, counts, st.integers(-3, 3))
def test_whole_numbers_are_exact(a, b, off):
    c, d = a + 1, b + off
    found = difference(float(a), Twofold(float(b)), float(c), Twofold(float(d)))
    assert Fraction(float(found)) == Fraction(float(a * b - c * d))


@given(counts, shares, counts)
def test_twice_the_digits(a, share, c):
    wanted = a * (1 - Fraction(share)) / Fraction(share)
    d = float(wanted / c)
    found = float(difference(float(a), odds_against(share), float(c), Twofold(d)))
    exact = wanted - c * Fraction(d)
    assert abs(Fraction(found) - exact) <= Fraction(2) ** -98 * wanted


@given(shares)
def test_a_complement_is_exact(share):
    rest = complement(share)
    assert Fraction(rest.high) + Fraction(rest.low) == 1 - Fraction(share)


def test_only_near_elements_are_worked_out_again():
    a, c = np.array([10.0**12 + 1, 5.0, 0.0]), np.array([10.0**12 - 1, 2.0, 0.0])
    found = difference(a, Twofold(10.0**12 - 1), c, Twofold(10.0**12 + 1))
    assert found.tolist() == [0.0, 3 * 10.0**12 - 7, 0.0]
