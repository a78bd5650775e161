"""The page about rows of which only some were sampled for labelling."""

import numpy as np
import pytest

import baserate as br
from baserate.page.looks import _rates
from baserate.page.rates import intervals


def both_curves(n=2_000):
    """A curve with one row of all unlabelled, and the curve of the others."""
    rng = np.random.default_rng(3)
    y = rng.random(n) < 0.3
    score = rng.normal(size=n) + 1.5 * y
    label = np.where(np.arange(n) == np.argsort(score)[n // 2], np.nan, y)
    known = ~np.isnan(label)
    return br.Curve.from_sampled(label, score, stratum=["all"] * n), br.Curve.from_scores(label[known], score[known])


def test_intervals_at_thresholds_are_those_of_labelled_rows():
    sampled, plain = both_curves()
    rows = np.array([200, 500, 1_000])  # fewer rows have ends in which 500 draws differ more
    found, same = (intervals(curve, rows, 1) for curve in (sampled, plain))
    assert found.keys() == same.keys()
    for name, ends in found.items():
        assert ends == pytest.approx(same[name], rel=0.06), name  # 500 draws, and limits that are exact
    assert _rates(sampled, 1.0) == pytest.approx(_rates(plain, 1.0), rel=0.06)


def test_a_page_says_where_labels_are():
    rng = np.random.default_rng(0)
    y = rng.random(4_000) < 0.05
    score = rng.normal(size=4_000) + 2 * y
    label = np.where((score >= 2) | (rng.random(4_000) < 0.1), y.astype(float), np.nan)
    curve = br.Curve.from_sampled(label, score, rule="all >= 2, else 10 %")
    page = br.report({"model": curve}, groups={"part": {"model": {"a": curve}}}, prevalence=0.01, quick=True)
    area = br.average_precision(curve.at_prevalence(0.01))
    assert f"average precision {area:.2f}" in page.verdict
    for stratum in curve.strata:
        assert f"{stratum.n_labelled:,} of {stratum.n_rows:,} rows, {stratum.n_pos} positives" in page.html


def test_alerts_alone_make_no_page():
    curve = br.Curve.from_sampled([1, 0, None], [3, 2, 1], rule="all >= 2, else none")
    with pytest.raises(br.BaserateError, match=r"some rows could not be labelled.*; label a random sample of them\.$"):
        br.report({"model": curve})
