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
        The class of each column. By default the column names of a frame, if they are the classes; otherwise the sorted
        labels of `y_true`, as in scikit-learn.
    prevalences : mapping, optional
        The prevalence of each class; by default that of the data. They need not add up to 1, because each curve is
        separate.
    weight : column, optional
        A weight per row.

    Examples
    --------
    >>> import baserate as br
    >>> scores = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.5, 0.4, 0.1]]
    >>> curves = br.one_vs_rest(["cat", "dog", "eel", "dog"], scores, prevalences={"eel": 0.001})
    >>> curves["dog"]
    Curve(2 pos, 2 neg, prevalence 1 in 2)
    >>> curves["eel"]
    Curve(1 pos, 3 neg, read at prevalence 1 in 1,000, own 1 in 4)
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
    """The given classes, or all labels in the order of scikit-learn's columns."""
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
    """The classes in the order of the columns of a frame that are named like them; otherwise as given."""
    by_text = {str(name): name for name in names}
    known = [column for column in column_names if column in by_text]
    if known and len(known) < len(column_names):
        raise InputError(
            f"the columns of y_score must be named like all classes or like none, got {column_names} for "
            f"the classes {names}; rename them or pass classes= in their order."
        )
    return [by_text[column] for column in column_names] if known else names


def _refuse_unknown(unknown: set[Label], where: str, names: list[Label]) -> None:
    if unknown:
        listed = ", ".join(repr(name) for name in sorted(unknown, key=str))
        hint = checks.did_you_mean(str(min(unknown, key=str)), [str(name) for name in names])
        raise InputError(f"{where} must hold only the classes {names}, got {listed} too; {hint or 'add its column'}.")
