"""docs/cli.md shows what a shell shows.

``make pages`` writes what it shows now into the page; read the difference before you keep it.
"""

import re
import tempfile

import pytest

from helpers.pages import DOCS, SHELL, as_shown_now

pytestmark = pytest.mark.slow  # together, these take long

PAGE = DOCS / "cli.md"


def test_examples_on_the_page_are_true(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    assert len(SHELL.findall(page)) >= 7
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
