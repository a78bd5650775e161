"""The kernel is built where there is a compiler, without a warning, and left out where there is none."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from helpers.compiling import COMPILER, HEADERS, POSSIBLE

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "baserate" / "native" / "_kernel.c"

pytestmark = pytest.mark.slow
needs_compiler = pytest.mark.skipif(not POSSIBLE, reason="no compiler, or no headers of Python")


@needs_compiler
@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_it_compiles_without_a_warning(tmp_path, level):
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", level]
    asked = [COMPILER, *strict, f"-I{HEADERS}", "-fPIC", "-c", str(SOURCE), "-o", str(tmp_path / "kernel.o")]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def wheel(tmp_path, **settings):
    """The wheel that is built of a copy of the sources, and what the builder printed."""
    pytest.importorskip("hatchling", reason="no hatchling here; make wheel tries the same")
    pytest.importorskip("hatch_fancy_pypi_readme", reason="no hatchling here; make wheel tries the same")
    pytest.importorskip("setuptools")
    sources = tmp_path / "sources"
    shutil.copytree(ROOT / "src", sources / "src", ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources / name)
    asked = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    environment = {**os.environ, **settings}
    done = subprocess.run(asked, cwd=sources, env=environment, capture_output=True, text=True, check=True)
    (made,) = (tmp_path / "dist").iterdir()
    return made, done


def kernels(made):
    return [name for name in zipfile.ZipFile(made).namelist() if name.endswith((".so", ".pyd"))]


@needs_compiler
def test_with_a_compiler_the_wheel_has_the_kernel(tmp_path):
    made, _ = wheel(tmp_path, BASERATE_NATIVE="1")
    assert "-cp311-abi3-" in made.name
    assert [Path(name).name.split(".")[0] for name in kernels(made)] == ["_kernel"]


@pytest.mark.parametrize("hidden", [{"CC": "false", "PATH": "/nonexistent"}, {"BASERATE_NATIVE": "0"}])
def test_without_a_compiler_the_wheel_is_pure_and_nothing_is_said(tmp_path, hidden):
    made, done = wheel(tmp_path, **hidden)
    assert made.name.endswith("-py3-none-any.whl")
    assert kernels(made) == []
    assert (done.stdout + done.stderr).split() == [str(made)]  # its name, and not a word of what failed
