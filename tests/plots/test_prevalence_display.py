"""A metric over prevalence as a picture."""

from functools import partial

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate import plots
from helpers.drawings import NO_POSITIVES, columns, corners, legend_texts, points, same

DATA = br.examples.payments()
MODELS = {name: br.Curve.from_scores(DATA["fraud"], DATA[f"{name}_model"]) for name in ("old", "new")}
RULES = {
    "sensitive": br.Point.from_rates(0.9, 0.01, n_pos=100, n_neg=1900),
    "specific": br.Point.from_rates(0.6, 0.001, n_pos=100, n_neg=1900),
}
PREVALENCES = [0.2, 1e-4, 0.01]


def test_lines_are_sweeps_and_swaps_and_own_prevalences_are_marked():
    display = plots.PrevalenceDisplay.from_curves(MODELS, metric=br.average_precision).plot()
    for name, curve in MODELS.items():
        places, values = display.lines_[name].get_data()
        assert (values == br.sweep(br.average_precision, curve, places).value).all()
        assert (places[0], places[-1]) == pytest.approx((1e-5, 0.5))
        own = points(display.own_[name])
        assert own == pytest.approx(np.array([[0.025, br.average_precision(curve)]]), rel=1e-12)
    (swap,) = br.crossings(br.average_precision, MODELS["old"], MODELS["new"])
    assert points(display.crossings_) == pytest.approx(np.array([[swap.prevalence, swap.value]]), rel=1e-9)
    assert legend_texts(display) == [
        "old (own prevalence 1 in 40)",
        "new (own prevalence 1 in 40)",
        "new leads below 1 in 21, old above",
    ]
    assert display.ax_.get_ylim() == (0, 1.02)
    assert display.bands_ == {}
    old, new = display.lines_.values()
    assert old.get_marker() != new.get_marker()
    assert old.get_linestyle() != new.get_linestyle()


@pytest.mark.parametrize(("scale", "name"), [("log-odds", "logit"), ("log", "log")])
def test_prevalences_stand_on_a_logarithmic_axis_with_plain_numbers(scale, name):
    models = {"a": RULES["sensitive"]}
    display = plots.PrevalenceDisplay.from_curves(models, metric=br.f1, prevalences=[1e-4, 0.01, 0.95])
    display.plot(scale=scale)
    axis = display.ax_
    assert axis.get_xscale() == name
    assert axis.get_xticks().tolist() == pytest.approx([1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9])
    shown = [text.get_text() for text in axis.get_xticklabels()]
    assert shown == ["$10^{-4}$", "0.001", "0.01", "0.1", "0.5", "0.9"]
    assert axis.get_xlim() == (1e-4, 0.95)
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("Prevalence (share of positives)", "F1")


def test_bands_are_those_of_the_library():
    display = plots.PrevalenceDisplay.from_curves(
        RULES, metric=br.precision, prevalences=PREVALENCES, estimates=True, confidence_level=0.9
    ).plot()
    table = columns(display)
    for name, point in RULES.items():
        band = br.sweep_estimates(br.precision, point, sorted(PREVALENCES), confidence_level=0.9)
        assert same(band.place, band.low) | same(band.place, band.high) <= corners(display.bands_[name])
        rows = np.array(table["name"]) == name
        assert (table["low"][rows] == band.low).all()
        assert (table["prevalence"][rows] == sorted(PREVALENCES)).all()
    assert legend_texts(display).count("90 % intervals") == 1
    assert pl.DataFrame(table).columns == ["name", "prevalence", "precision", "low", "high", "reason"]
    assert display.crossings == []  # precision of two points never swaps
    assert display.crossings_ is None


def test_the_same_seed_gives_the_same_bands():
    kept = {"metric": br.average_precision, "prevalences": [0.1, 0.01], "estimates": True, "n_resamples": 100}
    first, second = (plots.PrevalenceDisplay.from_curves(MODELS, rng=1, **kept) for _ in range(2))
    assert (columns(first)["low"] == columns(second)["low"]).all()


@pytest.mark.slow
def test_what_does_not_exist_is_a_gap_with_a_reason():
    models = {"old": MODELS["old"], "none": NO_POSITIVES}
    display = plots.PrevalenceDisplay.from_curves(models, metric=br.auc_pr, prevalences=[0.01, 0.1]).plot()
    assert columns(display)["reason"] == [None, None, "no_positives", "no_positives"]
    assert np.isnan(display.lines_["none"].get_ydata()).all()
    assert legend_texts(display)[1] == "none: there are no positives"
    assert list(display.own_) == ["old"]
    assert display.crossings == []


def test_own_prevalences_widen_the_range_and_are_on_the_line():
    rare = br.Point.from_rates(0.6, 0.001, n_pos=10, n_neg=9_999_990)
    display = plots.PrevalenceDisplay.from_curves({"rare": rare, "known": br.Point.from_rates(0.5, 0.1)}, metric=br.f1)
    assert display.lines["rare"].prevalence[0] == 1e-6
    assert list(display.own) == ["rare"]
    display = plots.PrevalenceDisplay.from_curves({"rare": rare}, metric=br.f1, prevalences=[0.1, 0.2]).plot()
    assert display.own_ == {}  # outside the picture
    assert legend_texts(display) == ["rare"]


def test_marks_can_be_left_out_and_lines_take_looks():
    display = plots.PrevalenceDisplay.from_curves(MODELS, metric=br.roc_auc)
    display.plot(own=False, crossings=False, linewidth=3)
    assert (display.own_, display.crossings_) == ({}, None)
    assert {line.get_linewidth() for line in display.lines_.values()} == {3}


def test_axes_fit_metrics_with_other_ranges():
    costs = partial(br.expected_cost, cost_fn=500, cost_fp=5)
    display = plots.PrevalenceDisplay.from_curves(RULES, metric=costs).plot()
    assert display.ax_.get_ylabel().endswith("(cost_fn = 500, cost_fp = 5)")
    assert display.ax_.get_ylim()[0] == 0
    assert display.ax_.get_ylim()[1] > 10
    assert len(display.crossings) == 1
    kappa = plots.PrevalenceDisplay.from_curves(RULES, metric=br.kappa).plot()
    assert kappa.ax_.get_ylim() == (0, 1.02)
    inverse = {"bad": br.Point.from_rates(0.1, 0.9)}
    assert plots.PrevalenceDisplay.from_curves(inverse, metric=br.kappa).plot().ax_.get_ylim() == (-1, 1.04)
    level = plots.PrevalenceDisplay.from_curves(MODELS, metric=br.min_auc_pr, prevalences=[0.1, 0.2])
    assert level.crossings == []  # neither better high nor low


def test_several_swaps_have_one_word():
    third = {"third": br.Point.from_rates(0.75, 0.004)}
    display = plots.PrevalenceDisplay.from_curves(RULES | third, metric=br.f1).plot()
    assert len(display.crossings) == 3
    assert "lead changes" in legend_texts(display)
    assert np.all(np.diff([swap.prevalence for swap in display.crossings]) > 0)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: plots.PrevalenceDisplay.from_curves([], metric=br.f1), "curves must be a mapping of names"),
        (lambda: plots.PrevalenceDisplay.from_curves({"a": 1}, metric=br.f1), "got a dict with 1 at 'a'"),
        (
            lambda: plots.PrevalenceDisplay.from_curves(
                {None: RULES["specific"], "missing": RULES["specific"]}, metric=br.f1
            ),
            "curves must have different names",
        ),
        (lambda: plots.PrevalenceDisplay.from_curves(MODELS, metric=br.f1), "f1 over prevalences needs one operating"),
        (lambda: plots.PrevalenceDisplay.from_curves(RULES, metric=br.f1, prevalences=[]), "must not be empty"),
        (lambda: plots.PrevalenceDisplay.from_curves(RULES, metric=br.f1).plot(scale="linear"), "scale must be one of"),
    ],
)
def test_bad_input_is_one_sentence(ask, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        ask()
