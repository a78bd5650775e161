"""The study of alarms in small: its streams, its shortcuts, and what it must find."""

from pathlib import Path

import numpy as np
import pytest

import baserate as br
from helpers.scripts import script

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def study():
    return script(BENCHMARKS / "alarm_study.py")


@pytest.fixture(scope="module")
def streams(study):
    import alarm_streams

    return alarm_streams


@pytest.fixture(scope="module")
def procedures(study):
    import alarm_procedures

    return alarm_procedures


def test_the_streams_of_the_study_are_what_they_say(streams):
    assert streams.true_average_precision(streams.distance(0.6)) == pytest.approx(0.6)
    assert streams.distance(0.5) < streams.distance(0.6)
    curves = streams.stream(streams.Setting(100, "falling"), np.random.default_rng(0)).curves(streams.Setting(100))
    assert [curve.own_prevalence for curve in curves] == pytest.approx(streams.prevalences("falling"), rel=0.03)
    setting = streams.Setting(10_000, decay=0.1)
    large = streams.stream(setting, np.random.default_rng(0)).curves(setting)
    read = [br.average_precision(curve.at_prevalence(streams.COMMON)) for curve in large]
    changed = streams.REFERENCE + streams.CHANGED_AT - 1
    assert read == pytest.approx([0.6] * changed + [0.5] * (len(read) - changed), abs=0.02)


@pytest.mark.parametrize("metric", ["average_precision", "roc_auc", "precision at a threshold", "brier_score"])
def test_windows_are_read_as_the_library_reads_them(streams, procedures, metric):
    setting = streams.Setting(30, "falling", metric=metric, read_at=0.001)
    counts = streams.stream(setting, np.random.default_rng(1))
    curves = [one.at_prevalence(0.001) for one in counts.curves(setting)]
    function, at = streams.METRICS[metric]

    def value(pooled):
        curve = br.Curve.pool(pooled)
        return function(curve if at is None else curve.at_threshold(at))

    wanted = [value(curves[14:]), value(curves[13:]), value(curves[12:]), value(curves[9:])]
    side = -1 if metric == "brier_score" else 1
    found = procedures.deviations(counts, setting)[-1]
    assert found == pytest.approx(side * (np.array(wanted) - value(curves[:3])), abs=1e-12)


@pytest.mark.slow
def test_what_the_study_leaves_out_raises_no_alarm(streams, procedures):
    """Its first alarms are those of `model_alarms`, with the looks that it skips and without."""
    for setting in (
        streams.Setting(100, decay=0.2, looks=6),
        streams.Setting(20, "seasonal", decay=0.5, looks=6),
        streams.Setting(20, decay=0.5, metric="precision at a threshold", looks=6),
    ):
        counts = streams.stream(setting, np.random.default_rng(5))
        found = procedures.alarms(counts, setting)
        assert any(found)
        curves, read = dict(enumerate(counts.curves(setting))), {"prevalence": setting.read_at, "n_resamples": 50}
        metric, at = streams.METRICS[setting.metric]
        for first, looks in zip(found, (None, 6), strict=True):
            asked = br.monitoring.model_alarms(metric, curves, at=at, looks=looks, min_pos=1, **read)
            assert procedures.first_of(asked.alarm) == first
        assert found == procedures.alarms(counts, setting, screened=False)


def test_looks_share_a_law_only_where_their_prevalences_are_alike(streams, procedures):
    assert procedures.looks_like(streams.Setting(20, looks=99), 50) == [50]
    assert len(procedures.looks_like(streams.Setting(20, looks=1000), 500)) == 2 * procedures.NEAR + 1
    seasonal = procedures.looks_like(streams.Setting(20, "seasonal", looks=1000), 500)
    assert seasonal == list(range(465, 536, 7))
    step = streams.prevalences("a step up", 1000)[streams.REFERENCE :]
    first = int(np.argmax(step > step[0]))
    for look in range(first - 8, first + 8):  # a window that ends here has as many old periods only here
        near = procedures.looks_like(streams.Setting(20, "a step up", looks=1000), look)
        assert (near == [look]) == (first <= look < first + 5)


@pytest.mark.slow
def test_a_study_that_was_stopped_goes_on(study, streams, tmp_path):
    quiet, worse = streams.Setting(20, looks=3), streams.Setting(20, decay=0.1, looks=3, changed_at=2)
    path, by = tmp_path / "new" / "found.jsonl", study.made_by()
    study.run({quiet: 2}, path, by, np.inf)
    once = study.kept(path, by)
    assert list(once) == [quiet]
    assert {name: len(first) for name, first in once[quiet].items()} == dict.fromkeys(study.NAMES, 2)
    study.run({quiet: 3, worse: 1}, path, by, np.inf)
    again = study.kept(path, by)
    assert again[quiet]["any number"][:2] == once[quiet]["any number"]
    assert [len(again[one]["planned"]) for one in (quiet, worse)] == [3, 1]
    assert "own prevalences" not in again[worse]
    assert study.kept(path, "other code") == {}


@pytest.mark.slow
def test_a_prevalence_that_moves_raises_few_alarms_and_a_decay_is_seen_soon(study, streams):
    (quiet, rare), (worse,) = streams.quiet_settings(quick=True), streams.worse_settings(quick=True)
    n = 20
    found = {one: study.simulate(one, study.SLOW, n) for one in (quiet, rare, worse)}
    lines = {(one.setting, one.procedure): one for one in study.lines(found, list(found))}
    for name in ("any number", "planned"):
        for setting in (quiet, rare):
            assert lines[setting, name].alarms <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / n)
        # So few streams tell to 9 %; that it is 80 % or more is for the whole study to say.
        assert lines[worse, name].soon >= study.WANTED - 2 * np.sqrt(0.8 * 0.2 / n)
    assert lines[quiet, "own prevalences"].alarms > 0.9
    text = study.page(found, quick=True)
    assert "| falling | average_precision | 200 | 0.02 | 12 | 20 |" in text
    assert "| steady | 200 | 0.1 | 4 | any number | 20 |" in text


def test_a_delay_is_counted_from_the_change(study, streams):
    line = study.Line(streams.Setting(20, decay=0.1), "any number", [4, 6, 0, 2, 12])
    assert line.alarms == 0.2
    assert line.delays.tolist() == [1, 3, np.inf, 9]
    assert line.soon == 0.5
