"""Tables for the pages that the studies write."""

import os
from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: int | None = None) -> str:
    """A table as Markdown has it; numbers, to be aligned, stand in the columns behind the first so many, if given."""
    left = len(heads) if words is None else words
    lines = [heads, ["---"] * left + ["---:"] * (len(heads) - left), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def crowd() -> str:
    """A sentence on how busy the machine was."""
    return (
        f"In the quarter of an hour before the end, {os.getloadavg()[2]:.0f} processes wanted the {os.cpu_count()} "
        f"processors on average, which lengthens times much, and CPU seconds a little."
    )
