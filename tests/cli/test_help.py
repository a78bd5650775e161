"""What ``--help`` says: every option what it is for, in the field's words, and no summary cut short."""

import re
import subprocess
import sys

import click
import pytest

from baserate.cli.app import commands
from baserate.cli.hints import COMMANDS

EACH = {name: commands.get_command(None, name) for name in COMMANDS}
STORE = EACH["store"]
EVERY = {**EACH, **{f"store {name}": command for name, command in STORE.commands.items()}}


@pytest.mark.parametrize("name", EVERY)
def test_every_option_says_what_it_is_for(name):
    for option in EVERY[name].params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert option.help[0].isupper()
            assert re.search(r"\.(  \[default: .*\])?$", option.help), option.help


@pytest.mark.parametrize("asked", [(), ("store",)])
def test_no_summary_is_cut_short(asked, ask, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    listed = re.search(r"Commands:\n(.*?)\n\n", ask(*asked, "--help").out, re.DOTALL).group(1)
    assert all(line.endswith(".") and not line.endswith("...") for line in listed.splitlines()), listed


def test_help_says_what_is_done_and_not_in_riddles(ask):
    for name in EVERY:
        text = " ".join(ask(*name.split(), "--help").out.split())
        for riddle in ("will not do", "whose clock", "is to be", "likewise", "not understood", "where there is none"):
            assert riddle not in text.lower(), (name, riddle)


def test_the_list_of_commands_is_what_they_say_of_themselves():
    """It is written down, so that none of them has to be loaded."""
    for name, line in COMMANDS.items():
        assert EACH[name].get_short_help_str(100).removesuffix(".") == line.removesuffix(".")


def test_help_loads_next_to_nothing():
    code = "import sys; from baserate.cli.app import run; run(['--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"numpy", "scipy", "duckdb", "rich"}.isdisjoint(done.stdout.split())
