"""The recipes of docs/monitoring.md run: a script for cron, and a workflow."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import polars as pl
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

import baserate as br
from helpers.programs import PROGRAM

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "monitoring.md").read_text(encoding="utf-8")
(SCRIPT,) = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)
(WORKFLOW,) = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture
def machine(tmp_path):
    """A folder with payments, and a machine that has the command and a program that sends mails."""
    programs, data = tmp_path / "bin", tmp_path / "fraud"
    (data / "payments").mkdir(parents=True)
    programs.mkdir()
    for name, does in (
        ("baserate", f'{shlex.join(PROGRAM)} "$@"'),
        ("mail", f'echo "$@" > {tmp_path}/mail; cat >> {tmp_path}/mail'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / name).chmod(0o755)
    year = pl.DataFrame(br.examples.year())

    def run(command, until, **named):
        year.filter(pl.col("day") < until).write_csv(data / "payments" / "year.csv")
        settings = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"} | named
        return subprocess.run(command, cwd=data, env=settings, capture_output=True, text=True, check=False, timeout=300)

    return run


def test_the_script_sends_a_mail_when_something_has_changed(machine, tmp_path):
    (tmp_path / "monitor.sh").write_text(SCRIPT)
    command = ["sh", str(tmp_path / "monitor.sh"), str(tmp_path / "fraud")]
    assert machine(command, "2025-06").returncode == 0
    assert not (tmp_path / "mail").exists()
    done = machine(command, "2026")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    mail = (tmp_path / "mail").read_text()
    assert mail.startswith("-s fraud model: exit code 3 team\n")
    assert "new_model: the model is worse than it was" in mail
    assert "new_model: move the threshold from 0.3 to 0.005766" in mail
    gauges = text_string_to_metric_families((tmp_path / "fraud" / "model.prom").read_text())
    assert {one.name: one.samples[0].value for one in gauges}["baserate_model_alarm"] == 1
    assert len(pl.read_parquet(tmp_path / "fraud" / "model.parquet")) == 12
    assert machine(["sh", str(tmp_path / "monitor.sh"), "/no/folder"], "2026").returncode == 1


def test_the_workflow_fails_when_the_model_is_worse(machine, tmp_path):
    *_, step = yaml.safe_load(WORKFLOW)["jobs"]["monitor"]["steps"]
    summary = tmp_path / "summary"
    command = ["bash", "-e", "-c", step["run"]]
    done = machine(command, "2025-06", GITHUB_STEP_SUMMARY=str(summary))
    assert (done.returncode, done.stderr) == (0, "")
    assert "no change detected" in summary.read_text()
    assert machine(command, "2026", GITHUB_STEP_SUMMARY=str(summary)).returncode != 0
    assert "the model is worse than it was" in summary.read_text()
    drift = ["bash", "-e", "-c", step["run"].replace("new_model", "old_model")]
    assert machine(drift, "2026", GITHUB_STEP_SUMMARY=str(summary)).returncode == 0
    assert "the prevalence has moved" in summary.read_text()
