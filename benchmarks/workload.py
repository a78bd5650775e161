"""Rows to measure on, the same for every program, and what a program is asked to do with them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Workload:
    """So many rows, their share of positives, and whether scores have three decimals or all they can have."""

    n: int
    prevalence: float
    ties: bool = False

    def rows(self) -> tuple[Labels, Floats]:
        """Labels and scores, which promise too much at 0.5 and far too much at less; the same on every call."""
        rng = np.random.default_rng(0)
        label = (rng.random(self.n) < self.prevalence).astype(np.int64)
        score: Floats = rng.normal(size=self.n)
        score += 1.5 * label
        score = 1 / (1 + np.exp(1.5 - 2 * score))
        return label, score.round(3) if self.ties else score

    @property
    def cells(self) -> list[str]:
        """How tables name it."""
        return [f"{self.n:,}", f"{self.prevalence:g}", "three decimals" if self.ties else "none"]

    def __str__(self) -> str:
        return ", ".join(self.cells)
