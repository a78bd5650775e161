"""One published experiment: what was printed, what comes out here, and a picture of it.

Each module of this folder named after a paper and a figure or table has a function ``run(setup)`` that returns an
`Experiment`; `gallery` runs them all.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure


class Setup(NamedTuple):
    """How to run: everything as published, or a small part of it; and where the credit card data is, if not usual."""

    quick: bool = False
    creditcard: Path | None = None


class MissingDataError(Exception):
    """Data that an experiment needs is not on this machine; the sentence says what to do."""


@dataclass(frozen=True)
class Number:
    """A published number beside ours.

    `note` says where the number comes from if no paper printed it (then `printed` is False), and where the tolerance
    comes from if it is not the rounding in print.
    """

    what: str
    published: float
    ours: float
    tolerance: float
    note: str = ""
    printed: bool = True

    @property
    def difference(self) -> float:
        return self.ours - self.published

    @property
    def holds(self) -> bool:
        """Whether the two agree; rounding of the last printed digit may fall on the edge of the tolerance."""
        return abs(self.difference) <= self.tolerance * (1 + 1e-9)


@dataclass(frozen=True)
class Shape:
    """What a figure shows, in words, beside what is seen here; `holds` is worked out, not believed."""

    what: str
    ours: str
    holds: bool
    note: str = ""


@dataclass(frozen=True)
class Difference:
    """Where we do not match what was printed, or only lay something beside it; `note` says why.

    It is never counted as agreeing; `holds` is whether what is said of it here is so, worked out as in a `Shape`.
    """

    what: str
    published: str
    ours: str
    holds: bool
    note: str


@dataclass(frozen=True)
class Given:
    """What is so by construction: it says how something was made, and could not have come out otherwise.

    It is never counted as agreeing; `holds` is whether the construction was kept to.
    """

    what: str
    ours: str
    holds: bool
    note: str = ""


Finding = Number | Shape | Difference | Given


@dataclass(frozen=True)
class Experiment:
    """A figure or table of a paper, run again.

    Parameters
    ----------
    title : str
        What it is about, as a heading.
    source : str
        Which figure or table: ``"Siblini et al. 2020, Fig. 2"``.
    story : str
        What is done here and what to see in the picture, in a few sentences of Markdown.
    findings : Number, Shape, Difference or Given
        What was published beside what comes out.
    figure : matplotlib Figure
        The picture, made with ``Figure()`` rather than pyplot, so that nothing stays open.
    """

    title: str
    source: str
    story: str
    findings: tuple[Finding, ...]
    figure: Figure

    @property
    def failing(self) -> list[Finding]:
        return [finding for finding in self.findings if not finding.holds]

    @property
    def compared(self) -> list[Finding]:
        """What is meant to agree."""
        return [finding for finding in self.findings if not isinstance(finding, Difference | Given)]

    @property
    def n_agree(self) -> int:
        return sum(finding.holds for finding in self.compared)

    @property
    def n_differ(self) -> int:
        return sum(isinstance(finding, Difference) for finding in self.findings)
