"""Two models on the same rows, kept together: what their curves alone have lost."""

from dataclasses import dataclass, replace

from baserate import checks
from baserate.arrays import BoolArray, FloatArray
from baserate.checks import Label
from baserate.curves.counting import count_rows
from baserate.curves.curve import Curve
from baserate.errors import InputError


@dataclass(frozen=True, eq=False, repr=False)
class Pair:
    """Two models on the same rows.

    Two curves tell what each model is worth, but not whether they are right on the same rows; a comparison needs to
    know that. Both are read at the same prevalence.

    Attributes
    ----------
    a, b : Curve
        The curves of the two models.
    names : pair of str
        What to call them.

    Examples
    --------
    >>> import baserate as br
    >>> pair = br.Pair.from_scores([0, 1, 0, 1], [0.1, 0.8, 0.4, 0.3], [0.2, 0.9, 0.1, 0.7], names=("old", "new"))
    >>> pair
    Pair(old and new, 2 pos, 2 neg, prevalence=0.5)
    >>> br.average_precision(pair.b) - br.average_precision(pair.a) > 0
    True
    """

    a: Curve
    b: Curve
    names: tuple[str, str]
    _positive: BoolArray
    _scores: tuple[FloatArray, FloatArray]

    @classmethod
    def from_scores(
        cls,
        y_true: object,
        score_a: object,
        score_b: object,
        *,
        names: tuple[str, str] = ("a", "b"),
        positive: Label | None = None,
    ) -> "Pair":
        """Count rows that two models have scored.

        Parameters
        ----------
        y_true : column
            Labels, as for ``Curve.from_scores``.
        score_a, score_b : column
            The scores of the two models; they need not be on the same scale.
        names : pair of str
            What to call the models.
        positive : label, optional
            Which label is the positive one.
        """
        if not isinstance(names, tuple | list) or len(names) != 2 or str(names[0]) == str(names[1]):
            raise InputError(
                f"names must be two different names, got {names!r}; pass names=('old', 'new') for example."
            )
        is_positive = checks.labels(y_true, positive).copy()
        scores = checks.numbers(score_a, "score_a").copy(), checks.numbers(score_b, "score_b").copy()
        for score, name in zip(scores, ("score_a", "score_b"), strict=True):
            checks.same_length(is_positive, "y_true", score, name)
        for column in (is_positive, *scores):  # like a curve, a pair never changes
            column.setflags(write=False)
        a, b = (Curve._of(count_rows(score, is_positive)) for score in scores)
        return cls(a, b, (str(names[0]), str(names[1])), is_positive, scores)

    @property
    def positive(self) -> BoolArray:
        """Which rows are positive."""
        return self._positive

    @property
    def scores(self) -> tuple[FloatArray, FloatArray]:
        """The scores of each model, row by row."""
        return self._scores

    def at_prevalence(self, prevalence: float | str) -> "Pair":
        """The same rows read at another prevalence: a share, or odds such as "1:1000".

        Examples
        --------
        >>> import baserate as br
        >>> br.Pair.from_scores([0, 1], [0.1, 0.8], [0.3, 0.2]).at_prevalence(0.01).a.prevalence
        0.01
        """
        return replace(self, a=self.a.at_prevalence(prevalence), b=self.b.at_prevalence(prevalence))

    def __repr__(self) -> str:
        return f"Pair({' and '.join(self.names)}, {self.a._sizes()})"
