"""Scores against event rates by bins: intervals that hold, judgements, verdicts, and other prevalences."""

import numpy as np
import pytest
import scipy

import baserate as br


def simulated(rng, n, shape=1.0, offset=0.0):
    """Rows whose log-odds are `shape` times those of their scores, plus `offset`."""
    truth = rng.normal(-1, 1.5, n)
    y = rng.uniform(size=n) < scipy.special.expit(truth)
    return y, scipy.special.expit((truth - offset) / shape)


def test_bins_make_a_table():
    found = br.reliability(br.Curve.from_scores([0, 1, 1, 0], [0.1, 0.6, 0.7, 0.3]), bins=4)
    table = found.frame("pandas")
    assert list(table.n) == [1, 1, 2]
    assert list(table.judgement) == ["agrees"] * 3
    assert list(table.columns)[:5] == ["prevalence", "low", "high", "n", "pos"]


@pytest.mark.parametrize(
    ("shape", "offset", "leaning", "words"),
    [
        (0.5, 0.0, "overconfident", "overconfident, too near to 0 and 1, to be pulled toward 0.5"),
        (2.0, 0.0, "underconfident", "underconfident, too near to 0.5, to be spread toward 0 and 1"),
        (1.0, 1.0, "too low", "more events occur than they predict"),
        (1.0, -1.0, "too high", "fewer events occur than they predict"),
        (1.0, 0.0, "none", "No bin is significantly miscalibrated."),
    ],
)
def test_the_verdict_names_what_was_done_to_the_scores(shape, offset, leaning, words):
    y, s = simulated(np.random.default_rng(11), 20_000, shape, offset)
    found = br.reliability(br.Curve.from_scores(y, s))
    assert found.leaning == leaning
    assert words in found.verdict


def test_the_verdict_lists_the_bins():
    curve = br.Curve.from_counts([0.05, 0.25, 0.55, 0.75, 0.95], [500, 250, 550, 100, 500], [500, 750, 450, 900, 500])
    assert br.reliability(curve).verdict == (
        "Scores are too high in 2 bins ((0.7, 0.8], (0.9, 1]) and too low in 1 bin ([0, 0.1]): overconfident, too near "
        "to 0 and 1, to be pulled toward 0.5."
    )
    mixed = br.Curve.from_counts([0.65, 0.75, 0.95], [100, 1000, 500], [900, 0, 500])
    assert br.reliability(mixed).leaning == "mixed"
    assert "without a common direction" in br.reliability(mixed).verdict


@pytest.mark.slow
def test_judgements_hold_in_all_bins_together():
    """Of calibrated scores, some bin is judged off in at most 5 % of test sets; single intervals miss more often."""
    rng = np.random.default_rng(3)
    false_alarms, missed = 0, 0
    for _ in range(400):
        found = br.reliability(br.Curve.from_scores(*simulated(rng, 1_000)))
        false_alarms += (found.judgement != "agrees").any()
        missed += ((found.mean_score < found.rate_low) | (found.mean_score > found.rate_high)).any()
    assert false_alarms <= 20
    assert missed > false_alarms + 20


def calibrated(rng, prevalence, n_pos, n_neg, shape=0.5):
    """Rows of each class, with scores that are right at a prevalence: a Beta law, tilted by the score and its rest."""
    rest = shape * (1 - prevalence) / prevalence
    scores = np.append(rng.beta(shape + 1, rest, n_pos), rng.beta(shape, rest + 1, n_neg))
    return np.repeat([1, 0], [n_pos, n_neg]), np.clip(scores, 1e-12, 1 - 1e-12)


def blamed(curve, bins):
    return (br.reliability(curve, bins=bins).judgement != "agrees").any()


@pytest.mark.slow
@pytest.mark.parametrize("bins", [10, br.calibration.equal_frequency(10)], ids=str)
def test_calibrated_scores_are_seldom_blamed_at_another_prevalence(bins):
    """Every positive and a tenth of the negatives are kept, and the curve is read where the scores belong."""
    rng = np.random.default_rng(8)
    sets = (br.Curve.from_scores(*calibrated(rng, 0.01, 200, 2_000)).at_prevalence(0.01) for _ in range(60))
    assert sum(blamed(curve, bins) for curve in sets) <= 6  # 5 % and two standard errors


@pytest.mark.slow
@pytest.mark.parametrize("bins", [10, br.calibration.equal_frequency(5)], ids=str)
@pytest.mark.parametrize(
    ("prevalence", "n_pos", "n_neg"),
    [
        (0.1, 30, 270),
        (0.01, 30, 270),
        (0.01, 300, 2_700),
        (0.1, 30, 2_970),
        (0.5, 300, 2_700),
        (0.001, 300, 2_700),
        (0.001, 150, 150),
    ],
)
def test_calibrated_scores_are_seldom_blamed_anywhere(prevalence, n_pos, n_neg, bins):
    rng = np.random.default_rng(9)
    sets = (br.Curve.from_scores(*calibrated(rng, prevalence, n_pos, n_neg)) for _ in range(60))
    assert sum(blamed(curve.at_prevalence(prevalence), bins) for curve in sets) <= 6  # 5 % and two standard errors


@pytest.mark.parametrize("bins", [10, br.calibration.equal_frequency(5)], ids=str)
def test_weights_that_stand_for_rows_left_out_are_no_blame(bins):
    """The same as a prevalence that is given, said by weights: class sizes are random, and so are mean scores."""
    rng = np.random.default_rng(10)
    off = 0
    for _ in range(60):
        y, s = calibrated(rng, 0.01, rng.poisson(200), rng.poisson(1_980))
        off += blamed(br.Curve.from_scores(y, s, weight=np.where(y == 1, 1.0, 10.0)), bins)
    assert off <= 6


@pytest.mark.parametrize(("shape", "offset"), [(1.0, 0.7), (1.0, -0.7), (0.6, 0.0), (1.7, 0.0)])
@pytest.mark.parametrize("prevalence", [None, 0.03])
def test_scores_that_are_off_are_blamed(shape, offset, prevalence):
    rng = np.random.default_rng(12)
    found = 0
    for _ in range(5):
        y, s = simulated(rng, 8_000, shape, offset)
        curve = br.Curve.from_scores(y, s)
        moved = curve if prevalence is None else curve.shift_scores(prevalence).at_prevalence(prevalence)
        found += blamed(moved, br.calibration.equal_frequency(5))
    assert found >= 4


@pytest.mark.parametrize("prevalence", [None, 0.3])
def test_of_one_score_the_judgement_is_that_of_the_interval(prevalence):
    """At the own prevalence Clopper and Pearson's; elsewhere that of the ratio of two shares."""
    pos, neg = [30, 20], [70, 180]
    known = br.Curve.from_counts([0.2, 0.1], pos, neg)
    known = known if prevalence is None else known.at_prevalence(prevalence)
    wide = br.reliability(known, bins=[0, 0.15, 1], confidence_level=0.95**0.5)
    for score, wanted in [
        (wide.rate_low[1] * 0.999, "too low"),
        (wide.rate_low[1] * 1.001, "agrees"),
        (wide.rate_high[1] * 0.999, "agrees"),
        (wide.rate_high[1] * 1.001, "too high"),
    ]:
        curve = br.Curve.from_counts([score, 0.1], pos, neg)
        curve = curve if prevalence is None else curve.at_prevalence(prevalence)
        assert br.reliability(curve, bins=[0, 0.15, 1]).judgement[1] == wanted


@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_certainty_is_wrong_once_something_else_has_happened(prevalence):
    curve = br.Curve.from_counts([1.0, 0.5, 0.0], pos=[20, 5, 0], neg=[0, 5, 20])
    wrong = br.Curve.from_counts([1.0, 0.5, 0.0], pos=[20, 5, 1], neg=[1, 5, 20])
    if prevalence is not None:
        curve, wrong = curve.at_prevalence(prevalence), wrong.at_prevalence(prevalence)
    assert br.reliability(curve, bins=3).judgement.tolist() == ["agrees"] * 3
    assert br.reliability(wrong, bins=3).judgement.tolist() == ["too low", "agrees", "too high"]


@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_buckets_are_blamed_only_if_every_score_in_them_is_off(prevalence):
    def judged(score, top=None):
        curve = br.Curve.from_counts([score, 0.1], [60, 5], [40, 95], top=None if top is None else [top, 0.1])
        return br.reliability(curve if prevalence is None else curve.at_prevalence(prevalence), bins=2).judgement[1]

    truth = 0.6 if prevalence is None else 0.2 * 60 / 65 / (0.2 * 60 / 65 + 0.8 * 40 / 135)
    assert judged(truth + 0.35) == judged(truth + 0.35, truth + 0.36) == "too high"
    assert judged(truth, truth + 0.36) == "agrees"


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [None, 0.5, 0.001])
def test_intervals_of_event_rates_hold(prevalence):
    """In every bin that tends to have rows; class sizes are fixed where the prevalence is given."""
    rng = np.random.default_rng(7)
    logits = rng.normal(-1, 1.5, 500_000)
    y, s = rng.uniform(size=len(logits)) < scipy.special.expit(logits), scipy.special.expit(logits)
    population = br.Curve.from_scores(y, s)
    whole = population if prevalence is None else population.at_prevalence(prevalence)
    truth = br.reliability(whole, bins=5).event_rate
    held = np.zeros(5)
    repeats = 500 if prevalence is None else 150
    for _ in range(repeats):
        if prevalence is None:
            rows = rng.integers(len(y), size=400)
        else:
            rows = np.append(rng.choice(np.flatnonzero(y), 100), rng.choice(np.flatnonzero(~y), 300))
        curve = br.Curve.from_scores(y[rows], s[rows])
        found = br.reliability(curve if prevalence is None else curve.at_prevalence(prevalence), bins=5)
        here = np.rint(5 * found.high).astype(int) - 1
        held[here] += (found.rate_low <= truth[here]) & (truth[here] <= found.rate_high)
        held[np.setdiff1d(np.arange(5), here)] += 1  # an empty bin says nothing false
    assert (held / repeats >= 0.93).all(), held / repeats


def test_at_another_prevalence_event_rates_and_scores_are_reweighted():
    curve = br.Curve.from_counts([0.1, 0.3, 0.9], pos=[10, 30, 60], neg=[500, 400, 100])
    eta = 0.01
    weight = (1 - eta) / eta * 100 / 1000
    found = br.reliability(curve.at_prevalence(eta), bins=2)
    mass = np.array([40 + weight * 900, 60 + weight * 100])
    np.testing.assert_allclose(found.event_rate, [40, 60] / mass)
    first = (10 * 0.1 + 30 * 0.3 + weight * (500 * 0.1 + 400 * 0.3)) / mass[0]
    np.testing.assert_allclose(found.mean_score, [first, 0.9])
    np.testing.assert_allclose(found.share, mass / mass.sum())
    assert found.n.tolist() == [940, 160]  # as counted
    assert found.prevalence == eta


def test_weighted_rows_have_wider_intervals_than_as_many_cases():
    y, s = [0, 1] * 50, [0.4] * 100
    weighted = br.Curve.from_scores(y, s, weight=np.tile([1.0, 1.0, 9.0, 9.0], 25))
    plain = br.reliability(br.Curve.from_scores(y, s))
    found = br.reliability(weighted)
    assert found.event_rate == plain.event_rate == 0.5
    assert found.rate_low[0] < plain.rate_low[0]
    # Kish: (sum of weights)² over the sum of squares
    worth = 500**2 / (50 + 50 * 81)
    expected = br.reliability(br.Curve.from_counts([0.4], [1000], [1000]))  # any table with the same rate
    assert expected.event_rate == 0.5
    assert found.rate_low[0] == pytest.approx(
        float(scipy.special.betaincinv(worth / 2, worth / 2 + 1, 0.025)), rel=1e-6
    )


def test_weighted_rows_at_another_prevalence():
    rng = np.random.default_rng(9)
    y, s = simulated(rng, 500)
    alike = br.Curve.from_scores(y, s, weight=np.full(500, 0.3)).at_prevalence(0.01)
    plain, found = (br.reliability(curve, bins=4) for curve in (br.Curve.from_scores(y, s).at_prevalence(0.01), alike))
    for name in ("event_rate", "rate_low", "rate_high"):
        np.testing.assert_allclose(getattr(found, name), getattr(plain, name), rtol=1e-9)
    uneven = br.Curve.from_scores(y, s, weight=np.tile([0.1, 1.0], 250)).at_prevalence(0.01)
    wider = br.reliability(uneven, bins=4)
    assert (wider.rate_high - wider.rate_low > 1.1 * (found.rate_high - found.rate_low)).any()


def test_the_interval_of_a_bin_is_that_of_alerting_on_it():
    curve = br.Curve.from_counts([0.2, 0.8], pos=[30, 70], neg=[900, 100]).at_prevalence(0.02)
    found = br.reliability(curve, bins=2)
    alert = br.estimate(br.precision, br.Point.from_counts(tp=70, fp=100, fn=30, tn=900).at_prevalence(0.02))
    assert (found.rate_low[1], found.rate_high[1]) == pytest.approx((alert.low, alert.high), rel=1e-5)


def test_bucketed_curves_state_their_error():
    rng = np.random.default_rng(1)
    y, s = simulated(rng, 20_000)
    counted = br.Accumulator(max_scores=700)
    counted.update(y, s)
    # One half is an edge of buckets at every level, so both curves have the same rows in two bins.
    exact, coarse = (br.reliability(curve, bins=2) for curve in (br.Curve.from_scores(y, s), counted.curve()))
    assert exact.score_error == 0
    assert 0 < coarse.score_error < 0.02
    assert "scores exact to 0.0" in str(coarse)
    assert exact.n.tolist() == coarse.n.tolist()
    assert (np.abs(exact.mean_score - coarse.mean_score) <= coarse.score_error).all()


@pytest.mark.parametrize("y", [[], [0, 0], [1, 1]])
def test_one_class_is_refused_in_a_sentence(y):
    curve = br.Curve.from_scores(y, [0.2, 0.4][: len(y)])
    with pytest.raises(
        br.errors.MissingInformationError, match="reliability needs rows of both classes, but there are no"
    ):
        br.reliability(curve)


def test_what_is_no_curve_is_refused():
    with pytest.raises(br.errors.InputError, match="curve must be a Curve, got a list; build one"):
        br.reliability([0.1, 0.2])
    with pytest.raises(br.errors.InputError, match="confidence_level must be at least"):
        br.reliability(br.Curve.from_scores([0, 1], [0.2, 0.4]), confidence_level=95)


# --- the prior and the shape ----------------------------------------------------------------------


def test_of_calibrated_scores_all_of_the_error_is_the_prior():
    levels = np.array([0.05, 0.2, 0.5, 0.8])
    rows = np.array([2000, 1000, 400, 200])
    curve = br.Curve.from_counts(levels, (levels * rows).round(), ((1 - levels) * rows).round())
    for eta in (0.001, 0.02, 0.9):
        found = br.calibration.prior_effect(curve.at_prevalence(eta))
        assert found.ece_before == pytest.approx(0, abs=1e-15)
        assert found.ece == pytest.approx(br.ece(curve.at_prevalence(eta)), rel=1e-12)
        assert found.shape == pytest.approx(0, abs=1e-15)
        assert found.prior_part == pytest.approx(found.ece)
        np.testing.assert_allclose(found.shifted_score, found.event_rate, rtol=1e-12)
        np.testing.assert_allclose(found.event_rate_before, levels)


def test_the_shape_is_the_error_of_the_shifted_curve_over_the_same_rows():
    y, s = simulated(np.random.default_rng(5), 5_000, shape=0.6)
    curve = br.Curve.from_scores(y, s)
    eta = 0.02
    found = br.calibration.prior_effect(curve.at_prevalence(eta), bins=4)
    place = np.clip(np.ceil(4 * s), 1, 4)
    moved = br.adjust(s, curve.own_prevalence, eta)
    weight = np.where(y, 1.0, (1 - eta) / eta * y.sum() / (~y).sum())
    gaps = [abs(np.sum((weight * (y - moved))[place == k])) for k in range(1, 5)]
    assert found.shape == pytest.approx(sum(gaps) / weight.sum(), rel=1e-12)
    assert found.prior_part + found.shape == found.ece
    assert 0 < found.shape < found.ece
    shifted = curve.shift_scores(eta).at_prevalence(eta)
    moved_edges = [0, *(br.adjust(k / 4, curve.own_prevalence, eta) for k in (1, 2, 3)), 1]
    assert br.ece(shifted, bins=moved_edges) == pytest.approx(found.shape, rel=1e-9)


def test_scores_may_belong_elsewhere_than_the_data():
    """Trained on balanced data and tested at 2 %: moved from one half, nothing remains."""
    levels = np.array([0.1, 0.4, 0.7, 0.9])
    balanced = br.Curve.from_counts(levels, (levels * 1000).round(), ((1 - levels) * 1000).round())
    tested = br.Curve.from_counts(levels, balanced.pos[::-1], 49 * balanced.neg[::-1])
    own = br.calibration.prior_effect(tested.at_prevalence(0.02))
    told = br.calibration.prior_effect(tested.at_prevalence(0.02), from_prevalence=balanced.own_prevalence)
    assert told.shape == pytest.approx(0, abs=0.002)
    assert own.shape > 0.1
    assert str(told).startswith("ECE 0 at prevalence 52.5 %, where the scores belong; ")


def test_a_curve_read_at_its_own_prevalence_has_no_prior_effect():
    with pytest.raises(br.errors.InputError, match="got one at its own; call"):
        br.calibration.prior_effect(br.Curve.from_scores([0, 1], [0.2, 0.4]))
