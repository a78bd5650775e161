"""Groups beside each other: the same numbers as one by one, and differences that hold."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import baserate as br
from helpers.simulated import normal_curve

GROUPS = {
    "north": normal_curve(100, 2000, 2.0, decimals=2),
    "south": normal_curve(300, 3000, 2.0, rng=1, decimals=2),
    "east": normal_curve(200, 4000, 1.0, rng=2, decimals=2),
    "tiny": normal_curve(4, 50, 2.0, rng=3, decimals=2),
    "none": br.Curve.from_counts([0.5], pos=[0], neg=[9]),
}
FEW = {"n_resamples": 400, "rng": 0}


@pytest.mark.slow
@pytest.mark.parametrize("ask", [br.by_slice, br.by_period])
def test_every_group_stands_at_both_prevalences(ask):
    table = ask(br.average_precision, GROUPS, prevalence=0.02, **FEW)
    assert [row.key for row in table.groups] == list(GROUPS)
    for row in table.groups[:3]:
        curve = GROUPS[row.key]
        assert row.own.value == br.average_precision(curve)
        assert row.common.value == br.average_precision(curve.at_prevalence(0.02))
        assert (row.own.prevalence, row.common.prevalence) == (curve.prevalence, 0.02)
        assert row.own.low < row.own.value < row.own.high
        assert (row.own.n_pos, row.own.n_neg) == (curve.n_pos, curve.n_neg)
        expected = br.estimate(br.average_precision, curve.at_prevalence(0.02), rng=1)
        assert (row.common.low, row.common.high) == pytest.approx((expected.low, expected.high), abs=0.02)


@pytest.mark.slow
def test_groups_below_the_floors_have_a_reason_and_no_number():
    table = br.by_slice(br.average_precision, GROUPS, prevalence=0.02, **FEW)
    tiny, none = table.groups[3:]
    for row, reason in ((tiny, br.Reason.TOO_FEW_CASES), (none, br.Reason.NO_POSITIVES)):
        assert row.own.reason is row.common.reason is row.differences[0].reason is reason
        assert math.isnan(row.own.value)
        assert math.isnan(row.differences[0].adjusted_p_value)
    kept = br.by_slice(br.average_precision, GROUPS, prevalence=0.02, min_pos=4, **FEW).groups[3]
    assert kept.common.reason is None
    unkept = br.by_slice(br.average_precision, GROUPS, prevalence=0.02, min_pos=4, min_neg=51, **FEW).groups[3]
    assert unkept.common.reason is br.Reason.TOO_FEW_CASES


def test_a_slice_is_compared_with_all_others_pooled():
    table = br.by_slice(br.average_precision, GROUPS, prevalence=0.02, **FEW)
    for row in table.groups[:3]:
        others = br.Curve.pool([curve for key, curve in GROUPS.items() if key != row.key]).at_prevalence(0.02)
        expected = row.common.value - br.average_precision(others)
        (difference,) = row.differences
        assert difference.against == "others"
        assert difference.value == pytest.approx(expected, abs=1e-12)
        assert difference.low < expected < difference.high
    p = [row.differences[0].p_value for row in table.groups[:3]]
    adjusted = [row.differences[0].adjusted_p_value for row in table.groups[:3]]
    assert adjusted == pytest.approx([min(1, 3 * one) for one in p])
    assert adjusted[2] < 0.02  # the east is worse
    assert table.groups[2].differences[0].high < table.groups[2].differences[0].simultaneous_high < 0


def test_two_slices_are_one_comparison():
    table = br.by_slice(br.roc_auc, {1: GROUPS["north"], 2: GROUPS["east"]}, **FEW)
    one, two = (row.differences[0] for row in table.groups)
    assert (one.value, one.low, one.high) == (-two.value, -two.high, -two.low)
    for side in (one, two):
        assert (side.simultaneous_low, side.simultaneous_high) == (side.low, side.high)
    assert one.p_value == one.adjusted_p_value == two.adjusted_p_value
    assert one.value == pytest.approx(br.roc_auc(GROUPS["north"]) - br.roc_auc(GROUPS["east"]))


def test_a_period_is_compared_with_the_previous_and_the_first_that_count():
    groups = {k: GROUPS[k] for k in ("tiny", "north", "none", "south", "east")}
    table = br.by_period(br.average_precision, groups, prevalence=0.02, **FEW)
    assert table.against == ("previous", "first")
    value = {row.key: row.common.value for row in table.groups}
    rows = {row.key: row.differences for row in table.groups}
    assert rows["north"][0].reason is rows["north"][1].reason is None  # nothing to compare with
    assert math.isnan(rows["north"][0].value)
    assert rows["south"][0].value == pytest.approx(value["south"] - value["north"])
    assert rows["east"][0].value == pytest.approx(value["east"] - value["south"])
    assert rows["east"][1].value == pytest.approx(value["east"] - value["north"])
    for k in (0, 1):
        p = np.array([rows[key][k].p_value for key in groups])
        adjusted = [rows[key][k].adjusted_p_value for key in groups]
        assert adjusted == pytest.approx(np.minimum(2 * p, 1), nan_ok=True)  # two of each kind


def test_the_common_prevalence_is_a_key_a_number_odds_or_the_mean():
    groups = {k: GROUPS[k] for k in ("north", "south", "none")}

    def common(prevalence):
        return br.by_period(br.roc_auc, groups, prevalence=prevalence, n_resamples=50, rng=0).common_prevalence

    assert common("north") == GROUPS["north"].prevalence
    assert common(0.003) == 0.003
    assert common("1:999") == pytest.approx(0.001)
    assert common("mean") == pytest.approx((GROUPS["north"].prevalence + GROUPS["south"].prevalence) / 2)


def test_where_a_curve_is_read_is_its_own():
    groups = {"a": GROUPS["north"].at_prevalence(0.1), "b": GROUPS["south"]}
    table = br.by_slice(br.average_precision, groups, prevalence="a", **FEW)
    assert table.groups[0].own.prevalence == table.common_prevalence == 0.1
    assert table.groups[0].own.value == table.groups[0].common.value


@pytest.mark.slow
def test_points_at_a_threshold_and_by_a_rule():
    groups = {k: GROUPS[k] for k in ("north", "south", "east")}
    fixed = br.by_slice(br.precision, groups, at=1.5, prevalence=0.02, **FEW)
    chosen = br.by_slice(br.precision, groups, at=lambda curve: curve.at_recall(0.6), prevalence=0.02, **FEW)
    for key, one, other in zip(groups, fixed.groups, chosen.groups, strict=True):
        read = groups[key].at_prevalence(0.02)
        assert one.common.value == br.precision(read.at_threshold(1.5))
        assert other.common.value == br.precision(read.at_recall(0.6))
        assert other.common.chosen == "recall >= 0.6"
        assert one.common.chosen is None
        assert one.differences[0].low < one.differences[0].value < one.differences[0].high
    none = br.by_slice(br.precision, groups, at=lambda curve: curve.at_precision(0.99), prevalence=1e-6, **FEW)
    assert none.groups[2].common.reason is br.Reason.NO_SUCH_POINT


def test_of_a_fixed_threshold_the_ends_are_those_of_mixed_betas():
    """By brute force: the lower and the upper law of Clopper and Pearson in halves, of either slice."""
    a, b = (br.Curve.from_counts([1, 0], pos=[k, 50 - k], neg=[10, 90]) for k in (40, 25))
    found = br.by_slice(br.recall, {"a": a, "b": b}, at=0.5, n_resamples=40_000, rng=0).groups[0].differences[0]
    rng, n = np.random.default_rng(1), 400_000
    difference = rng.beta(*_in_halves(40, rng, n)) - rng.beta(*_in_halves(25, rng, n))
    assert (found.low, found.high) == pytest.approx(np.quantile(difference, [0.025, 0.975]), abs=0.004)
    assert found.p_value == pytest.approx(2 * np.mean(difference <= 0), rel=0.2)


def _in_halves(k, rng, n):
    upper = rng.integers(2, size=n)
    return k + upper, 50 - k + 1 - upper


@pytest.mark.slow
def test_a_slice_that_differs_is_seen_as_well_as_the_rows_allow():
    """The interval is about as wide as the difference is spread; added up from both ends of both it was 1.15 times."""
    rng, value, width = np.random.default_rng(2), [], []
    for seed in range(150):
        slices = {
            d: br.Curve.from_scores(np.repeat([1, 0], [15, 300]), rng.normal(size=315) + np.repeat([d, 0], [15, 300]))
            for d in (1, 2)
        }
        asked = {"prevalence": 0.05, "n_resamples": 400, "rng": seed}
        one = br.by_slice(br.average_precision, slices, **asked).groups[0].differences[0]
        value.append(one.value)
        width.append(one.high - one.low)
    assert np.median(width) <= 1.05 * 2 * 1.96 * np.std(value)


@pytest.mark.slow
def test_the_table_prints_and_becomes_a_frame():
    table = br.by_slice(br.average_precision, GROUPS, prevalence=0.02, **FEW)
    assert pl.DataFrame(table.rows()).shape == table.frame("pandas").shape == (5, 19)
    columns = table.frame("pyarrow").to_pydict()
    assert columns["slice"] == list(GROUPS)
    assert columns["reason"] == [None, None, None, "too_few_cases", "no_positives"]
    assert columns["common"][:3] == [row.common.value for row in table.groups[:3]]
    assert columns["from_others_low"][0] == table.groups[0].differences[0].low
    lines = str(table).splitlines()
    assert len(lines) == 7
    assert "differences simultaneous in each column" in lines[0]
    east = table.groups[2].differences[0]
    assert f"[{east.simultaneous_low:+.4g}, {east.simultaneous_high:+.4g}] p={east.adjusted_p_value:.2g}" in lines[4]
    assert "there are fewer cases than were asked for" in lines[5]
    assert "is optimistic" in str(br.by_slice(br.best_f1, GROUPS, **FEW))


@pytest.mark.slow
@pytest.mark.parametrize("n_resamples", [100, 137, 300])
def test_simultaneous_intervals_leave_out_0_exactly_where_adjusted_p_values_are_small(n_resamples):
    rng, outside = np.random.default_rng(n_resamples), 0
    for level in (0.8, 0.9, 0.95):
        for n_groups in (3, 5):
            groups = {
                k: br.Curve.from_scores(
                    np.repeat([1, 0], [20, 60]), rng.normal(size=80) + np.repeat([d, 0.0], [20, 60])
                )
                for k, d in enumerate(rng.uniform(0.2, 2.2, n_groups))
            }
            asked = {"confidence_level": level, "n_resamples": n_resamples, "rng": 1}
            for table in (br.by_slice(br.roc_auc, groups, **asked), br.by_slice(br.recall, groups, at=1.0, **asked)):
                for (one,) in (row.differences for row in table.groups):
                    assert one.simultaneous_low <= one.low <= one.value <= one.high <= one.simultaneous_high
                    for low, high, p in (
                        (one.low, one.high, one.p_value),
                        (one.simultaneous_low, one.simultaneous_high, one.adjusted_p_value),
                    ):
                        assert (low > 0 or high < 0) == (p <= 1 - level + 1e-12)
                        outside += low > 0 or high < 0
    assert outside >= 10


@pytest.mark.slow
def test_of_many_slices_one_that_differs_is_found():
    """With p-values from 2,000 draws, times 60, nothing could be; more are drawn."""
    good = br.Curve.from_counts([1, 0], pos=[30, 20], neg=[20, 80])
    groups = dict.fromkeys(range(59), good) | {"bad": br.Curve.from_counts([1, 0], pos=[5, 45], neg=[50, 50])}
    table = br.by_slice(br.roc_auc, groups, rng=0)
    bad = table.groups[-1].differences[0]
    assert bad.adjusted_p_value <= 0.05
    assert bad.simultaneous_high < 0
    assert all(row.differences[0].adjusted_p_value > 0.05 for row in table.groups[:-1])


@pytest.mark.slow
def test_simultaneous_intervals_hold_all_at_once():
    rng, held, n = np.random.default_rng(8), 0, 100
    true = stats.norm.cdf(np.array([1.0, 1.0, 1.5, 2.0]) / math.sqrt(2))
    for seed in range(n):
        groups = {
            k: br.Curve.from_scores(np.repeat([1, 0], [40, 200]), rng.normal(size=240) + np.repeat([d, 0.0], [40, 200]))
            for k, d in enumerate([1.0, 1.0, 1.5, 2.0])
        }
        rows = br.by_period(br.roc_auc, groups, n_resamples=400, rng=seed).groups[1:]
        found = [row.differences[1] for row in rows]
        held += all(
            one.simultaneous_low <= t - true[0] <= one.simultaneous_high for one, t in zip(found, true[1:], strict=True)
        )
    assert held >= 0.95 * n - 2 * math.sqrt(n * 0.95 * 0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: br.by_slice(br.roc_auc, GROUPS, prevalence="nort"), "did you mean 'north'"),
        (lambda: br.by_slice(br.roc_auc, GROUPS, prevalence=2), "strictly between 0 and 1"),
        (lambda: br.by_slice(br.roc_auc, {"a": 3}), "a mapping of names to Curves, got a dict with 3 at 'a'"),
        (lambda: br.by_slice(br.roc_auc, {"none": GROUPS["none"]}), "no group has both"),
        (lambda: br.by_slice(br.roc_auc, GROUPS, min_pos=-1), "min_pos"),
        (lambda: br.by_slice(br.precision, GROUPS), "one operating point"),
        (lambda: br.by_period(br.roc_auc, GROUPS, n_resamples=3), "n_resamples"),
    ],
)
def test_bad_input_is_one_sentence(call, message):
    with pytest.raises(br.errors.InputError, match=message):
        call()


def test_rates_alone_do_not_do():
    with pytest.raises(br.errors.MissingInformationError):
        br.by_slice(br.roc_auc, {"a": br.Curve.from_rates([0.5], [0.1], prevalence=0.1)})


@pytest.mark.slow
@pytest.mark.parametrize("case", ["average_precision", "precision at 1.5", "precision at recall 0.6"])
def test_differences_hold_and_are_rarely_seen_where_there_are_none(case):
    """In 150 tables of three slices, the last of which is worse, and 150 without a difference."""
    metric, at = {
        "average_precision": (br.average_precision, None),
        "precision at 1.5": (br.precision, 1.5),
        "precision at recall 0.6": (br.precision, lambda curve: curve.at_recall(0.6)),
    }[case]

    def curves(seed, distances, n_pos, n_neg):
        rng = np.random.default_rng(seed)
        return {key: normal_curve(n_pos, n_neg, d, rng=rng) for key, d in enumerate(distances)}

    asked = {"at": at, "prevalence": 0.02}
    true = br.by_slice(metric, curves(1, (2.0, 2.0, 1.5), 100_000, 300_000), n_resamples=40, rng=0, **asked)
    held, wrong = np.zeros(3), 0
    for seed in range(150):
        found = br.by_slice(metric, curves(9 + seed, (2.0, 2.0, 1.5), 60, 1500), n_resamples=200, rng=seed, **asked)
        for k, (row, truth) in enumerate(zip(found.groups, true.groups, strict=True)):
            held[k] += row.differences[0].low <= truth.differences[0].value <= row.differences[0].high
        alike = br.by_slice(metric, curves(999 + seed, (2.0,) * 3, 60, 1500), n_resamples=200, rng=seed, **asked)
        wrong += any(row.differences[0].adjusted_p_value <= 0.05 for row in alike.groups)
    print(case, (held / 150).round(3), wrong / 150)
    assert held.min() >= 0.93 * 150
    assert wrong <= 0.05 * 150 + 2 * math.sqrt(150 * 0.05 * 0.95)
