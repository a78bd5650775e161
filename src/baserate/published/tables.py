"""The confusion matrices that agree with printed numbers: whole ones if the class sizes are known, else shares."""

from collections.abc import Sequence
from fractions import Fraction

from baserate.formulas.shares_of_tables import Vector, between, dot, extremes, vertices, whole
from baserate.formulas.whole_tables import WholeTables, whole_tables
from baserate.published.numbers import Printed
from baserate.registry import CellRatio

# With more positives than this, tables are no longer enumerated; whole numbers hardly matter then.
_MOST_POSITIVES = 2_000_000

_BOTH_CLASSES: tuple[Vector, ...] = ((1, 1, 0, 0), (0, 0, 1, 1))


class Agreeing:
    """The tables that agree with printed numbers.

    Parameters
    ----------
    printed : sequence of Printed
        The numbers; areas among them are ignored.
    sizes : (int, int) or None
        Positives and negatives of the test set, if they are known.
    """

    def __init__(self, printed: Sequence[Printed], sizes: tuple[int, int] | None) -> None:
        ratios = [(one, one.cells) for one in printed if one.cells is not None]
        limits = [c for one, cells in ratios for c in between(*cells, one.low, one.high)]
        positive = [whole(map(Fraction, cells.denominator)) for _, cells in ratios]
        self._whole: WholeTables | None = None
        self._corners: list[Vector] = []
        if sizes is not None and sizes[0] <= _MOST_POSITIVES:
            self._whole = whole_tables(limits, positive, *sizes)
            self.possible = bool(self._whole.tp.size)
            return
        if sizes is not None:
            share = Fraction(sizes[0], sum(sizes))
            limits += between((1, 1, 0, 0), (1, 1, 1, 1), share, share)
        self._corners = vertices(limits)
        # The sum of the vertices is a table with every denominator above 0, if there is one for each.
        wanted = [*positive, *_BOTH_CLASSES]
        self.possible = all(any(dot(sums, corner) > 0 for corner in self._corners) for sums in wanted)

    def extremes(self, cells: CellRatio, prevalence: float | None = None) -> tuple[float, float]:
        """The lowest and the highest value of a ratio over these tables, at a prevalence or at their own."""
        if self._whole is not None:
            return self._whole.extremes(*cells, prevalence)
        return extremes(self._corners, *cells, prevalence)
