"""What installing brings: dependencies that wait until they are used, and a command that works."""

import json
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import baserate_command

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = SETTINGS["project"]
README = (ROOT / "README.md").read_text("utf-8")
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)#]*)")
# Required, or used where they are there: none of them may make `import baserate` slower.
WAITING = ("click", "rich", "duckdb", "matplotlib", "sklearn", "pandas", "polars", "pyarrow")


def printed(*arguments, **options):
    """What a fresh Python prints."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, check=False, text=True, timeout=120, **options
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def loaded_after(code):
    """Which packages are loaded after some lines in a fresh Python."""
    told = printed("-c", f"import sys; {code}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))")
    return set(told.split())


def test_importing_loads_nothing_that_only_files_commands_and_pictures_need():
    assert loaded_after("import baserate").isdisjoint(WAITING)


@pytest.mark.slow
def test_counting_rows_loads_no_more():
    code = "import baserate as br; br.average_precision(br.Curve.from_scores([0, 1], [0.1, 0.2]))"
    assert loaded_after(code).isdisjoint(WAITING)


@pytest.mark.slow
def test_the_command_and_files_need_what_is_required_and_nothing_else(tmp_path):
    """A Python in which all the rest cannot be imported reads a file and writes the page."""
    (tmp_path / "scores.csv").write_text(printed("-m", "baserate.examples", "payments"), encoding="utf-8")
    missing = [name for name in WAITING if name not in ("click", "rich", "duckdb")]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({missing!r})); "
        "sys.argv[1:] = 'report scores.csv --label fraud --score new_model --prevalence 1:1000 -o page.html'.split(); "
        "from baserate_command import main; main()"
    )
    printed("-c", code, cwd=tmp_path)
    assert "new_model" in (tmp_path / "page.html").read_text("utf-8")


def test_the_module_is_the_command(monkeypatch):
    """So that everything said of how the command ends holds for ``python -m baserate``, too."""
    called = []
    monkeypatch.setattr(baserate_command, "main", lambda: called.append("main"))
    runpy.run_module("baserate", run_name="__main__")
    assert called == ["main"]


@pytest.mark.slow
def test_the_module_answers_as_the_command_does(tmp_path):
    (tmp_path / "rows.csv").write_text("y,p\n1,.5\n0,.4\n")
    asked = ("evaluate", "rows.csv", "--label", "y", "--score", "p", "--metric", "roc_auc", "--json", "-q")
    assert json.loads(printed("-m", "baserate", *asked, cwd=tmp_path))[0]["value"] == 1.0
    assert "Usage: baserate " in printed("-m", "baserate", "--help")


@pytest.mark.parametrize("name", ["numpy", "scipy", "narwhals", "click", "rich", "duckdb"])
def test_what_the_command_needs_is_required(name):
    assert any(need.startswith(f"{name}>=") for need in PROJECT["dependencies"])


def test_the_extra_all_has_every_extra_for_users():
    for_users = PROJECT["optional-dependencies"].keys() - {"all", "bench", "dev", "docs"}
    assert PROJECT["optional-dependencies"]["all"] == [f"baserate[{','.join(sorted(for_users))}]"]


# --- the README -----------------------------------------------------------------------------------


def on_an_index():
    """The README as the build rewrites it."""
    text = README
    for rule in SETTINGS["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    return text


def test_links_of_the_readme_lead_somewhere_in_the_repository():
    inside = [target for _, target in LINK.findall(README) if not target.startswith("https://")]
    assert len(inside) > 10
    assert [target for target in inside if not (ROOT / target).exists()] == []


def test_links_and_pictures_of_the_readme_work_where_nothing_stands_beside_it():
    here, there = LINK.findall(README), LINK.findall(on_an_index())
    assert len(here) == len(there)
    hosts = {
        "!": "https://raw.githubusercontent.com/baserate/baserate/main/",
        "": f"{PROJECT['urls']['Source']}/blob/main/",
    }
    for (kind, target), (_, address) in zip(here, there, strict=True):
        assert address == (target if target.startswith("https://") else hosts[kind] + target)


@pytest.mark.slow
def test_the_lines_of_the_readme_run_on_a_file(tmp_path):
    import duckdb

    (tmp_path / "payments.csv").write_text(printed("-m", "baserate.examples", "payments"), encoding="utf-8")
    made = f"COPY (SELECT fraud, new_model AS p FROM '{tmp_path}/payments.csv') TO '{tmp_path}/scores.parquet'"
    duckdb.sql(made)
    install, *lines = re.search(r"```sh\n(.*?)```", README, re.DOTALL)[1].splitlines()
    assert install.startswith("pip install . ")
    shown = [printed("-m", *shlex.split(line), cwd=tmp_path) for line in lines]
    assert "average_precision" in shown[0]
    assert "At a prevalence of 1 in 1,000" in (tmp_path / "report.html").read_text("utf-8")
