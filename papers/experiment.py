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
    """A printed number beside ours.

    `why` says why the two differ on purpose, or where the tolerance comes from if it is not the rounding in print.
    """

    what: str
    published: float
    ours: float
    tolerance: float
    why: str = ""

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
    why: str = ""


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
    findings : Number or Shape
        What was published beside what comes out.
    figure : matplotlib Figure
        The picture, made with ``Figure()`` rather than pyplot, so that nothing stays open.
    """

    title: str
    source: str
    story: str
    findings: tuple[Number | Shape, ...]
    figure: Figure

    @property
    def holds(self) -> bool:
        return all(finding.holds for finding in self.findings)
