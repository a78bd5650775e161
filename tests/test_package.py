"""The package keeps its own house rules."""

import ast
import doctest
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import baserate as br
import baserate.examples.__main__
from baserate import demo
from baserate.examples import make_payments, make_year
from helpers.public_names import public_things

WITHOUT_EXAMPLE = {"BaserateError", "errors.CurveFileError", "errors.PrecisionWarning"}  # only ever caught
CALLABLES = {name: thing for name, thing in public_things() if callable(thing) and name not in WITHOUT_EXAMPLE}
MOST_NAMES = 100


@pytest.mark.parametrize("name", CALLABLES)
def test_every_public_name_has_an_executed_example(name):
    tests = doctest.DocTestFinder(recurse=False).find(CALLABLES[name], name)
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


def test_the_door_is_one_that_a_newcomer_can_read():
    assert len(br.__all__) <= MOST_NAMES
    assert len(set(br.__all__)) == len(br.__all__)


def test_type_checkers_see_the_names_that_are_there():
    """What __init__.py loads when it is asked for is what __init__.pyi says, from the same modules."""
    stub = ast.parse(Path(br.__file__).with_suffix(".pyi").read_text("utf-8"))
    imported = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    homes = {alias.name: node.module for node in imported for alias in node.names}
    rooms = {name for name, module in homes.items() if module == "baserate"}
    assert rooms == set(br._ROOMS)
    found = {name: module.removeprefix("baserate.") for name, module in homes.items() if name not in rooms}
    assert found == br._HOME
    (listed,) = (node for node in stub.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    assert ast.literal_eval(listed.value) == br.__all__


def test_no_function_has_the_name_of_a_module():
    """Else what a name stands for would depend on what was imported before."""
    modules = {module.name for module in pkgutil.walk_packages(br.__path__, "baserate.")}
    for name, thing in public_things():
        assert inspect.ismodule(thing) or f"baserate.{name}" not in modules, name


@pytest.mark.slow
@pytest.mark.parametrize(
    "first", ["baserate.page.page", "baserate.cli.app", "baserate.monitoring.store", "baserate.scikit.scorer"]
)
def test_names_mean_the_same_whatever_was_imported_before(first):
    code = f"import inspect, {first}, baserate as br; "
    code += "print([name for name in br._HOME if inspect.ismodule(getattr(br, name))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    "code",
    [
        "len(br.METRICS) > 40",
        "str(br.Rule.parse('best=f1'))",
        "br.Claim('f1', at_least=0.1, at='recall=0.5')",
        "br.errors.Reason",
    ],
)
def test_a_name_brings_along_what_it_needs(code):
    """Each in a program that has asked for nothing else."""
    done = subprocess.run([sys.executable, "-c", f"import baserate as br; assert {code}"], check=False)
    assert done.returncode == 0


def test_a_start_loads_little():
    """Modules are counted, because time is noise: the door alone, and then a curve, which needs numpy."""
    code = "import sys, baserate as br; a = len(sys.modules); br.Curve; print(a - before, *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, importlib.util; before = len(sys.modules); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    at_the_door, *loaded = done.stdout.split()
    assert int(at_the_door) == 1
    heavy = {"click", "rich", "duckdb", "pandas", "polars", "pyarrow", "matplotlib", "sklearn", "scipy.stats"}
    assert heavy.isdisjoint(loaded)


@pytest.mark.parametrize(
    ("options", "most", "special"),
    [
        ((), 900, False),
        (("--at", "recall=0.5", "--no-intervals"), 900, False),
        (("--at", "recall=0.5"), 1020, True),  # quantiles of the beta distribution, for intervals of rates
    ],
)
def test_evaluating_a_small_file_loads_little(options, most, special, tmp_path):
    """scipy.special takes as long to load as all else that numbers need, so only what needs it asks for it."""
    (tmp_path / "scores.csv").write_text("y,p\n" + "1,0.9\n0,0.2\n0,0.5\n1,0.4\n" * 20)
    command = ["-X", "importtime", "-m", "baserate", "evaluate", str(tmp_path / "scores.csv"), "--prevalence", "0.01"]
    done = subprocess.run([sys.executable, *command, *options], capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time")}
    assert len(loaded) < most
    assert ("scipy.special._ufuncs" in loaded) == special  # Python does not list a package that is loaded by its name
    assert "duckdb" in loaded
    heavy = {"scipy.stats._distn_infrastructure", "scipy.linalg._decomp", "pandas.core", "polars", "pyarrow", "rich"}
    assert (heavy | {"matplotlib", "sklearn"}).isdisjoint(loaded)


def test_a_name_that_is_not_there():
    for name, hint in (
        ("Estimate", "it is baserate.results.Estimate"),
        ("average_precison", "did you mean 'average_pre"),
    ):
        with pytest.raises(AttributeError, match=hint):
            getattr(br, name)
    assert set(br.__all__) <= set(dir(br))


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
    assert "Average precision        new_model   0.8785   0.5988      0.4862       0.4279" in shown
    assert "new_model leads below 1 in 21, old_model above" in shown
    assert "1 in 10,000: 0.43, 95 % sure between 0.05 and 0.49" in shown
    assert (
        "All periods together: at a prevalence of 1 in 1,000, new_model leads old_model (more than 99 % sure)" in shown
    )
    (shown_in_python,) = re.findall(r"^The same in Python: (.*)$", shown, re.MULTILINE)
    assert Path(shown_in_python).samefile(demo.__file__)
    assert "(simulated)" in (tmp_path / "demo.html").read_text("utf-8")


@pytest.mark.parametrize("asked", [[], ["other"], ["payments", "year"]])
def test_an_example_that_is_not_there_is_answered_with_what_is(asked, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["examples", *asked])
    with pytest.raises(SystemExit, match=r"^usage: python -m baserate.examples payments\|year"):
        baserate.examples.__main__.main()


def test_examples_are_what_was_simulated():
    rows = make_year.simulate(np.random.default_rng(2025))
    data = br.examples.year()
    assert [day for day, *_ in rows] == data["day"].tolist()
    assert [float(new) for *_, new in rows] == pytest.approx(data["new_model"].tolist())
    rows = make_payments.simulate(np.random.default_rng(2026))
    assert [float(new) for *_, new in rows] == pytest.approx(br.examples.payments()["new_model"].tolist())


def defined(path):
    """The classes of a file, and its names of types, which are written like classes."""
    for line in ast.parse(path.read_text("utf-8")).body:
        if isinstance(line, ast.ClassDef):
            yield line.name
        elif isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            name = line.targets[0].id
            if name[0].isupper() and not name.isupper() and "uncertainty" not in path.parts:
                yield name


def test_each_class_and_each_type_has_a_name_of_its_own():
    """One word has one meaning; types that only the room of intervals names are its own."""
    places = {}
    for path in (Path(br.__file__).parent).rglob("*.py"):
        for name in defined(path):
            places.setdefault(name, []).append(path.name)
    assert len(places) > 200
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}
