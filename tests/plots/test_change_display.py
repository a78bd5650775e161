"""Changes and alarms as a picture: what is drawn is what was found."""

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

import baserate as br
from baserate import plots
from helpers.drawings import NO_POSITIVES, columns, legend_texts, points, sample

MONTHS = {
    "2026-01": sample(0),
    "2026-02": sample(1, n_pos=100, n_neg=100),
    "2026-03": NO_POSITIVES,
    "2026-04": br.Curve.from_counts([0.9, 0.1], pos=[50, 50], neg=[500, 500]),
}
FEW = {"n_resamples": 100, "rng": 0}


def display(**asked):
    return plots.ChangeDisplay.from_curves(MONTHS, metric=br.average_precision, reference=1, **FEW, **asked)


def test_the_numbers_are_those_of_changes_and_alarms():
    shown = display(prevalence=0.2)
    later = {key: MONTHS[key] for key in list(MONTHS)[1:]}
    expected = br.monitoring.explain_changes(br.average_precision, later, against=MONTHS["2026-01"], **FEW)
    alarms = br.monitoring.model_alarms(br.average_precision, MONTHS, reference=1, prevalence=0.2)
    table = columns(shown)
    assert table["period"] == list(later)
    for name in ("prior", "model", "total", "after"):
        assert table[name] == pytest.approx([row[name] for row in expected.rows()], nan_ok=True)
    assert table["alarm"] == alarms.alarm.tolist() == [False, False, True]
    assert table["reason"] == [None, "no_positives", None]
    assert pl.DataFrame(table).shape == (3, 20)
    assert shown.metric_label == "Average precision"
    assert repr(shown) == "ChangeDisplay(average_precision, 3 periods, 1 alarms)"


def test_bars_whiskers_and_marks_are_the_numbers_of_the_table():
    shown = display().plot()
    table = columns(shown)
    assert list(shown.bars_) == ["prior", "model"]
    for number, (name, bars) in enumerate(shown.bars_.items()):
        assert [bar.get_height() for bar in bars] == pytest.approx(table[name].tolist(), nan_ok=True)
        middles = np.array([bar.get_x() + bar.get_width() / 2 for bar in bars])
        assert middles == pytest.approx(np.arange(3) + (-0.2, 0.2)[number])
        (whiskers,) = bars.errorbar.lines[2]
        ends = np.array([segment[:, 1] for segment in whiskers.get_segments() if len(segment)])
        known = ~np.isnan(table[name])
        assert ends[np.isfinite(ends).all(axis=1)] == pytest.approx(
            np.column_stack([table[f"{name}_low"][known], table[f"{name}_high"][known]])
        )
    assert points(shown.total_) == pytest.approx(np.column_stack([np.arange(3), table["total"]]), nan_ok=True)
    assert points(shown.alarms_)[:, 0].tolist() == [2]
    assert legend_texts(shown) == [
        "due to the prevalence", "due to the model", "change", "alarm: the model has changed"
    ]  # fmt: skip
    assert [text.get_text() for text in shown.ax_.get_xticklabels()] == ["2026-02", "2026-03", "2026-04"]
    assert shown.ax_.get_ylabel() == "Change of\nAverage precision"


def test_without_alarms_and_with_thresholds_that_moved():
    change = br.explain_change(br.precision, MONTHS["2026-01"], MONTHS["2026-02"], at=(0.1, 0.9), **FEW)
    changes = br.results.Changes("precision", ("2026-02",), (change,), "first")
    shown = plots.ChangeDisplay.from_changes(changes).plot(legend="none", alpha=0.5)
    assert shown.alarms_ is None
    assert list(shown.bars_) == ["prior", "model", "threshold"]
    assert shown.bars_["threshold"][0].get_height() == change.threshold.value
    assert shown.bars_["model"][0].get_alpha() == 0.5
    assert columns(shown)["alarm"] == [False]
    assert shown.ax_.get_legend() is None


def test_a_reference_of_its_own_and_the_callers_axes():
    axes = Figure().add_subplot()
    later = {key: MONTHS[key] for key in ("2026-01", "2026-02")}
    shown = plots.ChangeDisplay.from_curves(later, metric=br.roc_auc, reference=sample(9), **FEW).plot(axes)
    assert shown.ax_ is axes
    assert columns(shown)["period"] == ["2026-01", "2026-02"]
    assert columns(shown)["before"].tolist() == [br.roc_auc(sample(9))] * 2


def test_other_things_are_refused():
    with pytest.raises(br.errors.InputError, match="changes must be Changes, got 3; pass what"):
        plots.ChangeDisplay.from_changes(3)
