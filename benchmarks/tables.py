"""Tables for the pages that the studies write."""

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: int | None = None) -> str:
    """A table as Markdown has it; numbers, to be aligned, stand in the columns behind the first so many, if given."""
    left = len(heads) if words is None else words
    lines = [heads, ["---"] * left + ["---:"] * (len(heads) - left), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
