"""Every result becomes rows, frames, JSON and back, a text and a view in a notebook, and is equal to its like."""

import copy
import dataclasses
import importlib
import json
import math
import pathlib
import pickle
import pkgutil
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import baserate as br
from baserate.results import Result
from baserate.results.base import result_classes
from helpers.scripts import script

every = script(pathlib.Path(__file__).parents[2] / "docs" / "every_result.py")

CASES = [pytest.param(make, id=f"{name}-{k}") for name, makes in every.MADE.items() for k, make in enumerate(makes)]


def all_classes():
    for module in pkgutil.walk_packages(br.__path__, "baserate."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return [one for one in result_classes() if one.__module__.startswith("baserate.")]


def test_every_class_of_results_has_an_example():
    classes = all_classes()
    assert sorted(one.__name__ for one in classes) == sorted(every.MADE)
    for name, makes in every.MADE.items():
        assert {type(make()).__name__ for make in makes} == {name}


def test_what_is_in_the_results_room_is_a_result():
    import baserate.results

    assert all(issubclass(getattr(baserate.results, name), Result) for name in baserate.results.__all__)


def test_no_class_writes_what_the_base_has():
    for one in all_classes():
        own = {"rows", "row", "frame", "to_json", "from_json", "columns", "__eq__", "__hash__", "__str__"}
        assert not {*own, "_repr_html_"} & set(vars(one)), one


@pytest.mark.parametrize("make", CASES)
def test_rows_are_plain_and_alike(make):
    rows = make().rows()
    assert rows
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert all(type(value) in (str, int, float, bool, type(None)) for row in rows for value in row.values())
    json.dumps(rows)
    assert pd.DataFrame(rows).shape == (len(rows), len(rows[0]))


@pytest.mark.parametrize("make", CASES)
def test_a_row_is_for_one_row(make):
    found = make()
    if len(found.rows()) == 1:
        assert str([found.row()]) == str(found.rows())  # as text, in which nan is nan
    else:
        with pytest.raises(br.errors.InputError, match=r"row is for results of one row, got [\d,]+ rows; call rows"):
            found.row()


@pytest.mark.parametrize("make", CASES)
@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)]
)
def test_frames(make, backend, kind):
    found = make()
    frame = found.frame(backend)
    rows = found.rows()
    assert isinstance(frame, kind)
    assert frame.shape == (len(rows), len(rows[0]))
    names = frame.column_names if backend == "pyarrow" else list(frame.columns)
    assert names == list(rows[0])
    for name in names:
        column = frame[name].to_pylist() if backend == "pyarrow" else frame[name].to_list()
        numbers = [row[name] for row in rows if isinstance(row[name], float) and not math.isnan(row[name])]
        if len(numbers) == len(rows):
            assert column == numbers


@pytest.mark.parametrize("make", CASES)
def test_json_both_ways(make):
    found = make()
    text = found.to_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    for back in (type(found).from_json(text), Result.from_json(text)):
        assert type(back) is type(found)
        assert back == found
        assert hash(back) == hash(found)
        assert back.to_json() == text
        assert str(back) == str(found)
        assert str(back.rows()) == str(found.rows())
        for field in dataclasses.fields(found):
            assert type(getattr(back, field.name)) in (type(getattr(found, field.name)), float, int, bool, dict)
            if isinstance(getattr(found, field.name), np.ndarray):
                assert getattr(back, field.name).dtype == getattr(found, field.name).dtype


@pytest.mark.parametrize("make", CASES)
def test_equal_to_its_copy_and_to_nothing_else(make):
    found = make()
    assert copy.deepcopy(found) == found == pickle.loads(pickle.dumps(found))
    assert found != "something else"
    for field in dataclasses.fields(found):
        assert with_another(found, field.name) != found, field.name


def with_another(found, name):
    """A result with another value in a field, which it might not be made with."""
    other = copy.copy(found)
    object.__setattr__(other, name, changed(getattr(found, name)))
    return other


def changed(value):
    """Something of the same kind that is not equal."""
    if isinstance(value, np.ndarray) and not value.size:
        return np.zeros(1)
    if isinstance(value, np.ndarray):
        other = value.copy()
        other.flat[-1] = "x" if value.dtype.kind == "U" else not value.flat[-1] if value.dtype.kind == "b" else -7
        return other
    if isinstance(value, bool):
        return not value
    if isinstance(value, tuple):
        return (*value[:-1], changed(value[-1])) if value else ("more",)
    if isinstance(value, dict):
        return {**value, "more": 1.0}
    if isinstance(value, Result):
        return with_another(value, dataclasses.fields(value)[0].name)
    return -7.0 if isinstance(value, (int, float)) else "something else"


@pytest.mark.parametrize("make", CASES)
def test_text_and_view(make):
    found = make()
    text, view = str(found), found._repr_html_()
    assert text.strip() == text != ""
    assert "array(" not in text
    assert "object at" not in text
    assert view.startswith("<div>")
    assert view.endswith("</div>")
    assert "<table>" in view
    assert "<td" in view
    assert "nan,nan" not in view


def test_lines_have_a_sparkline_and_long_tables_are_cut():
    swept = br.sweep(br.precision, every.POINT, every.GRID)
    view = swept._repr_html_()
    assert view.count("<polyline") == 1
    assert "… 20 more rows …" in view
    assert view.count("<tr>") == 1 + 10 + 1
    assert "<polyline" not in br.sweep(br.precision, every.POINT, [0.1])._repr_html_()
    assert "<polyline" not in br.sweep(br.precision, every.EMPTY.at_threshold(0.5), [0.1, 0.2])._repr_html_()


def test_what_comes_from_outside_is_escaped():
    found = br.calibration.in_the_small({"<script>": every.GOOD})
    assert "<script>" not in found._repr_html_()
    assert "&lt;script&gt;" in found._repr_html_()


def test_a_list_of_results_is_a_table():
    estimates = [br.estimate(br.precision, every.POINT), br.estimate(br.average_precision, every.EMPTY)]
    for table in (pd.DataFrame(estimates), pd.DataFrame([one.row() for one in estimates])):
        assert list(table["metric"]) == ["precision", "average_precision"]
        assert list(table.columns) == [field.name for field in dataclasses.fields(estimates[0])]
        assert table["value"].isna().tolist() == [False, True]
    assert pl.DataFrame(estimates)["value"].to_list()[0] == estimates[0].value


def test_rows_of_several_results_go_below_each_other():
    metrics = (br.average_precision, br.roc_auc)
    rows = [row for metric in metrics for row in br.sweep(metric, every.GOOD, [0.1, 0.01]).rows()]
    assert pd.DataFrame(rows).pivot(index="prevalence", columns="metric", values="value").shape == (2, 2)


def test_nan_and_infinity_survive():
    found = br.results.Sweep("m", np.array([0.1, 0.2, 0.3]), np.array([math.nan, math.inf, -math.inf]))
    back = Result.from_json(found.to_json())
    assert str(back.value.tolist()) == "[nan, inf, -inf]"
    one = br.results.MaxWidth(math.inf, math.nan)
    assert str(Result.from_json(one.to_json()).row()) == "{'width': inf, 'prevalence': nan}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"baserate_result": 2, "$result": "Estimate", "fields": {}}', "must be of version 1, got version 2; read it"),
        ('{"baserate_result": "x", "$result": "Estimate", "fields": {}}', "must be of version 1, got version 'x'"),
        ("{}", "from_json needs the text that to_json wrote, got '{}'; pass that text"),
        ("not JSON", "from_json needs the text that to_json wrote, got 'not JSON'"),
        ("[1]", "from_json needs the text that to_json wrote"),
        ('{"baserate_result": 1, "$result": "Nothing", "fields": {}}', "no result is called 'Nothing'"),
        ('{"baserate_result": 1, "$result": "Estimate", "fields": {}}', "must be complete, got one that is not"),
        ('{"baserate_result": 1, "$result": "MaxWidth", "fields": {"width": {"$float": "x"}}}', "must be complete"),
        ('{"baserate_result": 1}', "must be complete"),
        ('{"baserate_result": 1, "$result": "MaxWidth", "fields": {"width": 1, "prevalence": 2}}',
         "Estimate.from_json needs the JSON of Estimate, got that of MaxWidth; use MaxWidth.from_json"),
    ],
)  # fmt: skip
def test_what_is_no_kept_result_is_refused_in_a_sentence(text, sentence):
    with pytest.raises(br.errors.InputError) as refused:
        br.results.Estimate.from_json(text)
    assert sentence in str(refused.value)


def test_keys_that_json_cannot_hold_are_refused():
    found = br.calibration.in_the_small({frozenset({1}): every.GOOD})
    with pytest.raises(br.errors.InputError, match="needs text, numbers, dates or results, got frozenset"):
        found.to_json()


def test_a_frame_of_nobody_is_refused():
    with pytest.raises(br.errors.InputError, match="backend must be one of pandas, polars, pyarrow, got 'spark'"):
        br.estimate(br.precision, every.POINT).frame("spark")


@pytest.mark.slow
@pytest.mark.parametrize("imported", ["pandas", "polars", "pyarrow"])
def test_the_frame_is_of_the_library_that_is_imported(imported):
    code = (
        f"import {imported}, baserate as br\n"
        "found = br.estimate(br.precision, br.Point.from_counts(tp=6, fp=1, fn=4, tn=99)).frame()\n"
        "print(type(found).__module__.split('.')[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == imported


def test_without_any_of_them_it_says_so(monkeypatch):
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr("baserate.results.base.find_spec", lambda name: None)
    with pytest.raises(
        br.errors.InputError, match="a frame must be one of pandas, polars or pyarrow, got none installed"
    ):
        br.estimate(br.precision, every.POINT).frame()


def test_results_of_every_version_are_still_read():
    """Written by the code of the time; see docs/formats.md."""
    kept = pathlib.Path(__file__).parents[1] / "golden" / "formats" / "results-1.jsonl"
    estimate, swept, table = (Result.from_json(line) for line in kept.read_text("utf-8").splitlines())
    assert (
        str(estimate) == "precision 0.375 [0.3131, 0.4375] (95 %, melded, prevalence 1 in 1,000, 100 pos, 100,000 neg)"
    )
    assert str(swept.value.tolist()) == "[nan, inf, 0.25]"
    assert swept.reason is br.Reason.NO_POSITIVES
    assert [group.key for group in table.groups] == ["shop", None, ("web", 3)]
    assert isinstance(table, br.results.GroupTable)
