"""Many classes: one curve for each class against all others."""

from collections.abc import Mapping, Sequence

from baserate import checks
from baserate.arrays import ArrayLike, Prevalence
from baserate.checks import Label
from baserate.curves.curve import Curve
from baserate.errors import InputError


@checks.declared
def one_vs_rest(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    classes: Sequence[Label] | None = None,
    prevalences: Mapping[Label, Prevalence] | None = None,
    weight: ArrayLike | None = None,
) -> dict[Label, Curve]:
    """One curve per class, that class against all others.

    Parameters
    ----------
    y_true : column
        Labels of any number of classes.
    y_score : matrix or frame
        One column of scores per class.
    classes : sequence of labels, optional
        The class of each column. If not given, a frame's column names say it where they are the classes; otherwise
        it is the sorted labels of `y_true`, as scikit-learn orders them.
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
    column_names, columns = checks.matrix(y_score, "y_score", len(labels))
    names = _classes(labels.tolist(), classes)
    if len(names) != len(columns):
        raise InputError(
            f"classes must name each column of y_score once, got {len(names)} classes for {len(columns)} columns; "
            f"pass classes= in the order of the columns."
        )
    _refuse_unknown(set(labels.tolist()) - set(names), "y_true", names)
    _refuse_unknown(set(prevalences or {}) - set(names), "prevalences", names)
    if classes is None and column_names is not None:
        names = _in_order_of_columns(names, column_names)
    curves = {
        name: Curve.from_scores(labels == name, column, weight=weight)
        for name, column in zip(names, columns, strict=True)
    }
    for name, prevalence in (prevalences or {}).items():
        curves[name] = curves[name].at_prevalence(prevalence)
    return curves


def _classes(labels: list[Label], classes: Sequence[Label] | None) -> list[Label]:
    """The classes given, or all labels in the order in which scikit-learn has their columns."""
    try:
        names = sorted(set(labels)) if classes is None else list(classes)
        repeated = len(set(names)) != len(names)
    except TypeError:
        raise InputError(
            "y_true and classes must hold labels of one kind, numbers or text, got something else; convert them first."
        ) from None
    if repeated:
        raise InputError(f"classes must name each class once, got {names}; drop the repetition.")
    return names


def _in_order_of_columns(names: list[Label], column_names: list[str]) -> list[Label]:
    """A frame whose columns are named like the classes says itself which is which."""
    by_text = {str(name): name for name in names}
    known = [column for column in column_names if column in by_text]
    if known and len(known) < len(column_names):
        raise InputError(
            f"the columns of y_score must be named like the classes or not at all like them, got {column_names} for "
            f"the classes {names}; rename them or pass classes= in their order."
        )
    return [by_text[column] for column in column_names] if known else names


def _refuse_unknown(unknown: set[Label], where: str, names: list[Label]) -> None:
    if unknown:
        listed = ", ".join(repr(name) for name in sorted(unknown, key=str))
        hint = checks.did_you_mean(str(min(unknown, key=str)), [str(name) for name in names])
        raise InputError(f"{where} must hold only the classes {names}, got {listed} too; {hint or 'add its column'}.")
