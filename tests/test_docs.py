"""Pages made from the code are what the code says now, and can be followed."""

import codeop
import re
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from helpers.browsing import CHROMIUM
from helpers.scripts import script

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]


def test_the_index_of_metrics_is_up_to_date():
    made = script(DOCS / "make_metrics.py").index()
    assert (DOCS / "metrics.md").read_text(encoding="utf-8") == made, "run python docs/make_metrics.py"


def test_the_glossary_has_every_synonym():
    made = script(DOCS / "make_glossary.py").page()
    assert (DOCS / "glossary.md").read_text(encoding="utf-8") == made, "run python docs/make_glossary.py"


def test_the_picture_is_up_to_date():
    module = script(DOCS / "make_picture.py")
    assert module.TARGET.read_text(encoding="utf-8") == module.picture(), "run python docs/make_picture.py"


@pytest.fixture(scope="module")
def rooms():
    return script(DOCS / "make_architecture_picture.py")


@pytest.mark.slow
def test_the_picture_of_the_rooms_is_up_to_date(rooms):
    assert rooms.TARGET.read_text(encoding="utf-8") == rooms.picture(), "run python docs/make_architecture_picture.py"


@pytest.mark.slow
def test_arrows_between_rooms_lead_down_and_are_imports(rooms):
    contract, arrows = rooms.rooms(), rooms.imports()
    drawn = rooms.telling(arrows)
    assert ("metrics", "curves") in drawn
    assert ("metrics", "arrays") in arrows - drawn  # which follows from others
    assert [(a, b) for a, b in drawn if contract.index(a) >= contract.index(b)] == []
    assert all(rooms.reached(room, drawn) == rooms.reached(room, arrows) for room in contract)
    picture = ElementTree.fromstring(rooms.picture())
    assert sorted(name.text for name in picture.findall("{*}text")) == sorted(contract)
    assert len(picture.findall("{*}g/{*}path")) == len(drawn)


@pytest.fixture
def speed(monkeypatch):
    """The benchmark, on a machine that has none of the optional programs."""
    module = script(DOCS.parent / "benchmarks" / "speed.py")
    monkeypatch.setattr(module.competitors, "module", lambda name: None)
    return module


def few_rows(speed, **sizes):
    few = {"prevalences": (0.01,), "growing": (1000, 2000, 4000), "rows": 4000, "file": 10_000}
    few |= {"intervals_compared": 2000, "peaks": 1, "seconds": 0.0, "fewest": 2, "models": 2}
    return speed.Sizes(**few | sizes)


def cells(section):
    """Of the lines of its table, below the heads."""
    return [line.strip("| ").split(" | ") for line in section.table.splitlines()[2:]]


def test_the_benchmark_runs(speed):
    few = few_rows(speed)
    races = speed.numbers.average_precision_races(few)
    one = speed.numbers.average_precision_section(races)
    assert [line[:3] for line in cells(one)[:2]] == [["1,000", "0.01", "none"], ["1,000", "0.01", "three decimals"]]
    assert all("×" in line[4] and line[5:] == ["–", "–"] for line in cells(one))
    growth = cells(speed.numbers.growth_section(races))
    assert [line[1] for line in growth] == ["1,000", "2,000", "4,000", "exponent"]
    assert [cell == "–" for cell in growth[-1][2:]] == [False, False, False, False, True, True]
    assert all(float(line[-1].replace(",", "")) > 0 for line in growth[:-1])  # times reading once
    for section in (speed.numbers.curve_section(few), speed.further.calibration_section(few)):
        assert all(run.agrees(speed.SKLEARN) for run in section.races.values() if speed.SKLEARN in run.others)
    drawing = ElementTree.fromstring(speed.picture(speed.drawn(races), speed.numbers.LIMITS, "Seconds"))
    assert [line.get("stroke-dasharray") is None for line in drawing.findall("{*}polyline")] == [
        True,
        True,
        False,
        False,
    ]


def test_areas_at_a_thousand_prevalences_are_compared_in_the_benchmark(speed):
    found = cells(speed.further.prevalences_section(few_rows(speed)))
    assert [(line[1], "×" in line[4], line[4].endswith(" apart")) for line in found] == [
        ("average precision", True, False),
        ("AUC-PR", True, True),  # theirs has straight lines where the curve bends
        ("AUC-PRG", True, False),
        ("best F1", True, False),
    ]


@pytest.mark.slow
def test_the_whole_page_of_the_benchmark_is_written(speed, monkeypatch):
    monkeypatch.setattr(speed.further, "N_REPLICATES", 100)
    page, drawing = speed.page(few_rows(speed, fewest=1))
    assert "Not installed, so left out: torch, torchmetrics" in " ".join(page.split())
    aims = r"(?:at most \d+ units|–)"
    commands = re.findall(rf"^\| `baserate (\w+)`.* m?s \| .* units .* \| {aims} \|$", page, re.MULTILINE)
    assert commands == ["evaluate", "report", "report", "report", "monitor"]
    assert all(
        f"\n## {head}" in page
        for head in ("The main job", "One average precision", "Intervals", "A Parquet file", "Memory")
    )
    assert "outside" not in page
    assert drawing.startswith("<svg")


def test_a_section_that_was_measured_alone_takes_its_place(speed):
    page = "# Speed\n\nWords.\n\n## How it was measured\n\nSo.\n\n## Memory\n\nMuch.\n"
    for seconds in ("1 s", "2 s"):
        page = speed.with_section(page, speed.Section("The main job, 9 rows", "What it costs.", seconds))
    assert re.findall(r"^## (.*)", page, re.MULTILINE) == ["How it was measured", "The main job, 9 rows", "Memory"]
    assert re.search(r"What it costs\.\n\nThis section was measured by itself, on .* 20\d\d\.\n\n2 s\n\n", page)
    assert page.startswith("# Speed\n\nWords.\n\n## How")
    assert page.endswith("\n\nMuch.\n")


def raced(speed, theirs, ours, values=(0.5, 0.5)):
    named = [("baserate", values[0]), (speed.SKLEARN, values[1])]
    return speed.Race.of_times(named, np.array([ours, theirs]).T, 1e-6)


def test_ratios_are_of_programs_that_took_turns(speed):
    slowed_down_together = raced(speed, [3.0, 30.0, 8.0], [1.0, 10.0, 2.0])
    assert str(slowed_down_together.ratio(speed.SKLEARN)) == "3.00 × (3.00–3.50)"
    assert slowed_down_together.cell("torchmetrics") == "–"


def test_growth_is_fitted_to_all_sizes_but_the_smallest(speed):
    runs = {10: {"a": 5.0, "b": 1.0}, 100: {"a": 1.0}, 1000: {"a": 100.0}}
    assert speed.numbers.exponent(runs, "a") == "2.00"
    assert speed.numbers.exponent(runs, "b") == "–"


def test_different_numbers_are_shown_and_have_no_ratio(speed):
    assert raced(speed, [3.0], [1.0], (0.5, 0.5 + 1e-7)).cell(speed.SKLEARN) == "3.00 × (3.00–3.00)"
    assert raced(speed, [3.0], [1.0], (0.5, 0.25)).cell(speed.SKLEARN) == "0.25, not 0.5"
    lenient = replace(raced(speed, [3.0], [1.0], (0.5, 0.50004)), tolerance=1e-4)
    assert lenient.cell(speed.SKLEARN) == "3.00 × (3.00–3.00), 4e-05 apart"
    assert not raced(speed, [3.0], [1.0], (np.zeros(2), np.zeros(3))).agrees(speed.SKLEARN)
    assert not raced(speed, [3.0], [1.0], (0.5, np.nan)).agrees(speed.SKLEARN)


def test_a_part_that_was_measured_stands_for_the_whole(speed, monkeypatch):
    monkeypatch.setattr("timing.seconds_of", lambda job: job() or 0.5)
    part = speed.competitors.Runner("part", lambda: 0.0, times=100)
    run = speed.QUICK.race(speed.competitors.Runner("baserate", lambda: 0.0), part)
    assert run.others["part"].median == 50
    assert run.ratio("part").median == 100


def test_the_page_says_where_another_program_is_faster(speed):
    races = {("AUC", speed.Workload(10, p)): raced(speed, [t], [1.0]) for p, t in ((0.5, 0.25), (0.01, 4.0))}
    races["ECE", speed.Workload(10, 0.5)] = raced(speed, [0.5], [1.0], (0.5, 0.4))
    races["AP", speed.Workload(10, 0.5)] = raced(speed, [2.0], [1.0])
    lines = speed.faster_others([speed.Section("", "", "", races)]).splitlines()
    assert lines[2:] == [
        "- AUC: scikit-learn, 4.00 times as fast in 1 of 2 cases.",
        "- ECE: scikit-learn, 2.00 times as fast in 1 of 1 cases, with another number.",
    ]
    assert "Nowhere" in speed.faster_others([])


@pytest.mark.slow
def test_the_benchmark_of_files_runs(tmp_path):
    page = script(DOCS.parent / "benchmarks" / "files.py").report(30_000, 10_000, tmp_path)
    assert "| 30,000 |" in page
    assert "lies\nwithin the bounds" in page


@pytest.mark.slow
def test_the_quick_study_of_how_far_it_goes_runs(monkeypatch, capsys):
    far = script(DOCS.parent / "benchmarks" / "far.py")
    monkeypatch.setattr(sys, "argv", ["far.py", "--quick"])
    far.main()
    page = capsys.readouterr().out
    assert "these numbers of rows: 1,000, 5,000, 10,000, 20,000, 50,000." in page  # a thousandth of the whole study's
    assert "It is checked at 100,000 rows" in page
    assert "`max_scores=900`" in page
    assert re.search(r"takes \d+\.\d MiB as a file", page)
    assert "| DuckDB |" in page
    assert "| Spark |" not in page


def test_the_time_of_each_job_is_shared_among_rooms(speed):
    section = speed.where_time_goes.section(few_rows(speed))
    rooms, arrays = section.table.split("\n\n")
    lines = [line.strip("| ").split(" | ") for line in rooms.splitlines()[2:]]
    assert {"imports", "DuckDB", "`ingest`", "`uncertainty`", "others"} <= {line[0] for line in lines}
    shares = [[int(share.removesuffix(" %")) for share in line[2:]] for line in lines]
    assert all(abs(sum(of_job) - 100) <= len(lines) / 2 for of_job in zip(*shares, strict=True))
    assert [line.split(" | ")[0] for line in arrays.splitlines()[2:]] == ["| 0.001", "| 0.01", "| 0.5"]


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine; install the package chromium")
def test_the_benchmark_of_a_large_page_runs(speed, monkeypatch):
    large_page = script(DOCS.parent / "benchmarks" / "large_page.py")
    found = cells(large_page.section(few_rows(speed, models=9), 70))
    assert [line[0].split(",")[0] for line in found[:4]] == ["to make it", "to make it", "its size", "to open it"]
    assert 0.1 < float(found[2][1].removesuffix(" MB")) < 2
    assert all(line[0].startswith("to follow the slider") and line[1].endswith("ms") for line in found[4:])


@pytest.mark.slow
def test_the_quick_study_of_engines_runs(monkeypatch, capsys):
    engines = script(DOCS.parent / "benchmarks" / "engines.py")
    monkeypatch.setattr(sys, "argv", ["engines.py", "--quick"])
    engines.main()
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if "| 10,000 |" in line]
    assert [row[0].removeprefix("| ") for row in rows] == [name for name in engines.JOBS if name != "Spark"]
    assert [row[-1].removesuffix(" |") for row in rows] == ["10,000"] * 4 + ["720"]  # thresholds, and curves


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS.parent).as_posix())
def test_examples_can_be_typed_and_pasted(page):
    """At a prompt a loop or a function ends with an empty line, so the page has one."""
    for typed in re.findall(r"^>>> .*(?:\n\.\.\.(?: .*)?$)*", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        source = "\n".join(line[4:] for line in typed.split("\n"))
        assert codeop.compile_command(source, symbol="single"), typed
