"""Which bin a score belongs to, and what a bin holds."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.curves.bins import Bins, as_bins, binned


def rows_in(scores, bins):
    """Rows in each bin that has any, by its upper edge."""
    found = binned(br.Curve.from_scores(np.arange(len(scores)) % 2, scores), bins)
    return dict(zip(found.high.round(6).tolist(), found.n.tolist(), strict=True))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [3, 7, 10, 15, 49, 100])
def test_scores_on_edges_fall_below_them_or_above(n, dtype):
    edges = np.array([k / n for k in range(n + 1)]).astype(dtype)
    right = binned(br.Curve.from_scores(np.arange(n + 1) % 2, edges), n)
    left = binned(br.Curve.from_scores(np.arange(n + 1) % 2, edges), br.calibration.equal_width(n, closed="left"))
    assert right.n.tolist() == [2] + [1] * (n - 1)  # 0 and the first edge share a bin
    assert left.n.tolist() == [1] * (n - 1) + [2]


@pytest.mark.parametrize("edge", [0.1, 0.3, 0.6, 0.7])
def test_the_neighbours_of_an_edge_are_on_their_own_sides(edge):
    high = round(edge + 0.1, 6)
    assert rows_in([np.nextafter(edge, 0), edge, np.nextafter(edge, 1)], 10) == {edge: 2, high: 1}
    left = br.calibration.equal_width(10, closed="left")
    assert rows_in([np.nextafter(edge, 0), edge, np.nextafter(edge, 1)], left) == {edge: 1, high: 2}


@pytest.mark.parametrize("edge", [0.1, 0.3, 0.6, 0.7])
def test_the_neighbours_of_an_edge_in_32_bits(edge):
    edge32 = np.float32(edge)
    three = np.array([np.nextafter(edge32, np.float32(0)), edge32, np.nextafter(edge32, np.float32(1))])
    assert rows_in(three, 10) == {edge: 2, round(edge + 0.1, 6): 1}
    assert rows_in(three, br.calibration.equal_width(10, closed="left")) == {edge: 1, round(edge + 0.1, 6): 2}


def test_an_edge_next_to_another_stays_where_it_is():
    nearly = 1 - 2.0**-40  # as a 32-bit float it is 1
    found = binned(br.Curve.from_scores([0, 1, 1], [0.5, 1.0, 1.0]), [0, nearly, 1])
    assert found.n.tolist() == [1, 2]


unit = st.integers(0, 20).map(lambda k: k / 20) | st.floats(0, 1)


@pytest.mark.slow
@settings(max_examples=100)
@given(scores=st.lists(unit, min_size=2, max_size=40), n=st.integers(1, 12))
def test_equal_frequency_is_cutting_at_exact_quantiles(scores, n):
    """The definition in fractions: a row is below a quantile if its score is not above it."""
    ordered = sorted(Fraction(score) for score in scores)

    def quantile(k):
        rank = Fraction(k * (len(ordered) - 1), n)
        low = ordered[int(rank)]
        high = ordered[min(int(rank) + 1, len(ordered) - 1)]
        return low + (rank - int(rank)) * (high - low)

    cuts = [quantile(k) for k in range(1, n)]
    place = [sum(cut < Fraction(score) for cut in cuts) for score in scores]
    expected = [place.count(k) for k in sorted(set(place))]
    found = binned(br.Curve.from_scores(np.arange(len(scores)) % 2, scores), br.calibration.equal_frequency(n))
    assert found.n.tolist() == expected
    assert (found.high[:-1] < found.low[1:]).all()


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(unit, st.booleans()), min_size=2, max_size=40),
    bins=st.sampled_from([1, 4, 10, "equal_frequency(4)", [0, 0.05, 0.5, 1]]),
)
def test_bins_hold_the_rows_they_should(rows, bins):
    s, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    found = binned(br.Curve.from_scores(y, s), bins)
    for k in range(len(found.n)):
        if found.bins.kind == "equal_frequency":
            here = (s >= found.low[k]) & (s <= found.high[k])
        else:
            here = (s > found.low[k]) & (s <= found.high[k]) | (s == 0) & (found.low[k] == 0)
        assert (found.pos[k], found.neg[k]) == (y[here].sum(), (~y)[here].sum())
        assert found.mean_score[k] == pytest.approx(s[here].mean(), abs=1e-15)
        assert found.event_rate[k] == pytest.approx(y[here].mean(), abs=1e-15)
        assert found.gap[k] == pytest.approx(y[here].mean() - s[here].mean(), abs=1e-15)
        if here.sum() > 1:
            assert found.rate_variance[k] == pytest.approx(y[here].var() / (here.sum() - 1), abs=1e-15)
    assert found.n.sum() == len(rows)
    assert found.share.sum() == pytest.approx(1)


def test_the_rate_variance_at_another_prevalence_is_that_of_the_draws():
    rng = np.random.default_rng(5)
    pos, neg, odds = rng.poisson(60, 40_000), rng.poisson(900, 40_000), 20.0
    rates = pos / (pos + odds * neg)
    curve = br.Curve.from_counts([0.2, 0.8], [60, 940], [900, 100]).at_prevalence(1 / (1 + odds))
    # 1,000 rows of each class: weighting a negative by the odds against reads them there
    assert binned(curve, 2).odds == pytest.approx(odds)
    assert binned(curve, 2).rate_variance[0] == pytest.approx(rates.var(), rel=0.03)


def test_weighted_rows_have_the_variance_of_the_rows_they_are_worth():
    equal = br.Curve.from_scores([0, 1, 1, 0, 1], [0.5] * 5)
    weighted = br.Curve.from_scores([0, 1, 1, 0, 1], [0.5] * 5, weight=[7.0] * 5)
    assert binned(weighted, 1).rate_variance == pytest.approx(binned(equal, 1).rate_variance)


def test_ways_to_say_bins():
    assert as_bins(10) == as_bins("equal_width(10)") == br.calibration.equal_width(10)
    assert as_bins("equal_frequency(7)") == br.calibration.equal_frequency(7)
    assert as_bins([0, 0.5, 1]) == as_bins(np.array([0, 0.5, 1])) == Bins("edges", 2, (0.0, 0.5, 1.0))
    assert [str(as_bins(text)) for text in ("equal_width(10)", "equal_frequency(3)")] == [
        "equal_width(10)",
        "equal_frequency(3)",
    ]
    assert str(br.calibration.equal_width(4, closed="left")) == "equal_width(4, left-closed)"
    assert str(as_bins([0, 0.5, 1])) == "edges 0, 0.5, 1"


@pytest.mark.parametrize(
    ("bins", "sentence"),
    [
        (0, "bins must be finite and above 0, got 0; pass a positive number."),
        (2.5, "bins must be a whole number, got 2.5; round it first."),
        ("ten", "bins as text must be such as 'equal_width(10)' or 'equal_frequency(10)', got 'ten'; or pass a number "
                "or a list of edges."),
        ([0.5], "bins as edges must be at least two increasing numbers between 0 and 1, got [0.5]; pass such as "
                "[0, 0.1, 0.5, 1]."),
        ([0, 0.5, 0.5, 1], "bins as edges must be at least two increasing numbers between 0 and 1, got "
                           "[0.  0.5 0.5 1. ]; pass such as [0, 0.1, 0.5, 1]."),
        ([0.2, 1], "bins must cover every score, got edges from 0.2 to 1 and scores from 0.1 to 0.9; begin with 0 and "
                   "end with 1."),
    ],
)  # fmt: skip
def test_bins_that_are_none(bins, sentence):
    with pytest.raises(br.errors.InputError) as refused:
        br.ece(br.Curve.from_scores([0, 1], [0.1, 0.9]), bins=bins)
    assert str(refused.value) == sentence


def test_fewer_bins_than_asked_is_said():
    curve = br.Curve.from_scores([0, 1, 0, 1], [0.2, 0.2, 0.2, 0.9])
    with pytest.warns(br.errors.FewerBinsWarning, match="only 2 of 4 bins: equal scores"):
        br.ece(curve, bins=br.calibration.equal_frequency(4))
    assert "2 bins, because equal scores are never split" in str(
        br.reliability(curve, bins=br.calibration.equal_frequency(4))
    )


def test_scores_that_are_no_probabilities_are_refused():
    curve = br.Curve.from_scores([0, 1], [-2.0, 7.0])
    for ask in (br.ece, br.brier_score, br.smooth_ece, br.reliability):
        with pytest.raises(
            br.errors.InputError, match=r"reads scores as probabilities between 0 and 1, got scores from -2 to 7"
        ):
            ask(curve)
    with pytest.raises(br.errors.MissingInformationError, match="made from rates and has no scores"):
        br.ece(br.Curve.from_rates([0.5], [0.1]).at_prevalence(0.1))
