"""Numbers behind charts and the order of rows."""

import math

import numpy as np
import pytest

import baserate as br
from baserate.page import looks
from baserate.page.groups import _sizes


def test_the_histogram_has_the_shares_of_each_class():
    rng = np.random.default_rng(0)
    y, score = rng.random(500) < 0.3, rng.random(500)
    found = looks.histogram(br.Curve.from_scores(y, score))
    for name, here in (("pos", y), ("neg", ~y)):
        wanted = np.histogram(score[here], found["edges"])[0] / here.sum()
        assert sum(found[name]) == pytest.approx(1, abs=1e-3)
        assert np.abs(np.array(found[name]) - wanted).max() <= 1.5 / here.sum()  # edges are rounded
    assert looks.histogram(br.Curve.from_scores([0, 1, 1], [-np.inf, 0.5, 0.7])) is None
    assert looks.histogram(br.Curve.from_scores([0, 1, 1], [2, 2, 2])) is None


def test_intervals_are_widened_as_bonferroni_has_it():
    assert looks.widening(1) == 1
    assert looks.widening(20) == pytest.approx(3.0233 / 1.96, rel=1e-4)  # the quantile at 1 - 0.05 / 40
    assert looks.widening(0) is None


def test_a_difference_is_counted_in_half_widths_of_the_interval():
    assert looks.difference(0.5, 0.25, 0.75, 0.75) == 1
    assert looks.difference(0.5, 0.25, 0.75, 0.25) == 1
    assert looks.difference(0.5, 0.25, 1.0, 2.0) == 2
    assert looks.difference(0.5, 0.25, 0.75, 0.5) == 0
    assert looks.difference(0.5, math.nan, math.nan, 0.9) == 0


def test_slices_say_how_many_rows_have_no_label(tmp_path):
    rows = ["y,s,part", *(f"{'' if k % 4 == 0 and k < 40 else k % 2},{k},{'a' if k < 40 else 'b'}" for k in range(80))]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    curves = br.curves_by(tmp_path / "rows.csv", "part", label="y", score="s", missing="random")
    assert _sizes([curves["a"]]) == "20 positives of 30, 25 % of the rows without a label"
    assert _sizes([curves["b"]]) == "20 positives of 40"
