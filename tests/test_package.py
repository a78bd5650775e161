"""The package keeps its own house rules."""

import doctest
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate import demo
from baserate.examples import make_payments, make_year

WITHOUT_EXAMPLE = {"BaserateError", "CurveFileError", "PrecisionWarning"}  # only ever caught
CALLABLES = [name for name in br.__all__ if callable(getattr(br, name)) and name not in WITHOUT_EXAMPLE]


@pytest.mark.parametrize("name", CALLABLES)
def test_every_public_name_has_an_executed_example(name):
    tests = doctest.DocTestFinder(recurse=False).find(getattr(br, name), name)
    assert any(test.examples for test in tests), f"{name} has no example"


@pytest.mark.parametrize("row", br.METRICS.values(), ids=lambda row: row.name)
def test_every_metric_is_public_and_documented(row):
    assert getattr(br, row.name) is row.function
    text = inspect.getdoc(row.function)
    assert ".. math::" in text
    assert "Parameters\n" in text
    required = {p.name for p in inspect.signature(row.compute).parameters.values() if p.default is p.empty} - {
        "at",
        "curve",
    }
    for parameters in row.examples:
        assert required <= parameters.keys()


def test_public_names_are_sorted_and_complete():
    assert br.__all__ == sorted(br.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    exported = {name for name, value in vars(br).items() if getattr(value, "__module__", "").startswith("baserate.")}
    assert exported <= set(br.__all__)


def test_methods_of_curve_have_examples():
    methods = [
        name for name in vars(br.Curve) if not name.startswith("_") and inspect.isroutine(getattr(br.Curve, name))
    ]
    for name in set(methods) - {"load"}:
        assert ">>>" in inspect.getdoc(getattr(br.Curve, name)), name


@pytest.mark.slow
def test_the_demo_prints_its_table_and_writes_the_page(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    demo.main()
    shown = capsys.readouterr().out
    assert "Average precision             new_model         0.8785    0.5988    0.4862    0.4279" in shown
    assert "new_model leads below 1 in 21, old_model above" in shown
    assert "1:10000: 0.43, 95 % sure between 0.05 and 0.49" in shown
    assert "At a prevalence of 1 in 1,000, new_model is the best of 2 models: average precision 0.44" in shown
    (shown_in_python,) = re.findall(r"^The same in Python: (.*)$", shown, re.MULTILINE)
    assert Path(shown_in_python).samefile(demo.__file__)
    assert "(simulated)" in (tmp_path / "demo.html").read_text("utf-8")


def test_examples_are_what_was_simulated():
    rows = make_year.simulate(np.random.default_rng(2025))
    data = br.examples.year()
    assert [day for day, *_ in rows] == data["day"].tolist()
    assert [float(new) for *_, new in rows] == pytest.approx(data["new_model"].tolist())
    rows = make_payments.simulate(np.random.default_rng(2026))
    assert [float(new) for *_, new in rows] == pytest.approx(br.examples.payments()["new_model"].tolist())
