"""Parts of the texts of results."""

from collections.abc import Hashable, Sequence

from baserate.errors import Reason
from baserate.written import one_in


def percent(share: float) -> str:
    """A level or a share as text: 95 %."""
    return f"{100 * share:.4g} %"


def with_ends(value: float, low: float, high: float, sign: str = "") -> str:
    """A number and its interval as text: 0.4 [0.3, 0.5]; differences have a sign."""
    return f"{value:{sign}.4g} [{low:{sign}.4g}, {high:{sign}.4g}]"


def prevalence_with_ends(value: float, low: float, high: float) -> str:
    """A prevalence and its interval: 1 in 100 [1 in 120, 1 in 90]; an estimate may be 0."""
    texts = ["0" if prevalence == 0 else one_in(prevalence) for prevalence in (value, low, high)]
    return "{} [{}, {}]".format(*texts)


def prevalences(low: float, high: float) -> str:
    """A prevalence, or a range of them: prevalence 1 in 100, prevalences 1 in 1,000 to 1 in 100."""
    ends = one_in(low), one_in(high)
    return f"prevalence {ends[0]}" if ends[0] == ends[1] else f"prevalences {ends[0]} to {ends[1]}"


def counted(number: float) -> str:
    """A number of cases, with commas; of weighted rows it may have decimals."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.6g}"


def cases(n_pos: float, n_neg: float) -> str:
    """The numbers of cases as text."""
    return f"{counted(n_pos)} pos, {counted(n_neg)} neg"


def plural(number: float, noun: str) -> str:
    """A number of things: 1 row, 2 rows."""
    return f"{counted(number)} {noun}{'s' * (number != 1)}"


def with_notes(text: str, *notes: Reason | str | None) -> str:
    """A sentence, followed by the reason why there is no number, or by a caution."""
    sentences = (note.sentence if isinstance(note, Reason) else note for note in notes)
    return "; ".join([text, *(sentence for sentence in sentences if sentence)])


def key_text(key: Hashable) -> str:
    """The key of a group as text: parts of a tuple joined, None as a word."""
    parts = key if isinstance(key, tuple) else (key,)
    return ", ".join("missing" if part is None else str(part) for part in parts)


def aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines of text, the first and the last column to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    texts = []
    for first, *middle, last in lines:
        cells = [first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(middle, widths[1:-1], strict=True)), last]
        texts.append("  ".join(cells).rstrip())
    return texts
