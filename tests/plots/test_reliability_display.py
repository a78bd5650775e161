"""The reliability diagram: what its points, bands, bars and axes hold."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

import baserate as br
from baserate import plots
from baserate.written import one_in
from helpers.drawings import NO_POSITIVES, TIED, columns, legend_texts, points, sample

DISPLAY = plots.ReliabilityDisplay


def probabilities(seed, n=3000, slope=1.0, shift=-2.0):
    """Rows whose probabilities are a line in log-odds away from their scores."""
    rng = np.random.default_rng(seed)
    log_odds = rng.normal(shift, 1.5, n)
    y = rng.random(n) < 1 / (1 + np.exp(-slope * log_odds))
    return br.Curve.from_scores(y, (1 / (1 + np.exp(-log_odds))).round(3))


GOOD, BAD = probabilities(0), probabilities(1, slope=0.3)


def segments(display):
    return np.array(display.intervals_.get_segments())


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [None, 0.5, 0.001])
@pytest.mark.parametrize("bins", [10, "equal_frequency(5)", [0, 0.05, 0.2, 1]])
def test_points_bars_and_rings_are_those_of_reliability(prevalence, bins):
    read = BAD if prevalence is None else BAD.at_prevalence(prevalence)
    display = DISPLAY.from_curve(read, bins=bins).plot()
    found = br.reliability(read, bins=bins)
    assert points(display.line_).tolist() == np.column_stack([found.mean_score, found.event_rate]).tolist()
    ends = np.array([[found.mean_score, found.rate_low], [found.mean_score, found.rate_high]])
    assert segments(display).tolist() == ends.transpose(2, 0, 1).tolist()
    off = found.judgement != "agrees"
    assert off.any()
    assert points(display.off_).tolist() == points(display.line_)[off].tolist()
    assert display.measure == found.ece
    assert display.band_ is None
    table = columns(display)
    assert list(table) == list(found.rows()[0])
    assert table["judgement"] == found.judgement.tolist()


def test_bins_that_agree_have_no_rings():
    assert DISPLAY.from_curve(GOOD).plot().off_ is None
    assert DISPLAY.from_curve(BAD).plot(off=False).off_ is None


@pytest.mark.parametrize("band", ["consistency", "confidence"])
@pytest.mark.parametrize("prevalence", [None, 0.01])
def test_steps_and_band_are_those_of_isotonic_reliability(band, prevalence):
    read = BAD if prevalence is None else BAD.at_prevalence(prevalence)
    options = {"band": band, "confidence_level": 0.9, "n_resamples": 100, "rng": 3}
    display = DISPLAY.from_curve(read, kind="isotonic", **options).plot()
    found = br.calibration.isotonic_reliability(read, **options)
    x, y = display.line_.get_data()
    assert display.line_.get_drawstyle() == "steps-post"  # the rate of a score holds up to the next
    assert (x[0], x[-1]) == (found.score[0], found.score[-1])
    assert len(x) < len(found.score)
    assert y[np.searchsorted(x, found.score, side="right") - 1].tolist() == found.rate.tolist()
    assert display.intervals_ is None
    assert display.off_ is None
    (path,) = display.band_.get_paths()
    drawn = {tuple(corner) for corner in path.vertices.tolist()}
    edges = (found.low[1:] != found.low[:-1]) | (found.high[1:] != found.high[:-1])
    begins = np.append(0, np.flatnonzero(edges) + 1)
    for heights in (found.low, found.high):
        assert {(found.score[i], heights[i]) for i in begins} <= drawn
        assert {(found.score[j], heights[i]) for i, j in pairwise(begins)} <= drawn  # level up to the next step
    assert legend_texts(display)[1] == f"90 % {band} band, pointwise"
    assert display.measure == br.calibration.decompose(br.brier_score, read).miscalibration
    assert columns(display)["rate"].tolist() == found.rate.tolist()


@pytest.mark.parametrize("prevalence", [None, 0.01])
def test_the_histogram_adds_up_to_all_rows_as_read(prevalence):
    read = GOOD if prevalence is None else GOOD.at_prevalence(prevalence)
    for scale in ("linear", "log-odds"):
        display = DISPLAY.from_curve(read).plot(scale=scale)
        share, edges, _ = display.histogram_.get_data()
        assert share.sum() == pytest.approx(1)
        weight = (GOOD.n_pos / GOOD.n_neg) * (1 / prevalence - 1) if prevalence else 1.0
        mass = GOOD.pos + weight * GOOD.neg
        within = [mass[(GOOD.score > low) & (GOOD.score <= high)].sum() for low, high in pairwise(edges)]
        assert share[1:-1] == pytest.approx(np.array(within[1:-1]) / mass.sum())
        assert display.histogram_ax_.get_xscale() == display.ax_.get_xscale()
        assert display.histogram_ax_.get_xlim() == display.ax_.get_xlim()


def test_scores_of_exactly_0_and_1_are_in_the_outer_bars_on_both_scales():
    curve = br.Curve.from_counts([1.0, 0.5, 0.0], pos=[10, 5, 0], neg=[0, 5, 20])
    for scale, bars in DISPLAY.from_curve(curve).histograms.items():
        assert (bars.share[0], bars.share[-1]) == (0.5, 0.25), scale
    assert DISPLAY.from_curve(curve).plot(scale="log-odds").ax_.get_xlim()[0] > 0
    one = br.Curve.from_counts([0.3], pos=[3], neg=[7])
    for scale, bars in DISPLAY.from_curve(one).histograms.items():
        assert bars.share.max() == 1, scale
        assert (np.diff(bars.edges) > 0).all()


@pytest.mark.slow
def test_on_a_scale_of_log_odds_everything_is_in_sight_and_zero_is_far_below():
    curve = br.Curve.from_counts([0.9, 0.2, 1e-4], pos=[60, 30, 0], neg=[20, 200, 680])
    display = DISPLAY.from_curve(curve).plot(scale="log-odds")
    assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("logit", "logit")
    low, high = display.ax_.get_ylim()
    score, rate = display.line_.get_data()
    assert (score > low).all()
    assert (score < high).all()
    assert low < rate[1] < high
    assert 0 < rate[0] < low  # no events
    assert (segments(display)[:, 0, 1] > 0).all()
    assert display.result.event_rate[0] == 0
    display.figure_.draw_without_rendering()
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert "0.5" in labels
    assert len(labels) <= 7


def test_a_second_model_widens_the_scale_of_log_odds():
    first = DISPLAY.from_curve(br.Curve.from_counts([0.6, 0.4], pos=[60, 40], neg=[40, 60])).plot(scale="log-odds")
    before = first.ax_.get_xlim()
    second = DISPLAY.from_curve(TIED).plot(first.ax_)  # as the one before
    assert second.ax_.get_xscale() == "logit"
    assert len(second.histogram_.get_data()[0]) == 20
    assert second.histogram_.get_data()[1].tolist() == second.histograms["log-odds"].edges.tolist()
    after = first.ax_.get_xlim()
    assert after[0] < before[0]
    assert after[1] > before[1]
    DISPLAY.from_curve(br.Curve.from_counts([0.6, 0.4], pos=[60, 40], neg=[40, 60])).plot(first.ax_, scale="log-odds")
    assert first.ax_.get_xlim() == after
    assert first.ax_.get_ylim() == after


def test_several_models_share_diagonal_and_histogram():
    first = DISPLAY.from_curve(GOOD, name="first").plot()
    second = DISPLAY.from_curve(BAD.at_prevalence(0.01), name="second").plot(first.ax_)
    assert points(first.diagonal_).tolist() == [[0, 0], [1, 1]]
    assert second.diagonal_ is None
    assert second.histogram_ax_ is first.histogram_ax_
    assert second.histogram_ is not first.histogram_
    assert first.line_.get_color() != second.line_.get_color()
    assert first.line_.get_marker() != second.line_.get_marker()
    for display in (first, second):
        assert display.histogram_.get_edgecolor()[:3] == pytest.approx(display.intervals_.get_color()[0][:3])
    assert [text.split(":")[0] for text in legend_texts(second)] == [
        "first",
        "second",
        "miscalibrated",
        "95 % intervals",
        "calibrated",
    ]
    assert legend_texts(second)[1].endswith(f"at prevalence 1 in 100 (own {one_in(BAD.own_prevalence)})")


def test_the_histogram_goes_where_it_is_told_or_is_left_out():
    assert DISPLAY.from_curve(GOOD).plot(histogram=False).histogram_ is None
    assert len(DISPLAY.from_curve(GOOD).plot(histogram=False).figure_.axes) == 1
    left, right = Figure().subplots(1, 2)
    display = DISPLAY.from_curve(GOOD).plot(left)  # the caller's axes have no room below them
    assert (display.histogram_, display.histogram_ax_) == (None, None)
    assert display.ax_.get_xlabel() == "Score"
    for scale in ("log-odds", "linear"):
        display = DISPLAY.from_curve(GOOD).plot(left, histogram=right, scale=scale)
        assert display.histogram_ in right.patches
        assert right.get_xlim() == left.get_xlim()
        assert right.get_xscale() == left.get_xscale()
    assert (right.get_xlabel(), right.get_ylabel()) == ("Score", "Share")
    with pytest.raises(br.errors.InputError, match="ax must be matplotlib Axes, got str"):
        DISPLAY.from_curve(GOOD).plot(histogram="below")


def test_axes_are_named_once_and_go_from_0_to_1():
    display = DISPLAY.from_curve(GOOD).plot()
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("", "Event rate")
    assert (display.histogram_ax_.get_xlabel(), display.histogram_ax_.get_ylabel()) == ("Score", "Share")
    for low, high in (display.ax_.get_xlim(), display.ax_.get_ylim()):
        assert -0.05 < low < 0
        assert 1 < high < 1.05
    assert display.histogram_ax_.get_ylim()[0] == 0
    assert display.figure_.get_figheight() > display.figure_.get_figwidth()


def test_what_is_not_asked_for_is_not_drawn():
    display = DISPLAY.from_curve(GOOD).plot(diagonal=False, legend="none", color="red", lw=3)
    assert display.diagonal_ is None
    assert display.ax_.get_legend() is None
    assert (display.line_.get_color(), display.line_.get_linewidth()) == ("red", 3)


def test_from_rows_and_from_an_estimator():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300)) > 1
    model = LogisticRegression().fit(X, y)
    from_model = DISPLAY.from_estimator(model, X, y, prevalence=0.1, bins=5)
    score = model.predict_proba(X)[:, 1]
    from_rows = DISPLAY.from_predictions(y, score, prevalence=0.1, bins=5, name="LogisticRegression")
    expected = br.reliability(br.Curve.from_scores(y, score).at_prevalence(0.1), bins=5)
    for display in (from_model, from_rows):
        assert display.result.event_rate.tolist() == expected.event_rate.tolist()
        assert display.label == from_rows.label
        assert repr(display).startswith("ReliabilityDisplay(LogisticRegression: ECE ")


def test_weights_have_bins_but_no_isotonic_band():
    weighted = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2], weight=[1, 2, 1, 0.5, 1, 3])
    assert DISPLAY.from_curve(weighted, bins=2).result.n.sum() == 8.5
    with pytest.raises(br.errors.MissingInformationError, match="made from weighted rows"):
        DISPLAY.from_curve(weighted, kind="isotonic")


def test_wrong_input():
    with pytest.raises(br.errors.InputError, match="curve must be a Curve, got a list; build one with"):
        DISPLAY.from_curve([0, 1])
    with pytest.raises(br.errors.InputError, match="probabilities between 0 and 1, got scores from"):
        DISPLAY.from_curve(sample(0))
    with pytest.raises(br.errors.MissingInformationError, match="there are no positives"):
        DISPLAY.from_curve(NO_POSITIVES)
    with pytest.raises(br.errors.InputError, match="kind must be one of 'bins', 'isotonic', got 'isotone'"):
        DISPLAY.from_curve(TIED, kind="isotone")
    with pytest.raises(br.errors.InputError, match="scale must be"):
        DISPLAY.from_curve(TIED).plot(scale="log")
