"""Pages made from the code are what the code says now."""

from pathlib import Path

import pytest
from scripts import script

DOCS = Path(__file__).parents[1] / "docs"


def test_the_index_of_metrics_is_up_to_date():
    made = script(DOCS / "make_metrics.py").index()
    assert (DOCS / "metrics.md").read_text(encoding="utf-8") == made, "run python docs/make_metrics.py"


def test_the_picture_is_up_to_date():
    module = script(DOCS / "make_picture.py")
    assert module.TARGET.read_text(encoding="utf-8") == module.picture(), "run python docs/make_picture.py"


def test_the_benchmark_runs():
    speed = script(DOCS.parent / "benchmarks" / "speed.py")
    assert len(speed.one_curve(2000)) == 4
    assert len(speed.many_prevalences(2000)) == 8
    assert len(speed.bootstraps(2000)) == 4
    assert len(speed.growth(1_000_000)) == 8


@pytest.mark.slow
def test_the_benchmark_of_files_runs(tmp_path):
    page = script(DOCS.parent / "benchmarks" / "files.py").report(30_000, 10_000, tmp_path)
    assert "| 30,000 |" in page
    assert "lies\nwithin the bounds" in page
