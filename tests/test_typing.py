"""Type checkers and users agree: what is right is no error, and what is wrong is one."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CODE = Path(__file__).with_name("typing") / "user_code.py"
EXPECTED = [number for number, line in enumerate(CODE.read_text("utf-8").splitlines(), 1) if "# expected" in line]


@pytest.mark.slow
def test_mypy(tmp_path):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, CODE]
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout
    assert sorted({int(number) for number in re.findall(r"user_code.py:(\d+): error", said)}) == EXPECTED, said


@pytest.mark.slow
def test_pyright(tmp_path):
    copy = Path(shutil.copy(CODE, tmp_path))
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "standard"}')  # as pyright itself, and Pylance
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, copy]
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout
    found = [one for one in json.loads(said)["generalDiagnostics"] if one["severity"] == "error"]
    assert sorted({one["range"]["start"]["line"] + 1 for one in found}) == EXPECTED, found
