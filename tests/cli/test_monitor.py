"""``baserate monitor``: periods are kept once, and the exit code says what has changed."""

import csv
import datetime
import io
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from prometheus_client.parser import text_string_to_metric_families

import baserate as br
from baserate.monitoring.store_rows import CurveKey
from helpers.pages import as_shown_now
from helpers.programs import PROGRAM

pytestmark = pytest.mark.slow  # together, these take long

PAGE = Path(__file__).parents[2] / "docs" / "monitoring.md"


def month(number, *, frauds=100, rows=2000, shift=2.5, seed=None, digits=2):
    """Rows of a month: `shift` is how well the model does; with two digits its curve is kept as it is."""
    rng = np.random.default_rng(number if seed is None else seed)
    y = np.arange(rows) < frauds
    day = datetime.date(2025 + (number - 1) // 12, (number - 1) % 12 + 1, 5)
    drawn = {"y": y.astype(int), "p": (rng.normal(size=rows) + shift * y).round(digits), "ts": [day] * rows}
    return pl.DataFrame(drawn | {"part": np.where(np.arange(rows) % 2, "a", "b")})


@pytest.fixture
def asked(tmp_path, ask, monkeypatch):
    """Ask about some months: ``asked([month(1), …], "--json")``."""
    monkeypatch.chdir(tmp_path)

    def about(months, *options, store="monitor.db", run=ask):
        pl.concat(months).write_parquet(tmp_path / "rows.parquet")
        fixed = ("--store", store, "--label", "y", "--score", "p", "--period", "ts:month")
        return run("monitor", "rows.parquet", *fixed, *options)

    return about


STEADY = [month(number) for number in range(1, 6)]


# --- verdicts -------------------------------------------------------------------------------------


def test_nothing_has_changed(asked):
    done = asked(STEADY)
    assert done.code == 0
    assert "\np: no change detected (average_precision " in done.out
    lines = done.out.splitlines()
    assert lines[0].split()[:5] == ["model", "period", "kept", "pos", "neg"]
    assert [line.split()[1] for line in lines[1:6]] == [f"2025-0{number}" for number in range(1, 6)]


def test_a_model_that_became_worse_is_three(asked):
    done = asked([*STEADY[:4], month(5, shift=1.0)], "--prevalence", "0.05")
    assert done.code == 3
    assert "p: the model is worse than it was (average_precision " in done.out
    assert "at prevalence 1 in 20; first alarm in 2025-05)" in done.out


def test_only_the_prevalence_is_four(asked):
    done = asked([*STEADY[:4], month(5, frauds=20)])
    assert done.code == 4
    assert "p: the prevalence has moved, no change of the model detected (2025-05: prevalence 1 in 100; " in done.out


def test_a_prevalence_may_move_as_far_as_is_tolerated(asked):
    assert asked([*STEADY[:4], month(5, frauds=20)], "--tolerated", "6").code == 0
    assert asked([*STEADY[:4], month(5, frauds=140)], store="other.db").code == 0  # 1.4 times


def test_a_prevalence_that_moved_by_chance_is_nothing(asked):
    few = [month(number, frauds=4, rows=400) for number in (1, 2, 3)]
    assert asked([*few, month(4, frauds=7, rows=400)]).code == 0


def test_the_model_counts_more_than_the_prevalence(asked):
    assert asked([*STEADY[:4], month(5, frauds=400, shift=1.0)]).code == 3


def test_a_model_that_recovered_is_told_as_it_is_now(asked):
    months = [*STEADY[:4], month(5, shift=1.0), *(month(number, shift=2.7) for number in range(6, 15))]
    done = asked(months, "--json", "--last", "99")
    rows = json.loads(done.out)["periods"]
    assert rows[4]["alarm"] is True
    assert (rows[-1]["alarm"], done.code) == (False, 0)


def test_periods_have_the_source_of_their_rows(asked):
    asked(STEADY[:4])
    answer = json.loads(asked(STEADY, "--json").out)
    sources = [row["source"] for row in answer["periods"]]
    assert [source.partition(", ")[0] for source in sources] == ["rows.parquet: 8,000 rows"] * 4 + [
        "rows.parquet: 10,000 rows"
    ]
    assert all("2,000 labelled and 0 unlabelled counted; Parquet" in source for source in sources)
    assert "source" not in asked(STEADY).out


def test_too_few_periods_are_too_early(asked):
    done = asked(STEADY[:2])
    assert done.code == 0
    assert "p: too early to say (2 more periods needed to compare with the first 3)" in done.out
    done = asked(STEADY[:3])
    assert "(1 more period needed" in done.out
    assert asked([month(4)], "--reference", "1").code == 0


def test_periods_without_enough_cases_are_no_alarm(asked):
    done = asked([*STEADY[:3], month(4, frauds=5, rows=100, shift=0)])
    assert done.code == 0
    assert "too early to say (no period has enough cases to be judged)" in done.out
    done = asked([*STEADY[:3], month(4, shift=1.0), month(5, frauds=5, rows=100, shift=0)], store="other.db")
    assert done.code == 3
    assert " in 2025-04, " in done.out


def test_no_positives_at_all_are_no_verdict(asked):
    done = asked([month(number, frauds=0, rows=50) for number in range(1, 6)], "--json")
    assert done.code == 0
    answer = json.loads(done.out)
    assert [row["own"] for row in answer["periods"]] == [None] * 5
    assert "too early to say" in answer["verdicts"][0]["sentence"]


def test_looks_can_be_planned(asked):
    months = [month(number, frauds=200) for number in range(1, 5)]
    limits = [
        json.loads(asked(months, *more, "--json").out)["periods"][-1]["limit"] for more in ((), ("--looks", "99"))
    ]
    with br.monitoring.CurveStore("monitor.db") as store:
        curves = store.curves(model="p")
    for limit, looks in zip(limits, (None, 99), strict=True):
        assert limit == br.monitoring.model_alarms(br.average_precision, curves, looks=looks, rng=0).limit[-1]
    assert limits[0] < limits[1]


def test_verdicts_are_those_of_the_library(asked):
    months = [month(number, frauds=600, shift=2.5 if number < 5 else 1.5, digits=15) for number in range(1, 6)]
    done = asked(months, "--prevalence", "0.01", "--json")
    assert "Note: curves are stored in 4 KiB each: average_precision is exact to 0.0" in done.err
    rows = json.loads(done.out)["periods"]
    with br.monitoring.CurveStore("monitor.db") as store:
        curves = store.curves(model="p")
    alarms = br.monitoring.model_alarms(br.average_precision, curves, prevalence=0.01, rng=0)
    assert [row["alarm"] for row in rows] == [None] * 3 + alarms.alarm.tolist()
    assert [row["limit"] for row in rows[3:]] == alarms.limit.tolist()
    assert [row["statistic"] for row in rows[3:]] == alarms.statistic.tolist()
    for row, curve in zip(rows, curves.values(), strict=True):
        assert row["own"] == br.average_precision(curve)
        assert row["common"] == br.average_precision(curve.at_prevalence(0.01))
        whole = br.average_precision(
            br.curves_by("rows.parquet", label="y", score="p", period=("ts", "month"))[row["period"]].at_prevalence(
                0.01
            )
        )
        assert row["common"] == pytest.approx(whole, abs=5e-3)
        assert abs(row["common"] - whole) <= row["common_error"] <= 5e-3
        place = curve.at_prevalence(0.01)
        estimated = br.estimate(br.average_precision, place, n_resamples=500, rng=0)
        assert (row["common_low"], row["common_high"]) == (estimated.low, estimated.high)
    for row in rows[3:]:
        assert row["change"] == pytest.approx(row["prior_part"] + row["model_part"], abs=1e-12)
        assert row["model_low"] <= row["model_part"] <= row["model_high"]
    assert {row["change"] for row in rows[:3]} == {None}


def test_the_verdict_is_that_of_the_function(asked):
    done = asked([*STEADY[:4], month(5, shift=1.0)], "--prevalence", "0.01", "--last", "2", "--json")
    with br.monitoring.CurveStore("monitor.db") as store:
        found = br.monitoring.judge_periods(br.average_precision, store.curves(model="p"), prevalence=0.01, last=2)
    told = json.loads(done.out)
    assert told["verdicts"][0]["sentence"] == f"p: {found.sentence}"
    assert told["verdicts"][0]["verdict"] == found.verdict == "model"
    for row, mine in zip(told["periods"], found.rows()[-2:], strict=True):
        assert {name: row[name] for name in mine} == mine


def test_f1_at_a_threshold_is_exact(asked):
    """Curves are made small; the threshold that is watched is not lost."""
    months = [month(number, frauds=60, rows=2500, digits=15) for number in range(1, 6)]
    done = asked(months, "--metric", "f1", "--at", "threshold=2.4", "--json")
    whole = br.curves_by("rows.parquet", label="y", score="p", period=("ts", "month"))
    for row in json.loads(done.out)["periods"]:
        assert row["own"] == br.f1(whole[row["period"]].at_threshold(2.4))
        assert row["own_error"] == 0
        assert row["own_low"] < row["own"] < row["own_high"]
    with br.monitoring.CurveStore("monitor.db") as store:
        assert store.watched(model="p") == [2.4]


def test_without_a_file_the_last_verdicts_are_told(asked, ask):
    first = asked([*STEADY[:4], month(5, shift=1.0)], "--by", "part", "--prevalence", "0.01", "--json")
    again = ask("monitor", "--store", "monitor.db", "--prevalence", "0.01", "--json")
    assert (again.code, again.err) == (first.code, "")
    assert json.loads(again.out)["verdicts"] == json.loads(first.out)["verdicts"]
    gone = ask("monitor", "--store", "other.db")
    assert (gone.code, os.path.exists("other.db")) == (1, False)


def test_a_metric_of_a_point(asked):
    done = asked(STEADY, "--metric", "precision", "--at", "recall=0.5", "--json")
    row = json.loads(done.out)["periods"][-1]
    with br.monitoring.CurveStore("monitor.db") as store:
        curve = store.curve(model="p", period="2025-05")
    assert (done.code, row["metric"]) == (0, "precision")
    assert row["own"] == br.precision(curve.at_recall(0.5))


# --- keeping --------------------------------------------------------------------------------------


def test_running_twice_changes_nothing(asked, tmp_path):
    first = asked(STEADY)
    before = (tmp_path / "monitor.db").read_bytes()
    second = asked(STEADY)
    assert (tmp_path / "monitor.db").read_bytes() == before
    assert second.code == first.code
    assert second.out.split() == first.out.replace("added", "unchanged").split()


def test_months_one_by_one_are_months_together(asked):
    together = asked(STEADY, "--csv", store="other.db")
    for one in STEADY:
        done = asked([one], "--csv")
    columns = [
        [{k: v for k, v in row.items() if k != "kept"} for row in csv.DictReader(io.StringIO(answer.out))]
        for answer in (together, done)
    ]
    assert columns[0] == columns[1]
    assert [row["kept"] for row in csv.DictReader(io.StringIO(done.out))] == ["", "", "", "", "added"]


def test_other_rows_of_a_period_are_refused_unless_told(asked):
    asked(STEADY)
    done = asked([month(5, seed=99), month(6)])
    assert (done.code, done.out) == (1, "")
    assert re.match(r"Error: a key must keep its rows, got other rows for p, 2025-05 .*; pass --replace to", done.err)
    with br.monitoring.CurveStore("monitor.db") as store:
        assert len(store) == 5  # the sixth is not there either
    done = asked([month(5, seed=99), month(6)], "--replace")
    assert (done.code, done.out.count("replaced"), done.out.count("added")) == (0, 1, 1)


def test_a_period_that_is_not_over_is_left_out(asked):
    done = asked(STEADY, "--until", "2025-05-31")
    assert "Note: ignoring 2025-05: not complete on 2025-05-31" in done.err
    with br.monitoring.CurveStore("monitor.db") as store:
        assert store.keys()[-1].period == "2025-04"
    assert "added" in asked(STEADY, "--until", "2025-06-01").out
    done = asked(STEADY, "--until", "2025-01-31", store="other.db")
    assert done.code == 1
    assert "no rows before 2025-01" in done.err
    assert not os.path.exists("other.db")


def test_what_runs_today_is_not_over(asked):
    today = pl.DataFrame({"y": [0, 1], "p": [0.1, 0.2], "ts": [datetime.date.today()] * 2, "part": ["a", "b"]})
    done = asked([month(1).with_columns(y=pl.col("y").cast(pl.Int64)), today])
    assert done.code == 0
    assert ": not complete on " in done.err


@pytest.mark.parametrize(("length", "name"), [("week", "2025-W02"), ("quarter", "2025-Q1"), ("year", "2025")])
def test_other_lengths_of_periods(asked, length, name):
    asked([month(1)], "--period", f"ts:{length}")
    with br.monitoring.CurveStore("monitor.db") as store:
        assert store.keys() == [CurveKey("p", name if length != "week" else "2025-W01")]


def test_slices_are_series_of_their_own(asked):
    # The model fails on one half of the rows, and on all together it is still seen.
    bad = month(5).with_columns(p=pl.when(part="a").then(-pl.col("p")).otherwise(pl.col("p")))
    done = asked([*STEADY[:4], bad], "--by", "part", "--json")
    verdicts = {one["slice"]: one["verdict"] for one in json.loads(done.out)["verdicts"]}
    assert verdicts == {None: "model", "part=a": "model", "part=b": None}
    assert done.code == 3
    with br.monitoring.CurveStore("monitor.db") as store:
        assert list(store.curves(model="p", slice="part=a")) == [f"2025-0{number}" for number in range(1, 6)]


def test_models_share_the_rate_of_false_alarms_and_slices_as_much_again(asked, monkeypatch):
    rates = []

    def watched(*curves, **options):
        rates.append(options["false_alarm"])
        return br.monitoring.model_alarms(*curves, **options)

    monkeypatch.setattr("baserate.monitoring.judging.model_alarms", watched)
    asked(STEADY)
    asked(STEADY, "--by", "part", store="parts.db")
    alone, *shared = rates
    assert shared == pytest.approx([alone, alone / 2, alone / 2])


def test_rows_without_a_time_or_a_slice(asked):
    rows = STEADY[0].with_columns(
        ts=pl.when(pl.int_range(pl.len()) < 10).then(None).otherwise(pl.col("ts")),
        part=pl.when(pl.col("part") == "a").then(pl.col("part")),
    )
    done = asked([rows], "--by", "part")
    assert "Note: rows without a time are ignored" in done.err
    with br.monitoring.CurveStore("monitor.db") as store:
        assert {part for _, _, part in store.keys(model="p")} == {None, "part=a", "part=(none)"}


# --- labels that come late ------------------------------------------------------------------------

OPEN = ("--matures", "60d", "--prevalence", "0.05")


def lacking(rows, share):
    """A month of whose positives only a share is known yet."""
    n_known = int(share * rows["y"].sum())
    return rows.with_columns(y=pl.when(pl.col("y").cum_sum() <= n_known).then(pl.col("y")).otherwise(0))


def test_provisional_months_are_shown_and_never_alarmed(asked):
    months = [*STEADY[:4], lacking(month(5), 0.2)]
    assert asked(months, "--until", "2025-06-03", store="naive.db").code != 0
    done = asked(months, *OPEN, "--until", "2025-07-05")
    assert done.code == 0
    assert [line.split()[-1] for line in done.out.splitlines()[1:6]][-1] == "provisional"
    assert "p: no change detected (average_precision " in done.out
    assert " in 2025-04, " in done.out
    assert (
        "p: 2025-05 is provisional: 20 positives known 34 days after its end; how many more will come is unk"
        in done.out
    )
    done = asked([*STEADY[:4], month(5)], *OPEN, "--until", "2025-09-01", "--export", "out.parquet")
    assert (done.code, done.out.count("grown")) == (0, 1)
    assert pl.read_parquet("out.parquet")["provisional"].to_list() == [False] * 5


def test_halves_of_a_month_come_one_after_the_other(asked):
    halves = [month(1).filter(part=part) for part in ("a", "b")]
    new = ("--rows", "new", *OPEN, "--until", "2025-01-20")
    for half in halves:
        assert asked([half], *new).code == 0
    assert "unchanged" in asked([halves[0]], *new).out
    asked([month(1)], store="whole.db")
    with br.monitoring.CurveStore("monitor.db") as store, br.monitoring.CurveStore("whole.db") as whole:
        assert store.curve(model="p", period="2025-01") == whole.curve(model="p", period="2025-01")
        assert len(store.versions(model="p")["source"]) == 2
    done = asked([month(1).filter(part="a")], *OPEN, "--until", "2025-02-02", store="all.db")
    done = asked([month(1).filter(part="b")], *OPEN, "--until", "2025-02-02", store="all.db")
    assert (done.code, done.out) == (1, "")
    assert "pass --rows new if these are new ones only, or --replace to overwrite" in done.err


def test_what_a_provisional_month_will_become(asked):
    for number in range(1, 7):
        early = datetime.date(2025, number + 1, 4).isoformat()
        asked([lacking(month(number), 0.5)], *OPEN, "--until", early)
        if number < 6:
            late = datetime.date(2025, number + 3, 15).isoformat()
            asked([month(number)], *OPEN, "--until", late)
    done = asked([lacking(month(6), 0.5)], *OPEN, "--until", "2025-07-05", "--json")
    expected = json.loads(done.out)["verdicts"][0]["expected"]
    # What was stored of April and May after that day is not known yet.
    assert (expected["period"], expected["n_pos"], expected["n_periods"]) == ("2025-06", 50, 3)
    assert expected["known"] == 0.5
    assert expected["low"] < expected["expected"] == 100 < expected["high"]
    assert expected["prevalence"] == pytest.approx(0.05)


# --- what to do -----------------------------------------------------------------------------------

AGREED = ("--agreed", "recall >= 0.6", "--threshold", "2.5")


def test_a_change_is_followed_by_an_action(asked):
    months = [*STEADY[:4], month(5, shift=1.0)]
    done = asked(months, *AGREED, "--prevalence", "0.05")
    assert done.code == 3
    assert "\np: move the threshold from 2.5 to " in done.out
    assert "; 0.6 [" in done.out
    assert [line.split()[0] for line in done.out.splitlines()[-4:]] == ["now", "recall", "precision", "alert_rate"]
    answer = json.loads(asked(months, *AGREED, "--prevalence", "0.05", "--json").out)
    with br.monitoring.CurveStore("monitor.db") as store:
        latest = store.curve(model="p", period="2025-05")
    found = br.monitoring.advise(latest, threshold=2.5, agreed="recall >= 0.6", rng=0)
    advice = answer["verdicts"][0]["advice"]
    assert (advice["action"], advice["proposed"]) == ("move", found.proposed)
    assert advice["sentence"] == found.sentence
    assert advice["estimates"] == found.rows()


def test_a_moved_prevalence_is_followed_by_an_action(asked):
    months = [*STEADY[:4], month(5, frauds=20)]
    done = asked(months, "--metric", "precision", "--at", "threshold=2.5", "--agreed", "alert_rate <= 0.2")
    assert done.code == 4
    assert "\np: keep the threshold 2.5: alert_rate is " in done.out


def test_without_a_change_there_is_nothing_to_do(asked):
    done = asked(STEADY, *AGREED, "--json")
    assert json.loads(done.out)["verdicts"][0]["advice"] is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--threshold", "2.5"), "--threshold needs --agreed"),
        (("--agreed", "recall >= 0.6"), "--agreed needs the threshold in use"),
        (("--agreed", "recall", "--threshold", "2"), "Error: --agreed"),
        (("--matures", "soon"), "pass for example --matures 60d"),
        (("--rows", "new"), "--rows new needs --matures"),
    ],
)
def test_half_an_agreement_gets_a_sentence(asked, options, sentence):
    done = asked(STEADY, *options)
    assert (done.code, done.out) == (1, "")
    assert sentence in done.err


# --- for other programs ---------------------------------------------------------------------------


def test_the_parquet_file(asked):
    months = [*STEADY[:4], month(5, shift=1.0)]
    done = asked(months, "--by", "part", "--prevalence", "0.01", "--export", "it's.parquet", "--last", "1", "--json")
    table = pl.read_parquet("it's.parquet")
    assert table.shape == (15, 25)
    whole = table.filter(pl.col("slice").is_null())
    assert whole["period"].to_list() == [f"2025-0{number}" for number in range(1, 6)]
    assert whole["alarm"].to_list()[:3] == [None] * 3
    (row, *_) = json.loads(done.out)["periods"]
    for name in ("own", "common", "pos", "prevalence", "statistic", "limit", "alarm"):
        assert whole[name].to_list()[-1] == row[name]
    assert set(os.listdir()) == {"it's.parquet", "monitor.db", "rows.parquet"}


def test_a_parquet_file_of_nothing_but_nulls_has_its_kinds(asked):
    asked([month(1, frauds=0, rows=20)], "--export", "out.parquet")
    table = pl.read_parquet("out.parquet")
    assert (table["own"].dtype, table["alarm"].dtype, table["slice"].dtype) == (pl.Float64, pl.Boolean, pl.String)


def test_the_gauges(asked):
    odd = 'a"b\\c\nd'
    months = [one.with_columns(part=pl.lit(odd)) for one in [*STEADY[:4], month(5, shift=1.0)]]
    asked(months, "--by", "part", "--prometheus", "out.prom")
    with open("out.prom", encoding="utf-8") as file:
        lines = file.read().split("\n")
    assert lines[-1] == ""
    families = {one.name: one for one in text_string_to_metric_families("\n".join(lines))}
    assert {one.type for one in families.values()} == {"gauge"}
    assert all(one.documentation for one in families.values())
    alarms = {sample.labels["slice"]: sample.value for sample in families["baserate_model_alarm"].samples}
    assert alarms == {"": 1, f"part={odd}": 1}
    assert r'baserate_model_alarm{model="p",slice="part=a\"b\\c\nd"} 1.0' in lines
    assert 'baserate_latest_period_info{model="p",slice="",period="2025-05"} 1.0' in lines
    with br.monitoring.CurveStore("monitor.db") as store:
        value = br.average_precision(store.curve(model="p", period="2025-05"))
    named = 'baserate_metric{model="p",slice="",metric="average_precision",prevalence="own"}'
    assert f"{named} {value!r}" in lines
    declared = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(declared) == len(set(declared)) == 8


def test_gauges_of_what_does_not_exist(asked):
    asked([month(1, frauds=0, rows=20)], "--prometheus", "out.prom")
    with open("out.prom", encoding="utf-8") as file:
        assert 'metric="average_precision",prevalence="own"} NaN\n' in file.read()


def test_a_file_that_cannot_be_written_is_a_sentence(asked):
    for option in ("--export", "--prometheus"):
        for name, sentence in {
            "no/such/folder/file": "Error: folder not found for output 'no/such/folder/file'",
            "x" * 300: "Error: [Errno 36]",
        }.items():
            done = asked(STEADY, option, name)
            assert done.code == 1
            assert done.err.splitlines()[-1].startswith(sentence)


def test_from_cron(asked, program):
    """No terminal, no home, nothing on stderr when quiet, the same answer twice."""
    bare = {"PATH": os.environ["PATH"]}
    for _ in range(2):
        done = asked(
            [*STEADY[:4], month(5, shift=1.0)], "--quiet", run=lambda *arguments: program(*arguments, env=bare)
        )
        assert (done.code, done.err) == (3, "")
        assert "the model is worse" in done.out


# --- saying no ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (("--until", "soon"), 1, "Error: --until must be a date such as 2026-06-01, got 'soon'."),
        (("--metric", "precision"), 1, "Error: precision needs a threshold"),
        (("--metric", "average_precison"), 1, "did you mean 'average_precision'"),
        (("--prevalence", "2"), 1, "Error: prevalence"),
        (("--period", "ts"), 1, "Error: --period must be a column and a length"),
        (("--period", "ts:fortnight"), 1, "Error: the length of a period"),
        (("--reference", "0"), 2, "Error: Invalid value for '--reference'"),
        (("--false-alarm", "7"), 1, "Error: --false-alarm"),
        (("--store", "rows.parquet"), 1, "which is damaged or something else (file is not a database)"),
        (("--store", "no/folder/monitor.db"), 1, "cannot be created"),
    ],
)
def test_wrong_input(asked, options, code, sentence):
    done = asked(STEADY, *options)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.err
    assert "Traceback" not in done.err


def test_what_is_missing_is_two(ask, path):
    done = ask("monitor", path, "--store", "x.db")
    assert (done.code, done.out) == (2, "")
    assert "Missing option '--period'" in done.err
    done = ask("monitor", path, "--period", "ts:month")
    assert done.code == 2
    assert "Missing option '--store'" in done.err


def test_the_help_tells_the_exit_codes(ask):
    done = ask("monitor", "--help")
    assert (done.code, done.err) == (0, "")
    codes = re.findall(r"^    (\d+)  ", done.out, flags=re.MULTILINE)
    assert codes == ["0", "1", "2", "3", "4", "130"]
    assert "\n    baserate monitor" in done.out


def test_examples_on_the_page_are_true(tmp_path):
    """As for docs/cli.md; ``make pages`` writes what is shown now into the page."""
    page = PAGE.read_text(encoding="utf-8")
    assert as_shown_now(page, tmp_path) == page


# --- several at once ------------------------------------------------------------------------------


def test_commands_at_once_leave_what_some_order_of_them_leaves(tmp_path):
    """January to March, each by a command of its own: no curve and no edge of another is lost."""
    for number in (1, 2, 3):
        month(number, rows=20_000, digits=9).write_parquet(tmp_path / f"{number}.parquet")

    def command(number, store):
        fixed = ["--store", store, "--label", "y", "--score", "p", "--period", "ts:month", "-q"]
        return subprocess.Popen([*PROGRAM, "monitor", f"{number}.parquet", *fixed], cwd=tmp_path)

    def kept(store):
        with br.monitoring.CurveStore(tmp_path / store, read_only=True) as opened:
            opened.verify()
            return {key: opened.curve(**key._asdict()) for key in opened.keys()}  # noqa: SIM118

    at_once = [command(number, "at_once.db") for number in (1, 2, 3)]
    assert [one.wait(60) for one in at_once] == [0, 0, 0]
    found = kept("at_once.db")
    for first in (1, 2, 3):  # whoever comes first says where buckets begin and end
        for number in (first, *({1, 2, 3} - {first})):
            assert command(number, f"{first}.db").wait(60) == 0
    assert found in [kept(f"{first}.db") for first in (1, 2, 3)]
    assert kept("1.db") != kept("2.db")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(as_shown_now(PAGE.read_text(encoding="utf-8"), folder), encoding="utf-8")


def test_rows_without_a_label_need_a_reason(tmp_path, ask):
    rows = [f"{'' if k % 5 == 0 else k % 2},{k / 90},2026-0{3 + k // 30}-{1 + k % 28:02d}" for k in range(90)]
    (tmp_path / "log.csv").write_text("\n".join(["y,p,day", *rows]))
    asked = ("monitor", tmp_path / "log.csv", "--store", tmp_path / "s.db", "--label", "y", "--score", "p")
    asked += ("--period", "day:month", "--until", "2026-06-03")
    refused = ask(*asked)
    assert (refused.code, refused.out) == (1, "")
    assert "got 18 of 90 rows without one" in refused.err
    assert "(to monitor, --matures 60d)" in refused.err
    assert not (tmp_path / "s.db").exists()
    still_open = ask(*asked, "--matures", "60d")
    assert still_open.code == 0
    assert "18 rows have no label yet" in still_open.err
