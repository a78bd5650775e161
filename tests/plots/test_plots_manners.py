"""Pictures leave the rest of the world alone, and need matplotlib only where one is drawn."""

import doctest
import subprocess
import sys

import matplotlib as mpl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

import baserate as br
from baserate import plots
from baserate.plots import drawing, words
from helpers.drawings import GROUPS_TO_TRY, TIED

pytestmark = pytest.mark.slow  # together, these take long


def displays():
    return {
        "ChangeDisplay": plots.ChangeDisplay.from_curves(GROUPS_TO_TRY, metric=br.auc_pr, reference=1, n_resamples=50),
        "PrecisionRecallDisplay": plots.PrecisionRecallDisplay.from_curve(TIED),
        "ReliabilityDisplay": plots.ReliabilityDisplay.from_curve(TIED),
        "RocDisplay": plots.RocDisplay.from_curve(TIED),
        "PrecisionRecallGainDisplay": plots.PrecisionRecallGainDisplay.from_curve(TIED),
        "PrevalenceDisplay": plots.PrevalenceDisplay.from_curves(GROUPS_TO_TRY, metric=br.auc_pr),
        "SlicesDisplay": plots.SlicesDisplay.from_curves(GROUPS_TO_TRY, metric=br.auc_pr, estimates=False),
        "TimelineDisplay": plots.TimelineDisplay.from_curves(GROUPS_TO_TRY, metric=br.auc_pr, estimates=False),
    }


def test_every_display_is_tried_here_and_has_examples():
    assert sorted(displays()) == plots.__all__
    for name in plots.__all__:
        tests = doctest.DocTestFinder(recurse=False).find(getattr(plots, name), name)
        assert any(test.examples for test in tests), name
    assert br.plots is plots


@pytest.mark.parametrize("name", plots.__all__)
def test_nothing_global_is_touched(name):
    before = dict(mpl.rcParams)
    display = displays()[name].plot()
    display.figure_.draw_without_rendering()
    assert dict(mpl.rcParams) == before
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or pyplot.get_fignums() == []


@pytest.mark.parametrize("name", plots.__all__)
def test_the_callers_axes_keep_their_sizes(name):
    figure = Figure(figsize=(5, 4))
    axes = figure.add_subplot()
    size = axes.xaxis.label.get_fontsize()
    display = displays()[name]
    assert display.plot(axes) is display
    assert (display.ax_, display.figure_) == (axes, figure)
    assert tuple(figure.get_size_inches()) == (5, 4)
    assert axes.xaxis.label.get_fontsize() == size
    assert axes.spines["top"].get_visible()
    assert display._repr_png_() is None  # who owns the figure shows it
    part = Figure().subfigures(1, 2)[0]
    assert display.plot(part.add_subplot()).figure_ is part.figure


@pytest.mark.parametrize("name", plots.__all__)
def test_a_new_figure_has_column_width_and_everything_fits(name):
    display = displays()[name].plot()
    figure = display.figure_
    figure.draw_without_rendering()
    assert figure.get_figwidth() == 3.5
    drawn = figure.get_tightbbox()
    assert drawn.x0 > -0.01
    assert drawn.y0 > -0.01
    assert drawn.x1 < 3.51
    assert drawn.y1 < figure.get_figheight() + 0.01
    for axes in figure.axes:
        assert axes.xaxis.label.get_fontsize() >= 8
        assert axes.get_position().width > 0.6
        legend = axes.get_legend()
        if legend is not None:  # above the axes, so that it covers nothing
            assert legend.get_window_extent().y0 >= axes.get_window_extent().y1 - 1
            assert min(text.get_fontsize() for text in legend.get_texts()) >= 8
    assert display._repr_png_().startswith(b"\x89PNG")


def test_a_legend_lets_the_figure_grow_and_not_the_axes_shrink():
    heights = []
    for count in (1, 4):
        display = plots.RocDisplay.from_curve(TIED, name="0").plot()
        for number in range(1, count):
            plots.RocDisplay.from_curve(TIED, name=str(number)).plot(display.ax_)
        display.figure_.draw_without_rendering()
        heights.append(display.ax_.get_position().height * display.figure_.get_figheight())
    assert heights[1] == pytest.approx(heights[0], rel=0.05)


def test_a_legend_inside_is_where_there_is_room():
    display = plots.RocDisplay.from_curve(TIED).plot(legend="inside")
    display.figure_.draw_without_rendering()
    legend, axes = display.ax_.get_legend().get_window_extent(), display.ax_.get_window_extent()
    assert axes.y0 < legend.y0 < legend.y1 < axes.y1


def test_looks_differ_in_colour_and_in_grey():
    assert len({look.colour for look in drawing.LOOKS}) == len(drawing.LOOKS)
    assert len({str(look.dashes) for look in drawing.LOOKS}) == len(drawing.LOOKS)
    assert len({look.marker for look in drawing.LOOKS}) == len(drawing.LOOKS)
    assert drawing.look(len(drawing.LOOKS)) == drawing.LOOKS[0]


@pytest.mark.parametrize("name", plots.__all__)
@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_numbers_are_rows_and_frames_as_those_of_results_are(name, backend, kind):
    display = displays()[name]
    rows, frame = display.rows(), display.frame(backend)
    assert isinstance(frame, kind)
    assert frame.shape == (len(rows), len(rows[0]))
    assert all(type(value) in (str, int, float, bool, type(None)) for row in rows for value in row.values())


@pytest.mark.parametrize("name", plots.__all__)
def test_without_matplotlib_there_are_numbers_but_no_picture(name, monkeypatch):
    for module in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, module, None)
    display = displays()[name]
    assert len(display.rows()[0]) >= 2
    with pytest.raises(br.BaserateError, match=r"which is not installed; pip install matplotlib\."):
        display.plot()


def test_importing_and_making_displays_does_not_import_matplotlib():
    code = (
        "import sys, baserate as br; curve = br.Curve.from_scores([0, 1], [0.1, 0.2]);"
        "br.plots.RocDisplay.from_curve(curve, band=True, n_resamples=100).rows();"
        "br.plots.SlicesDisplay.from_curves({'a': curve}, metric=br.auc_pr, n_resamples=100).rows();"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (0.0123456, "0.0123"),
        (1 / 584, "0.00171"),
        (1e-4, "$10^{-4}$"),
        (2.5e-6, r"$2.5 \times 10^{-6}$"),
        (0.999, "0.999"),
        (0.0, "0"),
    ],
)
def test_shares_have_three_digits(value, text):
    assert words.share(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.500"), (1.0, "1.00"), (-0.25, "−0.250"), (123.4, "123"), (2e-7, r"$2 \times 10^{-7}$")]
)
def test_numbers_have_three_digits(value, text):
    assert words.short(value) == text
