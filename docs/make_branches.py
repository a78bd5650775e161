"""How much of each room the tests run, from what coverage found: ``make branches``.

With ``--write`` the table goes into CONTRIBUTING.md.
"""

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from make_architecture_picture import rooms

PAGE = Path(__file__).parents[1] / "CONTRIBUTING.md"
TABLE = re.compile(r"(?<=<!-- branches -->\n\n).*?(?=\n<!-- end of branches -->)", re.DOTALL)
HEAD = ["| room | lines run | branches taken | most branches missing |", "|---|---|---|---|"]


class Reach(NamedTuple):
    """How many lines of a file there are and are run, and how many branches there are and are taken."""

    num_statements: int
    covered_lines: int
    num_branches: int
    covered_branches: int

    @property
    def missing(self) -> int:
        """Branches that no test takes."""
        return self.num_branches - self.covered_branches


def found(path: Path) -> dict[str, Reach]:
    """What ``coverage json`` wrote, by the name of the file from the package on."""
    files = json.loads(path.read_text("utf-8"))["files"]
    return {
        name.rpartition("src/")[2]: Reach(*(one["summary"][key] for key in Reach._fields))
        for name, one in files.items()
    }


def table(files: dict[str, Reach]) -> str:
    """A row for each room, from top to bottom, and one for all."""
    by_room: dict[str, dict[str, Reach]] = defaultdict(dict)
    for path, reach in files.items():
        by_room[_room(path)][path] = reach
    rows = [f"| `{room}` | {_shares(by_room[room])} | {_least(by_room[room])} |" for room in rooms() if room in by_room]
    return "\n".join([*HEAD, *rows, f"| all | {_shares(files)} | |"]) + "\n"


def _room(path: str) -> str:
    return Path(path).with_suffix("").parts[:2][-1]


def _shares(files: dict[str, Reach]) -> str:
    lines, run, branches, taken = (sum(column) for column in zip(*files.values(), strict=True))
    return f"{_percent(run, lines)} | {_percent(taken, branches)}"


def _percent(some: int, every: int) -> str:
    """Rounded down, so that only all is 100 %."""
    return f"{100 * some // every} %" if every else "–"


def _least(files: dict[str, Reach]) -> str:
    name, reach = max(files.items(), key=lambda item: item[1].missing)
    return f"`{Path(name).name}`: {reach.missing} of {reach.num_branches}" if reach.missing else ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("found", type=Path, help="what coverage json wrote")
    parser.add_argument("--write", action="store_true", help="into CONTRIBUTING.md")
    asked = parser.parse_args()
    text = table(found(asked.found))
    print(text, end="")
    if asked.write:
        PAGE.write_text(TABLE.sub(lambda _: text, PAGE.read_text("utf-8")), encoding="utf-8")
