"""Type checkers and users agree: what is right is no error, and what is wrong is one."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import baserate as br
from helpers.public_names import public_things

SOURCES = Path(__file__).parents[1] / "src"
CODE = Path(__file__).with_name("typing") / "user_code.py"
EXPECTED = [number for number, line in enumerate(CODE.read_text("utf-8").splitlines(), 1) if "# expected" in line]


@pytest.mark.slow
def test_mypy(tmp_path):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, CODE]
    command += ["--disable-error-code", "import-untyped"]  # of other libraries
    env = os.environ | {"MYPYPATH": str(SOURCES)}
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=env).stdout
    assert sorted({int(number) for number in re.findall(r"user_code.py:(\d+): error", said)}) == EXPECTED, said


@pytest.mark.slow
def test_pyright(tmp_path):
    copy = Path(shutil.copy(CODE, tmp_path))
    as_others_have_it = {"typeCheckingMode": "standard", "extraPaths": [str(SOURCES)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(as_others_have_it))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, copy]
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout
    found = [one for one in json.loads(said)["generalDiagnostics"] if one["severity"] == "error"]
    assert sorted({one["range"]["start"]["line"] + 1 for one in found}) == EXPECTED, found


def public_functions():
    """Public functions and methods by name, as they were written."""
    optional = [(name, getattr(br, name)) for name in ("PriorShiftClassifier", "RecalibratedClassifier")]
    for name, thing in [*public_things(), *optional]:
        methods = inspect.getmembers(thing, callable) if inspect.isclass(thing) else ()
        named = [(name, thing), *((f"{name}.{method}", one) for method, one in methods if not method.startswith("_"))]
        for full_name, one in named:
            function = inspect.unwrap(getattr(one, "__func__", one))
            if inspect.isfunction(function) and function.__module__.startswith("baserate."):
                yield full_name, function


def test_every_public_parameter_says_what_it_accepts():
    functions = dict(public_functions())
    assert {"curve", "Curve.from_scores", "prior.estimate_prevalence", "plots.RocDisplay.from_estimator"} < set(
        functions
    )
    vague = [
        f"{name}({parameter.name})"
        for name, function in functions.items()
        for parameter in inspect.signature(function).parameters.values()
        if parameter.annotation in (object, "object", parameter.empty) and parameter.name not in ("self", "cls")
    ]
    assert vague == []
