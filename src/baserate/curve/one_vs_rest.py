"""Many classes: one curve for each class against all others."""

from collections.abc import Mapping, Sequence

import numpy as np

from baserate import checks
from baserate.checks import Label
from baserate.curve.curve import Curve
from baserate.errors import InputError


def one_vs_rest(
    y_true: object,
    y_score: object,
    *,
    classes: Sequence[Label] | None = None,
    prevalences: Mapping[Label, float | str] | None = None,
    weight: object = None,
) -> dict[Label, Curve]:
    """One curve per class, that class against all others.

    Parameters
    ----------
    y_true : column
        Labels of any number of classes.
    y_score : matrix
        One column of scores per class.
    classes : sequence of labels, optional
        The class of each column. The sorted labels of `y_true` if not given, as scikit-learn orders them.
    prevalences : mapping, optional
        The prevalence to read a class at; classes left out are read at their own. They need not add up to
        one: each curve is a question of its own.
    weight : column, optional
        A weight per row.

    Examples
    --------
    >>> import baserate as br
    >>> scores = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.5, 0.4, 0.1]]
    >>> curves = br.one_vs_rest(["cat", "dog", "eel", "dog"], scores, prevalences={"eel": 0.001})
    >>> curves["dog"]
    Curve(2 pos, 2 neg, prevalence=0.5)
    >>> curves["eel"]
    Curve(1 pos, 3 neg, read at prevalence=0.001, own 0.25)
    """
    labels = checks.column(y_true, "y_true")
    matrix = checks.matrix(y_score, "y_score", len(labels))
    names: list[Label] = list(classes) if classes is not None else np.unique(labels).tolist()
    if len(names) != matrix.shape[1] or len(set(names)) != len(names):
        raise InputError(
            f"classes must name each column of y_score once, got {len(names)} classes for {matrix.shape[1]} columns; "
            f"pass classes= in the order of the columns."
        )
    _refuse_unknown(set(labels.tolist()) - set(names), "y_true", names)
    _refuse_unknown(set(prevalences or {}) - set(names), "prevalences", names)
    curves = {
        name: Curve.from_scores(labels == name, matrix[:, place], weight=weight) for place, name in enumerate(names)
    }
    for name, prevalence in (prevalences or {}).items():
        curves[name] = curves[name].at_prevalence(prevalence)
    return curves


def _refuse_unknown(unknown: set[Label], where: str, names: list[Label]) -> None:
    if unknown:
        listed = ", ".join(repr(name) for name in sorted(unknown, key=str))
        hint = checks.did_you_mean(str(min(unknown, key=str)), [str(name) for name in names])
        raise InputError(f"{where} must hold only the classes {names}, got {listed} too; {hint or 'add its column'}.")
