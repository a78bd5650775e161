"""Models on the same rows, with the scores of each row, which the curves alone do not have."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from baserate import checks
from baserate.arrays import ArrayLike, BoolArray, FloatArray, Prevalence
from baserate.checks import Label
from baserate.curves import rows
from baserate.curves.curve import Curve
from baserate.curves.sampling import counted_by_stratum, design_from
from baserate.errors import InputError, printable, shown


@dataclass(frozen=True, eq=False, repr=False)
class SameRows:
    """Models on the same rows, all read at the same prevalence."""

    curves: tuple[Curve, ...]
    names: tuple[str, ...]
    _positive: BoolArray
    _scores: tuple[FloatArray, ...]
    _strata: tuple[str, ...] | None = None  # the stratum of each row, where only some were sampled for labelling

    @property
    def positive(self) -> BoolArray:
        """Which rows are positive."""
        self.curves[0]._check_not_sampled("this comparison")
        return self._positive

    @property
    def scores(self) -> tuple[FloatArray, ...]:
        """The scores of each model, row by row."""
        self.curves[0]._check_not_sampled("this comparison")
        return self._scores

    def at_prevalence(self, prevalence: Prevalence) -> Self:
        """Read both models at another prevalence: a share, or a text such as "1 in 1,000" or "1:999".

        Examples
        --------
        >>> import baserate as br
        >>> br.Pair.from_scores([0, 1], [0.1, 0.8], [0.3, 0.2]).at_prevalence(0.01).a.prevalence
        0.01
        """
        return replace(self, curves=tuple(curve.at_prevalence(prevalence) for curve in self.curves))

    def _only(self, *which: int) -> "SameRows":
        """Some of the models, by number."""
        curves, names = tuple(self.curves[k] for k in which), tuple(self.names[k] for k in which)
        return SameRows(curves, names, self._positive, tuple(self._scores[k] for k in which))

    def __repr__(self) -> str:
        *others, last = self.names
        return printable(f"{type(self).__name__}({', '.join(others)} and {last}, {self.curves[0]._sizes()})")


class Pair(SameRows):
    """Two models on the same rows.

    Two separate curves do not show whether both models are right on the same rows, which a comparison needs. Both
    models are read at the same prevalence.

    Attributes
    ----------
    a, b : Curve
        The curves of the two models.
    names : pair of str
        Their names.

    Examples
    --------
    >>> import baserate as br
    >>> pair = br.Pair.from_scores([0, 1, 0, 1], [0.1, 0.8, 0.4, 0.3], [0.2, 0.9, 0.1, 0.7], names=("old", "new"))
    >>> pair
    Pair(old and new, 2 pos, 2 neg, prevalence 1 in 2)
    >>> br.average_precision(pair.b) - br.average_precision(pair.a) > 0
    True
    """

    names: tuple[str, str]

    @classmethod
    @checks.declared
    def from_scores(
        cls,
        y_true: ArrayLike,
        score_a: ArrayLike,
        score_b: ArrayLike,
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
            Names of the models.
        positive : label, optional
            Which label is the positive one.
        """
        if not isinstance(names, tuple | list) or len(names) != 2 or str(names[0]) == str(names[1]):
            raise InputError(
                f"names must be two different names, got {shown(names)}; pass names=('old', 'new') for example."
            )
        columns = _columns(y_true, {"score_a": score_a, "score_b": score_b}, positive)
        return cls(_curves(*columns), (str(names[0]), str(names[1])), *columns)

    @classmethod
    @checks.declared
    def from_sampled(
        cls,
        label: ArrayLike,
        score_a: ArrayLike,
        score_b: ArrayLike,
        *,
        stratum: ArrayLike | None = None,
        inclusion: ArrayLike | None = None,
        names: tuple[str, str] = ("a", "b"),
        positive: Label | None = None,
    ) -> "Pair":
        """Count rows that two models have scored, of which only some were sampled for labelling.

        Parameters
        ----------
        label, score_a, score_b : column
            Of all scored rows. A label is missing (None or nan) where it is unknown.
        stratum, inclusion : column
            How rows were sampled, as for ``Curve.from_sampled``.
        names, positive
            As for `from_scores`.

        Examples
        --------
        >>> import baserate as br
        >>> label, old, new = [1, 0, None, 1, None], [0.9, 0.8, 0.3, 0.2, 0.1], [0.9, 0.1, 0.7, 0.8, 0.1]
        >>> br.Pair.from_sampled(label, old, new, inclusion=[1, 1, 0.4, 0.4, 0.4], names=("old", "new"))
        Pair(old and new, 4 pos, 1 neg, prevalence 80 %)
        """
        known, labels = checks.present(label, "label")
        scores = tuple(checks.numbers(score, name) for score, name in ((score_a, "score_a"), (score_b, "score_b")))
        for score, name in zip(scores, ("score_a", "score_b"), strict=True):
            checks.same_length(known, "label", score, name)
        is_positive = checks.labels(labels, positive, "label")
        design = design_from(scores[0], stratum=stratum, rule=None, inclusion=inclusion)
        curves = tuple(Curve._of_strata(counted_by_stratum(design, score, known, is_positive)) for score in scores)
        labelled = Pair.from_scores(is_positive, *(score[known] for score in scores), names=names)
        if not curves[0].sampled:
            return labelled
        strata = tuple(design.names[k] for k in design.of_row[known].tolist())
        return replace(labelled, curves=curves, _strata=strata)

    @property
    def a(self) -> Curve:
        """The curve of the first model."""
        return self.curves[0]

    @property
    def b(self) -> Curve:
        """The curve of the second model."""
        return self.curves[1]


class Models(SameRows):
    """Two models or more on the same rows, as `ranking` compares them.

    Attributes
    ----------
    curves : tuple of Curve
        The curves of the models.
    names : tuple of str
        Their names.

    Examples
    --------
    >>> import baserate as br
    >>> y = [0, 1, 0, 1]
    >>> br.Models.from_scores(y, {"old": [1, 8, 4, 3], "new": [2, 9, 1, 7], "simple": [0, 1, 1, 1]})
    Models(old, new and simple, 2 pos, 2 neg, prevalence 1 in 2)
    """

    @classmethod
    @checks.declared
    def from_scores(
        cls, y_true: ArrayLike, scores: Mapping[str, ArrayLike], *, positive: Label | None = None
    ) -> "Models":
        """Count rows that several models have scored.

        Parameters
        ----------
        y_true : column
            Labels, as for ``Curve.from_scores``.
        scores : mapping of str to column
            The scores of each model by its name; they need not be on the same scale.
        positive : label, optional
            Which label is the positive one.
        """
        if not isinstance(scores, Mapping) or len(scores) < 2:
            raise InputError(
                f"scores must be a mapping of two names or more to columns, got {shown(scores)}; pass "
                f"{{'old': old_scores, 'new': new_scores}} for example."
            )
        named = {str(name): score for name, score in scores.items()}
        if len(named) < len(scores):
            raise InputError(f"models must have different names, got {list(scores)}; rename one.")
        columns = _columns(y_true, named, positive)
        return cls(_curves(*columns), tuple(named), *columns)


def _columns(
    y_true: ArrayLike, scores: Mapping[str, object], positive: Label | None
) -> tuple[BoolArray, tuple[FloatArray, ...]]:
    """Checked labels and scores, as read-only arrays."""
    is_positive = checks.labels(y_true, positive).copy()
    columns = tuple(checks.numbers(score, name).copy() for name, score in scores.items())
    for score, name in zip(columns, scores, strict=True):
        checks.same_length(is_positive, "y_true", score, name)
    for column in (is_positive, *columns):
        column.setflags(write=False)
    return is_positive, columns


def _curves(is_positive: BoolArray, scores: tuple[FloatArray, ...]) -> tuple[Curve, ...]:
    return tuple(Curve._of(rows.counted_or_split(score, is_positive)) for score in scores)
