"""A metric by slice and over time as pictures."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.figure import Figure

import baserate as br
from baserate import plots
from helpers.drawings import NO_POSITIVES, columns, legend_texts, points, sample

KINDS = {"slice": plots.SlicesDisplay, "period": plots.TimelineDisplay}
GROUPS = {
    "2026-01": sample(0),
    "2026-02": NO_POSITIVES,
    "2026-03": sample(1, n_pos=100, n_neg=100),
    "2026-04": sample(2, n_pos=60, n_neg=300),
}
ASKED = {"metric": br.average_precision, "prevalence": 0.02, "n_resamples": 100, "rng": 0}


def whisker_ends(container, direction):
    """Lower and upper end of each whisker."""
    (bars,) = container.lines[2]
    return np.array([segment[:, direction] for segment in bars.get_segments() if len(segment)])


@pytest.mark.parametrize("name", KINDS)
def test_the_table_has_every_group_at_both_prevalences(name):
    display = KINDS[name].from_curves(GROUPS, **ASKED)
    table = columns(display)
    assert list(table) == [
        name, "read_at", "prevalence", "average_precision", "low", "high", "n_pos", "n_neg", "reason"
    ]  # fmt: skip
    assert pl.DataFrame(table).shape == pd.DataFrame(table).shape == (8, 9)
    rng = np.random.default_rng(0)
    for number, (key, curve) in enumerate(GROUPS.items()):
        for row, read in ((2 * number, curve.at_prevalence(0.02)), (2 * number + 1, curve)):
            expected = br.estimate(br.average_precision, read, n_resamples=100, rng=rng)
            assert (table[name][row], table["prevalence"][row]) == (key, read.prevalence)
            shown = [table[column][row] for column in ("average_precision", "low", "high")]
            assert shown == pytest.approx([expected.value, expected.low, expected.high], rel=1e-12, nan_ok=True)
    assert table["reason"] == [None, None, "no_positives", "no_positives", None, None, None, None]
    assert table["n_pos"].tolist() == [40, 40, 0, 0, 100, 100, 60, 60]


@pytest.mark.parametrize(("name", "direction"), [("slice", 0), ("period", 1)])
def test_dots_and_whiskers_are_the_numbers_of_the_table(name, direction):
    display = KINDS[name].from_curves(GROUPS, **ASKED).plot()
    table = columns(display)
    for read_at, container in (("common", display.common_), ("own", display.own_)):
        rows = np.array(table["read_at"]) == read_at
        dots = points(container.lines[0])
        assert dots[:, direction] == pytest.approx(table["average_precision"][rows], nan_ok=True)
        assert dots[:, 1 - direction].round().tolist() == [0, 1, 2, 3]
        ends = whisker_ends(container, direction)
        ends = ends[np.isfinite(ends).all(axis=1)]
        defined = rows & np.isfinite(table["low"])
        assert ends == pytest.approx(np.column_stack([table["low"][defined], table["high"][defined]]))
    assert (points(display.common_.lines[0])[:, 1 - direction] < points(display.own_.lines[0])[:, 1 - direction]).all()


def test_slices_are_named_and_gaps_explained():
    display = plots.SlicesDisplay.from_curves(GROUPS, **ASKED).plot()
    axis = display.ax_
    assert [text.get_text() for text in axis.get_yticklabels()] == list(GROUPS)
    assert axis.get_ylim() == (3.5, -0.5)  # the first on top
    assert axis.get_xlabel() == "Average precision (95 % intervals)"
    assert axis.get_xlim() == (-0.02, 1.02)
    (gap,) = display.gaps_
    assert gap.get_text() == "undefined: there are no positives"
    assert gap.get_position()[1] == 1
    assert legend_texts(display) == ["at prevalence 1 in 50", "at own prevalence"]


def test_a_slice_may_lack_one_of_the_two_numbers():
    def above_a_tenth(at):
        return br.roc_auc(at) if at.prevalence > 0.1 else float("nan")

    groups = {"a": sample(0), "b": sample(1)}
    display = plots.SlicesDisplay.from_curves(groups, metric=above_a_tenth, prevalence=0.02, estimates=False).plot()
    assert columns(display)["reason"] == ["not_a_number", None] * 2
    assert [gap.get_text() for gap in display.gaps_] == [
        "undefined: at prevalence 1 in 50: the metric returned nan"
    ] * 2  # fmt: skip


def test_a_timeline_has_its_prevalences_below():
    display = plots.TimelineDisplay.from_curves(GROUPS, **ASKED).plot()
    lower = display.prevalence_ax_
    assert display.prevalence_.get_ydata().tolist() == pytest.approx([1 / 6, 0, 0.5, 1 / 6])
    assert [text.get_text() for text in lower.get_xticklabels()] == list(GROUPS)
    assert display.ax_.get_shared_x_axes().joined(display.ax_, lower)
    assert (display.ax_.get_ylabel(), lower.get_ylabel()) == ("Average precision", "Own\nprevalence")
    assert lower.get_yscale() == "linear"
    assert lower.get_ylim()[0] == 0
    assert display.gaps_.get_xdata() == [1]
    assert legend_texts(display) == [
        "at prevalence 1 in 50, 95 % intervals",
        "at own prevalence, 95 % intervals",
        "undefined",
    ]


def test_prevalences_of_different_sizes_stand_on_a_logarithmic_axis():
    groups = {"a": sample(0, n_neg=10_000), "b": sample(1), "c": NO_POSITIVES}
    display = plots.TimelineDisplay.from_curves(groups, metric=br.roc_auc, estimates=False).plot()
    assert display.prevalence_ax_.get_yscale() == "log"


def test_long_timelines_name_some_periods_only():
    groups = {f"2026-W{week:02d}": sample(week) for week in range(1, 31)}
    display = plots.TimelineDisplay.from_curves(groups, metric=br.roc_auc, estimates=False).plot()
    labels = display.prevalence_ax_.get_xticklabels()
    assert [text.get_text() for text in labels] == list(groups)[::5]
    assert display.prevalence_ax_.get_xticks().tolist() == list(range(0, 30, 5))
    assert labels[0].get_rotation() == 30
    assert display.gaps_ is None


def test_a_timeline_fits_into_the_callers_axes():
    upper, lower = Figure().subplots(2, 1)
    display = plots.TimelineDisplay.from_curves(GROUPS, **ASKED)
    display.plot([upper, lower])
    assert (display.ax_, display.prevalence_ax_) == (upper, lower)
    alone = Figure().add_subplot()
    display.plot(alone)
    assert (display.ax_, display.prevalence_ax_, display.prevalence_) == (alone, None, None)
    assert [text.get_text() for text in alone.get_xticklabels()] == list(GROUPS)
    with pytest.raises(br.errors.InputError, match="a pair of them, got 3"):
        display.plot(Figure().subplots(3, 1))


def test_without_intervals_there_are_no_whiskers():
    groups = {
        "a": br.Curve.from_rates([0.6], [0.1], prevalence=0.2),
        "b": br.Curve.from_rates([0.5], [0.1], prevalence=0.1),
    }
    display = plots.SlicesDisplay.from_curves(groups, metric=br.auc_pr, prevalence=0.01, estimates=False).plot()
    assert display.common_.lines[2] == ()
    table = columns(display)
    assert np.isnan(table["low"]).all()
    assert np.isnan(table["n_pos"]).all()
    assert table["prevalence"].tolist() == [0.01, 0.2, 0.01, 0.1]
    assert display.ax_.get_xlabel() == "AUC-PR"


def test_the_common_prevalence_is_that_of_all_groups_together():
    display = plots.SlicesDisplay.from_curves(GROUPS, metric=br.roc_auc, estimates=False)
    assert display.common_prevalence == br.Curve.pool(GROUPS.values()).prevalence
    assert columns(plots.SlicesDisplay.from_curves(GROUPS, metric=br.roc_auc, prevalence="1:99", estimates=False))[
        "prevalence"
    ][0] == pytest.approx(0.01)


def test_own_means_own_wherever_a_curve_was_read():
    moved = {key: curve.at_prevalence(0.3) for key, curve in GROUPS.items()}
    there = columns(plots.SlicesDisplay.from_curves(moved, metric=br.auc_pr, estimates=False))
    here = columns(plots.SlicesDisplay.from_curves(GROUPS, metric=br.auc_pr, estimates=False))
    kept = [row for row, group in enumerate(here["slice"]) if group != "2026-02"]
    assert there["auc_pr"] == pytest.approx(here["auc_pr"], rel=1e-12, nan_ok=True)
    assert there["prevalence"][kept] == pytest.approx(here["prevalence"][kept])


def test_points_by_tuple_and_missing_keys():
    points_by_key = {("web", None): sample(0).at_recall(0.5), ("web", 3): sample(1).at_recall(0.5)}
    display = plots.SlicesDisplay.from_curves(points_by_key, metric=br.precision, prevalence=0.1, rng=0).plot()
    assert display.groups == ["web, missing", "web, 3"]


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ({}, "curves must have at least one Curve or Point, got none"),
        ({"a": NO_POSITIVES}, "prevalence must be given if groups have no positives and negatives"),
        ({"a": br.Curve.from_rates([0.5], [0.1])}, "prevalence must be given if groups have no counts of cases"),
    ],
)
def test_bad_input_is_one_sentence(groups, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        plots.SlicesDisplay.from_curves(groups, metric=br.roc_auc)
