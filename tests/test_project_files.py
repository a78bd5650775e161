"""Files for other services, which stand beside the code, say what the code says."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import baserate as br
from helpers.scripts import script

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_citation_names_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert (cited["version"], cited["license"]) == (br.__version__, PROJECT["license"])
    assert cited["repository-code"] == PROJECT["urls"]["Source"]


def test_classifiers_name_the_versions_that_are_tested():
    tested = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))["jobs"]["quick"]["strategy"][
        "matrix"
    ]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert named == tested["python"]
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_every_dependency_has_a_tested_range():
    """From the lowest version that is tested, to one that nobody knows yet."""
    users = [PROJECT["dependencies"], *(PROJECT["optional-dependencies"][extra] for extra in ("plot", "sklearn"))]
    others = [Requirement(text) for texts in PROJECT["optional-dependencies"].values() for text in texts]
    required = [Requirement(text) for texts in users for text in texts]
    for one in (*required, *others):
        assert one.name == "baserate" or {"<", "=="} & {part.operator for part in one.specifier}, f"{one} has no end"
    lines = (ROOT / "constraints-lowest.txt").read_text("utf-8").splitlines()
    lowest = {one.name: one.specifier for one in map(Requirement, lines[1:])}
    for one in required:
        (start,) = (part.version for part in one.specifier if part.operator == ">=")
        assert lowest[one.name].contains(start), f"{one} is not tested from its start"


def test_how_to_report_a_vulnerability_is_said():
    headings = re.findall("^## (.*)", (ROOT / "SECURITY.md").read_text("utf-8"), re.MULTILINE)
    assert {"What is promised", "How to report"} <= set(headings)


WORKFLOWS = [ROOT / ".pre-commit-config.yaml", *sorted((ROOT / ".github/workflows").glob("*.yml"))]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_commands_that_other_services_run_are_targets_of_make(path):
    text = path.read_text("utf-8")
    assert yaml.safe_load(text)
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    legs = re.search(r"leg: \[(.*)\]", text)
    asked = re.findall(r"(?:entry|run): make ([a-z0-9-]+)", text) + (legs[1].split(", ") if legs else [])
    assert set(asked) <= targets
    assert asked


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
@pytest.mark.parametrize("target", ["demo", "check", "docs", "bench", "lowest", "core", "duckdb2"])
def test_an_environment_made_without_the_kernel_has_it_all_the_same(target, tmp_path):
    """It is turned off when it would run. What was not built would be missing from the next make test."""
    asked = ["make", "--dry-run", f"VENV={tmp_path}", "NATIVE=0", target]
    said = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.replace("\\\n", "")
    installing = [line for line in said.splitlines() if "pip install" in line]
    assert installing
    assert [line for line in installing if "env -u BASERATE_NATIVE" not in line] == []


def test_the_table_of_branches_adds_up_rooms_and_names_what_lacks_most():
    branches = script(ROOT / "docs" / "make_branches.py")
    files = {
        "baserate/curves/curve.py": branches.Reach(100, 100, 40, 40),
        "baserate/curves/pair.py": branches.Reach(100, 99, 10, 8),
        "baserate/errors.py": branches.Reach(10, 10, 0, 0),
        "baserate_command.py": branches.Reach(3, 3, 0, 0),
    }
    rows = branches.table(files).splitlines()[2:]
    assert rows == [
        "| `curves` | 99 % | 96 % | `pair.py`: 2 of 10 |",
        "| `errors` | 100 % | – |  |",
        "| all | 99 % | 96 % | |",
    ]


def test_the_table_of_branches_has_every_room():
    branches = script(ROOT / "docs" / "make_branches.py")
    shown = branches.TABLE.search(branches.PAGE.read_text("utf-8"))[0]
    assert re.findall(r"^\| `(\w+)`", shown, re.MULTILINE) == branches.rooms()
