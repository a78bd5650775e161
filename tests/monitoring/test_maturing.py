"""Labels that come late: periods that grow, are provisional, and will become something."""

import datetime

import numpy as np
import pytest

import baserate as br
from baserate.monitoring.label_forecast import _AtAge, forecast
from baserate.monitoring.maturing import Maturity, end_of, missing_rows

DATE = datetime.date


@pytest.fixture
def store(tmp_path):
    with br.monitoring.CurveStore(tmp_path / "monitor.db") as opened:
        yield opened


def scores(seed, n_pos=60, n_neg=2000, digits=15):
    """Labels and scores of a period."""
    rng = np.random.default_rng(seed)
    label = np.arange(n_pos + n_neg) < n_pos
    return label, (rng.normal(size=n_pos + n_neg) + 2 * label).round(digits)


def early(label, score, share=0.5):
    """What is known of the labels at first: some positives still count as negatives."""
    known = label & (np.cumsum(label) <= share * label.sum())
    return br.Curve.from_scores(known, score)


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("2026-05-03", DATE(2026, 5, 4)),
        ("2026-W53", DATE(2027, 1, 4)),
        ("2026-12", DATE(2027, 1, 1)),
        ("2026-Q4", DATE(2027, 1, 1)),
        ("2026", DATE(2027, 1, 1)),
    ],
)
def test_a_period_ends_by_its_name(name, end):
    assert end_of(name) == end


@pytest.mark.parametrize("name", ["May", "2026-13", "2026-W60", 7, "2026-5"])
def test_other_names_have_no_end(name):
    with pytest.raises(br.errors.InputError, match="periods must have names such as"):
        end_of(name)


# --- growing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_neg", [200, 20_000])  # kept as they are, and in buckets
def test_late_labels_update_a_period(store, n_neg):
    label, score = scores(1, n_neg=n_neg)
    key = {"model": "m", "period": "2026-05", "matures": "60d"}
    at_first, finally_ = early(label, score), br.Curve.from_scores(label, score)
    assert store.append(at_first, **key, today=DATE(2026, 6, 3)).status == "added"
    assert store.append(at_first, **key, today=DATE(2026, 6, 4)).status == "unchanged"
    assert store.append(finally_, **key, today=DATE(2026, 7, 20)).status == "grown"
    assert store.append(at_first, **key, today=DATE(2026, 7, 21)).status == "unchanged"  # an older version
    kept = store.curve(model="m", period="2026-05")
    assert (kept.n_pos, kept.n_neg) == (60, n_neg)
    known = store.versions(model="m")
    assert known["on"].tolist() == ["2026-06-03", "2026-07-20"]
    assert known["n_pos"].tolist() == [30, 60]
    store.verify()


def test_a_period_grows_the_same_as_if_it_came_at_once(store):
    label, score = scores(2, n_neg=30_000)
    whole = br.Curve.from_scores(label, score)
    store.append(whole, model="whole", period="2026-W18")
    half = np.arange(len(label)) % 2 == 0
    for part in (half, ~half, half):  # the last one again
        curve = br.Curve.from_scores(label[part], score[part])
        how = {"matures": "60d", "today": DATE(2026, 5, 8), "rows": "new"}
        store.append(curve, model="parts", period="2026-W18", **how)
    parts = store.curve(model="parts", period="2026-W18")
    assert (parts.n_pos, parts.n_neg) == (whole.n_pos, whole.n_neg)
    assert len(store.versions(model="parts")["on"]) == 2
    known = br.bounds(br.average_precision, parts)
    assert known.low <= br.average_precision(whole) <= known.high


def test_rows_that_lack_stored_ones_are_refused(store):
    label, score = scores(3, n_neg=20_000)
    half = np.arange(len(label)) % 2 == 0
    how = {"model": "m", "period": "2026-05", "matures": "60d", "today": DATE(2026, 6, 3)}
    store.append(br.Curve.from_scores(label[half], score[half]), **how)
    with pytest.raises(br.errors.InputError, match=r"must include those that are stored.*pass rows='new'"):
        store.append(br.Curve.from_scores(label[~half], score[~half]), **how)
    assert store.curve(model="m", period="2026-05").n_pos == 30


def test_a_mature_period_keeps_its_rows(store):
    label, score = scores(4)
    first, other = early(label, score), br.Curve.from_scores(label, score)
    how = {"model": "m", "period": "2026-05", "matures": 60}
    store.append(first, **how, today=DATE(2026, 7, 31))
    with pytest.raises(br.errors.InputError, match="a key must keep its rows"):
        store.append(other, **how, today=DATE(2026, 8, 1))
    # What was last stored while it was open may change later: this is how it becomes mature.
    store.append(first, **how | {"period": "2026-06"}, today=DATE(2026, 8, 1))
    assert store.append(other, **how | {"period": "2026-06"}, today=DATE(2026, 12, 1)).status == "grown"
    with pytest.raises(br.errors.InputError, match="a key must keep its rows"):
        store.append(br.Curve.pool([first, other]), **how | {"period": "2026-06"}, today=DATE(2026, 12, 2))
    assert store.append(first, **how, today=DATE(2026, 12, 2), replace=True).status == "unchanged"


def test_all_grow_or_none(store):
    label, score = scores(5)
    curves = {("m", period, None): early(label, score) for period in ("2026-05", "2026-06")}
    store.append_many(curves, matures="60d", today=DATE(2026, 7, 1))
    late = {key: br.Curve.from_scores(label, score) for key in curves}
    late["m", "2026-06", None] = br.Curve.from_scores(label[:50], score[:50])
    with pytest.raises(br.errors.InputError, match="must include"):
        store.append_many(late, matures="60d", today=DATE(2026, 7, 9))
    assert store.versions(model="m")["n_pos"].tolist() == [30, 30]


def test_watched_thresholds_stay_exact_in_a_period_that_grows(store):
    label, score = scores(6, n_neg=30_000)
    how = {"model": "m", "period": "2026-05", "matures": "60d", "watch": [1.2345]}
    store.append(early(label, score), **how, today=DATE(2026, 6, 3))
    store.append(br.Curve.from_scores(label, score), **how, today=DATE(2026, 7, 3))
    whole = br.Curve.from_scores(label, score)
    kept = store.curve(model="m", period="2026-05")
    assert br.f1(kept.at_threshold(1.2345)) == br.f1(whole.at_threshold(1.2345))


def test_what_is_stored_without_a_day_may_still_grow(store):
    label, score = scores(7)
    store.append(early(label, score), model="m", period="2026-05")
    late = br.Curve.from_scores(label, score)
    receipt = store.append(late, model="m", period="2026-05", matures="60d", today=DATE(2026, 6, 9))
    assert receipt.status == "grown"
    assert store.versions(model="m")["on"].tolist() == ["", "2026-06-09"]


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"matures": "soon"}, "matures must be a number of days"),
        ({"matures": 0}, "matures must be"),
        ({"today": DATE(2026, 6, 1)}, "today= needs matures="),
        ({"matures": "60d", "today": "2026-06-01"}, "today must be a datetime.date"),
        ({"rows": "new"}, "rows='new' needs matures="),
        ({"matures": "60d", "rows": "some"}, "rows must be"),
    ],
)
def test_bad_arguments_get_a_sentence(store, how, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        store.append(early(*scores(8)), model="m", period="2026-05", **how)


def test_rows_that_cannot_be_there():
    label, score = scores(9, n_neg=300, digits=2)
    whole = br.Curve.from_scores(label, score)
    assert missing_rows(early(label, score), whole) == 0
    assert missing_rows(whole, br.Curve.from_scores(label[5:], score[5:])) == 5


# --- judging --------------------------------------------------------------------------------------


def series(n=8, worse_from=99, lacking=()):
    curves = {}
    for k in range(1, n + 1):
        label, score = scores(k, n_pos=200)
        if k >= worse_from:
            score = np.where(label, score - 1.5, score)
        curves[f"2026-{k:02}"] = early(label, score, 0.2) if k in lacking else br.Curve.from_scores(label, score)
    return curves


def test_provisional_periods_are_read_but_not_judged():
    curves = series(lacking=(7, 8))
    naive = br.monitoring.judge_periods(br.average_precision, curves, last=1)
    assert naive.verdict is not None  # labels that are missing look like a change
    found = br.monitoring.judge_periods(br.average_precision, curves, last=3, matures="60d", today=DATE(2026, 9, 1))
    assert found.verdict is None
    assert [one.provisional for one in found.periods] == [False] * 6 + [True] * 2
    assert [one.alarm for one in found.periods[-2:]] == [None, None]
    assert found.periods[-1].own.value == naive.periods[-1].own.value
    settled = br.monitoring.judge_periods(br.average_precision, dict(list(curves.items())[:6]), last=1)
    assert found.sentence == settled.sentence
    assert found.rows()[-1]["provisional"] is True
    assert "provisional" in str(found)


def test_a_mature_alarm_is_still_one():
    curves = series(worse_from=6, lacking=(8,))
    found = br.monitoring.judge_periods(br.average_precision, curves, last=1, matures="30d", today=DATE(2026, 9, 2))
    assert (found.verdict, found.first_alarm) == ("model", "2026-06")


def test_nothing_but_provisional_periods_is_too_early():
    found = br.monitoring.judge_periods(br.average_precision, series(2), matures="60d", today=DATE(2026, 3, 2))
    assert found.verdict is None
    assert found.sentence == "too early to say (4 more periods needed to compare with the first 3; 2 provisional)"


# --- what will become of it -----------------------------------------------------------------------


def grown(rng, n_past, known, mean=60, wobble=0.0):
    """Versions of periods at ten days and when they were mature, and the truth about the last one."""
    growth, final = {}, 0.0
    for k in range(n_past + 1):
        share = np.clip(known + wobble * rng.normal(), 0.02, 1.0)
        n_pos = rng.poisson(mean * rng.gamma(20, 1 / 20))
        seen = rng.binomial(n_pos, share)
        versions = [_AtAge(10, seen, 10_000), _AtAge(60, n_pos, 10_000)]
        growth[f"{2000 + k}"] = versions if k < n_past else versions[:1]
        final = n_pos
    return growth, final


@pytest.mark.parametrize(
    ("known", "mean", "wobble"), [(0.5, 60, 0.0), (0.2, 200, 0.0), (0.8, 15, 0.0), (0.5, 200, 0.05)]
)
@pytest.mark.parametrize("n_past", [4, 12])
def test_the_interval_holds_what_becomes_of_a_period(n_past, known, mean, wobble):
    rng = np.random.default_rng([n_past, mean])
    held = 0
    for _ in range(1000):
        growth, final = grown(rng, n_past, known, mean, wobble)
        found = forecast(growth, f"{2000 + n_past}", Maturity(60, DATE(2026, 1, 1)), 0.95)
        held += found.low - 0.5 <= final <= found.high + 0.5  # whole positives
    assert held >= 930


def test_periods_that_were_not_looked_at_so_early_say_nothing(store):
    growth = {"2001": [_AtAge(60, 50, 1000)], "2002": [_AtAge(3, 20, 1000), _AtAge(60, 50, 1000)]}
    growth["2003"] = [_AtAge(3, 20, 1000)]
    found = forecast(growth, "2003", Maturity(60, DATE(2026, 1, 1)), 0.95)
    assert found.reason is br.Reason.TOO_FEW_PERIODS
    assert "how many more will come is unknown" in str(found)
    store.append(early(*scores(1)), model="m", period="2026-05")
    with pytest.raises(br.errors.InputError, match="there must be a provisional period"):
        br.monitoring.expected_labels(store, model="m", matures="60d", today=DATE(2026, 6, 1))


def test_old_periods_forget_how_their_labels_came_in(store):
    for month in (3, 4, 5):
        for day in (2, 9, 16):
            label, score = scores(month)
            label = label * (np.arange(len(label)) % (20 // day + 1) == 0)
            curve = br.Curve.from_scores(label, score)
            store.append(curve, model="m", period=f"2026-0{month}", matures="60d", today=DATE(2026, month + 1, day))
    before, curves = store.versions(model="m"), store.curves(model="m")
    assert before["period"].tolist().count("2026-03") == 3
    old = [("m", "2026-03", None), ("m", "2026-04", None)]
    assert store.prune_versions(keep=1, dry_run=True) == old
    assert store.versions(model="m")["on"].tolist() == before["on"].tolist()
    assert store.prune_versions(keep=1) == old
    assert store.prune_versions(keep=1) == []
    kept = store.versions(model="m")
    assert kept["on"].tolist() == ["2026-04-16", "2026-05-16", "2026-06-02", "2026-06-09", "2026-06-16"]
    assert kept["n_pos"].tolist()[:2] == [curves["2026-03"].n_pos, curves["2026-04"].n_pos]
    assert store.curves(model="m") == curves
    store.verify()
    # An open period may still grow, and what it is now is recognised.
    label, score = scores(4)
    now = br.Curve.from_scores(label, score)
    how = {"model": "m", "period": "2026-04", "matures": "60d", "today": DATE(2026, 5, 20)}
    assert store.append(now, **how).status == "grown"
    assert store.append(now, **how).status == "unchanged"
