"""docs/cli.md shows what a shell shows.

``python tests/cli/test_page.py`` writes what it shows now into the page; read the difference before you keep it.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # together, these take long

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
_BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)


def as_shown_now(page, folder):
    """The page with each block of shell examples as it comes out in a folder."""
    settings = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    def shown(block):
        text = ""
        for command in re.findall(r"^\$ (.*)$", block.group(), flags=re.MULTILINE):
            done = subprocess.run(
                ["bash", "-c", command],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=settings,
                check=False,
                text=True,
                timeout=120,
            )
            text += f"$ {command}\n{done.stdout}"
        return text

    return _BLOCK.sub(shown, page)


def test_examples_on_the_page_are_true(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    assert len(_BLOCK.findall(page)) >= 7
    assert as_shown_now(page, tmp_path) == page


def test_the_page_has_every_command_and_exit_code(ask):
    page = PAGE.read_text(encoding="utf-8")
    overview = ask("--help").out
    listed = re.search(r"Commands:\n(.*?)\n\n", overview, re.DOTALL).group(1)
    commands = [line.split()[0] for line in listed.splitlines() if re.match(r"  \w", line)]
    assert sorted(re.findall(r"^\| `baserate (\w+)", page, flags=re.MULTILINE)) == sorted(commands)
    assert re.findall(r"^\| (\d+) \|", page, flags=re.MULTILINE) == re.findall(r"^    (\d+)  ", overview, re.MULTILINE)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(as_shown_now(PAGE.read_text(encoding="utf-8"), folder), encoding="utf-8")
