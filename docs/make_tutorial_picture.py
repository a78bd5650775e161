"""Draws docs/tutorial.svg by the code of docs/tutorial.md itself: ``python docs/make_tutorial_picture.py``."""

import contextlib
import doctest
import io
from pathlib import Path
from typing import Any

TUTORIAL = Path(__file__).with_name("tutorial.md")
TARGET = Path(__file__).with_name("tutorial.svg")


def lines_of_code(page: str) -> list[str]:
    """What comes after the prompts on a page, statement by statement."""
    return [example.source for example in doctest.DocTestParser().get_examples(page)]


def picture() -> str:
    """What the tutorial saves as a picture, in bytes that depend on nothing but its numbers and on matplotlib."""
    import matplotlib

    code = lines_of_code(TUTORIAL.read_text(encoding="utf-8"))
    saving = next(number for number, line in enumerate(code) if "savefig" in line)
    tutorial: dict[str, Any] = {}
    with contextlib.redirect_stdout(None):
        exec("".join(code[:saving]), tutorial)  # a page cannot be imported
    display = tutorial["display"]
    for name, line in display.lines_.items():
        line.set_gid(name)
    drawn = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "tutorial", "svg.fonttype": "none"}):
        display.figure_.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) + "\n"


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
