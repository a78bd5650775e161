"""The study of intervals where only some rows are labelled, with few rows and one shape of scores."""

from pathlib import Path

import pytest

from helpers.scripts import script

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.slow
def test_the_quick_study_runs(monkeypatch, tmp_path, capsys):
    study = script(BENCHMARKS / "sampled_labels.py")
    for name, value in (("N", 5_000), ("RATES", (0.1,)), ("SHAPES", study.SHAPES[:1]), ("DRAWS", 100)):
        monkeypatch.setattr(study, name, value)
    study.main(["--simulations", "2", "--write", str(tmp_path / "study.md")])
    page = (tmp_path / "study.md").read_text(encoding="utf-8")
    assert page.strip() == capsys.readouterr().out.strip()
    assert "2 simulated test sets for each of 1 settings" in page
    for question in ("recall at the cutoff", "recall at a precision, own", "best F1, 0.001", "difference of recall"):
        assert f"| {question} | " in page
