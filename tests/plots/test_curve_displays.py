"""Curves as pictures: what the lines, bands and axes hold."""

import numpy as np
import pytest

import baserate as br
from baserate import plots
from helpers.drawings import NO_POSITIVES, TIED, columns, corners, legend_texts, points, same, sample

DISPLAYS = [plots.PrecisionRecallDisplay, plots.RocDisplay, plots.PrecisionRecallGainDisplay]
CURVES = [sample(0), TIED, sample(1, n_pos=3, n_neg=5), br.Curve.from_rates([0.6, 0.9], [0.01, 0.2], prevalence=0.1)]
PREVALENCES = [0.5, 0.1, 1e-4]


# --- precision and recall -------------------------------------------------------------------------


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_the_steps_add_up_to_average_precision(curve, prevalence):
    read = curve.at_prevalence(prevalence)
    display = plots.PrecisionRecallDisplay.from_curve(read).plot()
    recall, precision = display.line_.get_data()
    assert display.line_.get_drawstyle() == "steps-pre"  # each step at the height of its right end
    assert (recall[0], recall[-1]) == (0, 1)
    assert np.diff(recall) @ precision[1:] == pytest.approx(br.average_precision(read), rel=1e-12)
    assert display.area == br.average_precision(read)


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_the_exact_line_has_the_exact_area(curve, prevalence):
    read = curve.at_prevalence(prevalence)
    display = plots.PrecisionRecallDisplay.from_curve(read, area=br.auc_pr).plot()
    recall, precision = display.line_.get_data()
    assert display.line_.get_drawstyle() == "default"
    assert np.trapezoid(precision, recall) == pytest.approx(br.auc_pr(read), rel=3e-4)
    assert display.line_.get_label().startswith("AUC-PR ")


def test_points_between_ties_lie_on_the_bent_curve_and_not_on_a_straight_line():
    read = TIED.at_prevalence(0.001)
    display = plots.PrecisionRecallDisplay.from_curve(read, area=br.auc_pr)
    fpr = np.interp(display.recall, [0, *TIED.tpr], [0, *TIED.fpr])
    expected = display.recall[1:] / (display.recall[1:] + 999 * fpr[1:])
    assert display.precision[1:] == pytest.approx(expected, rel=1e-9)
    assert display.precision[0] == display.precision[1]
    assert len(display.recall) > 50


def test_where_negatives_come_first_precision_begins_at_zero():
    display = plots.PrecisionRecallDisplay.from_curve(br.Curve.from_scores([0, 1], [0.9, 0.1]), area=br.auc_pr)
    assert (display.recall[0], display.precision[0]) == (0, 0)


def test_the_lowest_curve_is_boyds_and_what_lies_below_is_shaded():
    read = sample(0).at_prevalence(0.3)
    display = plots.PrecisionRecallDisplay.from_curve(read).plot()
    recall, lowest = display.lowest_.get_data()
    assert lowest == pytest.approx(0.3 * recall / (0.7 + 0.3 * recall), rel=1e-12)
    assert np.trapezoid(lowest, recall) == pytest.approx(br.min_auc_pr(read), rel=1e-4)
    assert same(recall, lowest) | same(recall, 0 * recall) <= corners(display.region_)
    assert display.chance_.get_ydata() == [0.3, 0.3]
    assert legend_texts(display) == [
        f"AP {display.area:.3f}\nat prevalence 1 in 3.33 (own 1 in 6)",
        "chance: precision 0.3",
        "unachievable",
    ]


def test_what_is_not_asked_for_is_not_drawn():
    display = plots.PrecisionRecallDisplay.from_curve(TIED).plot(chance=False, lowest=False, legend="none")
    assert (display.chance_, display.lowest_, display.region_, display.band_) == (None,) * 4
    assert display.f1_lines_ == []
    assert len(display.ax_.lines) == 1
    assert display.ax_.get_legend() is None


def test_f1_lines_have_this_f1():
    display = plots.PrecisionRecallDisplay.from_curve(TIED).plot(f1_lines=True)
    for line, f1 in zip(display.f1_lines_, (0.2, 0.4, 0.6, 0.8), strict=True):
        recall, precision = line.get_data()
        assert 2 / (1 / recall + 1 / precision) == pytest.approx(f1, rel=1e-12)
        assert (precision[0], recall[-1]) == pytest.approx((1, 1))
    assert [text.get_text() for text in display.ax_.texts] == ["F1 0.2", "F1 0.4", "F1 0.6", "F1 0.8"]
    assert len(plots.PrecisionRecallDisplay.from_curve(TIED).plot(f1_lines=[0.5]).f1_lines_) == 1


def test_a_second_curve_looks_different_and_shares_the_background():
    first = plots.PrecisionRecallDisplay.from_curve(TIED, name="first").plot()
    second = plots.PrecisionRecallDisplay.from_curve(TIED, name="second").plot(first.ax_)
    assert first.line_.get_color() != second.line_.get_color()
    assert first.line_.get_linestyle() != second.line_.get_linestyle()
    assert (second.chance_, second.region_) == (None, None)
    assert second.figure_ is first.figure_
    assert [text.split(":")[0] for text in legend_texts(second)] == ["first", "second", "chance", "unachievable"]
    third = plots.PrecisionRecallDisplay.from_curve(TIED.at_prevalence(0.01)).plot(first.ax_, color="red", lw=3)
    assert third.chance_.get_ydata() == [0.01, 0.01]
    assert (third.line_.get_color(), third.line_.get_linewidth()) == ("red", 3)


# --- ROC ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("curve", CURVES)
def test_the_roc_line_has_its_area_without_needless_points(curve):
    display = plots.RocDisplay.from_curve(curve).plot()
    fpr, recall = display.line_.get_data()
    assert np.trapezoid(recall, fpr) == pytest.approx(br.roc_auc(curve), rel=1e-12)
    assert len(fpr) <= len(curve) + 1
    assert (fpr[0], recall[0], fpr[-1], recall[-1]) == (0, 0, 1, 1)
    assert points(display.chance_).tolist() == [[0, 0], [1, 1]]
    assert (display.ax_.get_xscale(), display.ax_.get_xlabel()) == ("linear", "False positive rate")


def test_stretches_of_one_direction_are_one_line():
    curve = br.Curve.from_scores([1, 1, 1, 0, 0, 0, 1, 0], [9, 8, 7, 6, 5, 4, 3, 2])
    display = plots.RocDisplay.from_curve(curve)
    assert display.fpr.tolist() == [0, 0, 0.75, 0.75, 1]
    assert display.recall.tolist() == [0, 0.75, 0.75, 1, 1]


def test_on_a_logarithmic_axis_straight_pieces_and_chance_are_bent():
    display = plots.RocDisplay.from_curve(TIED).plot(log_x=True)
    fpr, recall = display.line_.get_data()
    assert recall == pytest.approx(np.interp(fpr, display.fpr, display.recall), rel=1e-12)
    seen = fpr[fpr >= 20 / 900]
    assert (seen[1:] / seen[:-1]).max() < 1.04
    chance = points(display.chance_)
    assert (chance[:, 0] == chance[:, 1]).all()
    assert len(chance) > 100
    assert (chance[0, 0], chance[-1, 0]) == pytest.approx((0.01, 1))
    assert (display.ax_.get_xscale(), display.ax_.get_xlabel()) == ("log", "False positive rate (log scale)")
    assert display.ax_.get_xlim()[0] == pytest.approx(0.01)


def test_a_logarithmic_axis_begins_at_the_smallest_rate_of_all_curves():
    curves = [br.Curve.from_scores([1] * 5 + [0] * n, [1] * 5 + list(np.linspace(0, 0.9, n))) for n in (5000, 20_000)]
    first = plots.RocDisplay.from_curve(curves[0]).plot(log_x=True)
    assert first.ax_.get_xlim()[0] == pytest.approx(1 / 5000)
    second = plots.RocDisplay.from_curve(curves[1]).plot(first.ax_, log_x=True)
    assert second.ax_.get_xlim()[0] == pytest.approx(1 / 20_000)
    plots.RocDisplay.from_curve(curves[0]).plot(first.ax_, log_x=True)
    assert second.ax_.get_xlim()[0] == pytest.approx(1 / 20_000)


# --- gains ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_the_gain_line_has_its_area(curve, prevalence):
    read = curve.at_prevalence(prevalence)
    display = plots.PrecisionRecallGainDisplay.from_curve(read).plot()
    recall_gain, precision_gain = display.line_.get_data()
    assert np.trapezoid(precision_gain, recall_gain) == pytest.approx(br.auc_prg(read), rel=1e-9)
    assert recall_gain[[0, -1]] == pytest.approx([0, 1], abs=1e-12)


def test_a_curve_below_chance_says_that_it_leaves_the_picture():
    bad = br.Curve.from_scores([1, 1, 0, 0, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    display = plots.PrecisionRecallGainDisplay.from_curve(bad).plot()
    assert display.leaves_view
    assert columns(display)["precision_gain"].min() == pytest.approx(-1)
    assert legend_texts(display)[0].endswith("\n(down to −1.00, below the plot)")
    assert (display.ax_.get_ylim()[0], display.ax_.get_xlim()[0]) == (0, 0)
    good = plots.PrecisionRecallGainDisplay.from_curve(TIED)
    assert not good.leaves_view
    assert "below" not in good.label


# --- all three ------------------------------------------------------------------------------------

BANDS = [br.pr_band, br.roc_band, br.prg_band]


@pytest.mark.parametrize(("kind", "band"), list(zip(DISPLAYS, BANDS, strict=True)))
def test_bands_are_those_of_the_library(kind, band):
    curve = sample(0).at_prevalence(0.3)
    display = kind.from_curve(curve, band=True, n_resamples=200, confidence_level=0.9, rng=3).plot()
    expected = band(curve, display.band.place, n_resamples=200, confidence_level=0.9, rng=3)
    assert (display.band.low == expected.low).all()
    assert same(expected.place, expected.low) | same(expected.place, expected.high) <= corners(display.band_)
    assert "90 % band, pointwise" in legend_texts(display)
    whole = kind.from_curve(curve, band=True, simultaneous=True, n_resamples=200, rng=3).plot(display.ax_)
    assert "95 % band, whole curve" in legend_texts(whole)
    assert (whole.band_.get_facecolor()[0, :3] != display.band_.get_facecolor()[0, :3]).any()


def test_a_band_of_the_roc_curve_is_fine_on_either_axis():
    place = plots.RocDisplay.from_curve(sample(0, n_neg=2000), band=True, n_resamples=100, rng=0).band.place
    assert (np.diff(place) <= 0.01 + 1e-12).all()
    assert (place[1] <= 1 / 2000) & (np.diff(np.log(place[1:])).max() < 0.1)


@pytest.mark.parametrize("kind", DISPLAYS)
def test_what_does_not_exist_is_not_drawn_but_named(kind):
    display = kind.from_curve(NO_POSITIVES, name="web", band=True).plot()
    assert len(display.line_.get_xdata()) == 0
    assert display.reason is br.Reason.NO_POSITIVES
    assert np.isnan(display.area)
    assert legend_texts(display)[0] == "web: undefined, there are no positives"
    assert all(len(column) == 0 for column in columns(display).values())


@pytest.mark.parametrize("kind", DISPLAYS)
def test_labels_and_scores_give_the_same_as_their_curve(kind):
    rng = np.random.default_rng(0)
    y, score, weight = rng.random(50) < 0.4, rng.random(50), rng.random(50)
    labels = np.where(y, "fraud", "ok")
    curve = br.Curve.from_scores(y, score, weight=weight).at_prevalence("1:100")
    expected = kind.from_curve(curve, name="x")
    got = kind.from_predictions(labels, score, prevalence="1:100", weight=weight, positive="fraud", name="x")
    assert all((columns(got)[name] == column).all() for name, column in columns(expected).items())
    assert got.label == expected.label
    assert repr(got) == repr(expected)


@pytest.mark.parametrize("kind", DISPLAYS)
@pytest.mark.parametrize("positive", [None, "fraud", "ok"])
@pytest.mark.parametrize("model", ["LogisticRegression", "LinearSVC"])
def test_estimators_give_the_same_as_their_scores(kind, positive, model):
    linear_model, svm = pytest.importorskip("sklearn.linear_model"), pytest.importorskip("sklearn.svm")
    rng = np.random.default_rng(1)
    y = np.where(rng.random(60) < 0.4, "fraud", "ok")
    X = rng.normal(size=(60, 2)) + (y == "fraud")[:, np.newaxis]
    fitted = getattr(linear_model if model == "LogisticRegression" else svm, model)().fit(X, y)
    got = kind.from_estimator(fitted, X, y, positive=positive, prevalence=0.1)
    assert got.name == model
    label = positive or "ok"  # the second class in order of the alphabet
    which = list(fitted.classes_).index(label)
    if model == "LogisticRegression":
        scores = fitted.predict_proba(X)[:, which]
    else:
        scores = fitted.decision_function(X) * (1 if which else -1)
    expected = kind.from_curve(br.Curve.from_scores(y, scores, positive=label).at_prevalence(0.1))
    assert all((columns(got)[name] == column).all() for name, column in columns(expected).items())
    assert got.area == expected.area > 0.1


class Unfitted:
    pass


class ThreeClasses:
    classes_ = np.arange(3)


class NoScores:
    classes_ = np.arange(2)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: plots.RocDisplay.from_curve([1, 0]), "curve must be a Curve, got a list; build one with"),
        (lambda: plots.PrecisionRecallDisplay.from_curve(TIED, area=br.roc_auc), "area must be br.average_precision"),
        (lambda: plots.RocDisplay.from_curve(TIED).plot("here"), "ax must be matplotlib Axes, got str"),
        (lambda: plots.RocDisplay.from_curve(TIED).plot(legend="below"), "legend must be one of 'above'"),
        (
            lambda: plots.PrecisionRecallDisplay.from_curve(TIED).plot(f1_lines=[20]),
            "f1_lines must be strictly between",
        ),
        (lambda: plots.RocDisplay.from_estimator(Unfitted(), [[1]], [1]), "got a Unfitted with no classes_; fit it"),
        (lambda: plots.RocDisplay.from_estimator(ThreeClasses(), [[1]], [1]), r"with classes_ of shape \(3,\)"),
        (lambda: plots.RocDisplay.from_estimator(NoScores(), [[1]], [1]), "a NoScores with neither; pass scores"),
        (lambda: plots.RocDisplay.from_estimator(NoScores(), [[1]], [1], positive=7), r"classes, \[0, 1\], got 7"),
    ],
)
def test_bad_input_is_one_sentence(ask, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        ask()


def test_a_curve_without_prevalence_has_a_roc_picture_only():
    curve = br.Curve.from_rates([0.6, 0.9], [0.01, 0.2])
    assert plots.RocDisplay.from_curve(curve).plot().area == br.roc_auc(curve)
    with pytest.raises(br.errors.MissingInformationError, match="no prevalence"):
        plots.PrecisionRecallDisplay.from_curve(curve)
