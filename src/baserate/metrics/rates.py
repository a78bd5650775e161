"""Metrics that do not depend on the prevalence: rates, and functions of them."""

from baserate.curves.reading import Reading
from baserate.errors import Reason
from baserate.formulas import pointwise
from baserate.formulas.pointwise import N
from baserate.metrics.definition import metric
from baserate.registry import CellRatio, DependsOn, Family, Traits


@metric(
    label="Recall",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=True,
    of_one_class=True,
    traits=Traits(depends_on=DependsOn.TPR, one_way=True, cells=lambda: CellRatio((1, 0, 0, 0), (1, 1, 0, 0))),
)
def recall(at: Reading[N], /) -> N:
    r"""Share of the positives that raise an alert: TPR, sensitivity.

    .. math:: T = TP / (TP + FN)

    From 0 to 1, higher is better. Does not depend on the prevalence.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> br.recall(br.Point.from_counts(tp=3, fp=1, fn=1, tn=5))
    0.75
    """
    return at.tpr


@metric(
    label="Specificity",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=True,
    of_one_class=True,
    traits=Traits(depends_on=DependsOn.FPR, one_way=True, cells=lambda: CellRatio((0, 0, 0, 1), (0, 0, 1, 1))),
)
def specificity(at: Reading[N], /) -> N:
    r"""Share of the negatives that raise no alert: TNR, ``1 - FPR``.

    .. math:: 1 - F = TN / (TN + FP)

    From 0 to 1, higher is better. Does not depend on the prevalence.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> br.specificity(br.Point.from_counts(tp=3, fp=1, fn=1, tn=3))
    0.75
    """
    return at.tnr


@metric(
    label="Balanced accuracy",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=True,
    traits=Traits(one_way=True),
)
def balanced_accuracy(at: Reading[N], /) -> N:
    r"""Mean of recall and specificity.

    .. math:: (T + 1 - F) / 2

    From 0 to 1, 0.5 for a classifier that ignores the case, higher is better. Does not depend on the
    prevalence: it is the accuracy read at 0.5.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> br.balanced_accuracy(br.Point.from_rates(tpr=0.5, fpr=0.25))
    0.625
    """
    return (at.tpr + at.tnr) / 2


@metric(
    label="Youden's J",
    family=Family.POINTWISE,
    bounds=(-1, 1),
    higher_is_better=True,
    traits=Traits(one_way=True),
)
def youden_j(at: Reading[N], /) -> N:
    r"""Recall minus the false positive rate.

    .. math:: J = T - F

    From -1 to 1, 0 for a classifier that ignores the case, higher is better. Does not depend on the
    prevalence.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    References
    ----------
    Youden, Index for rating diagnostic tests, Cancer 3 (1950).

    Examples
    --------
    >>> import baserate as br
    >>> br.youden_j(br.Point.from_rates(tpr=0.5, fpr=0.25))
    0.25
    """
    return pointwise.youden_j(at.confusion)


@metric(
    label="LR+",
    family=Family.POINTWISE,
    bounds=(0, float("inf")),
    higher_is_better=True,
    undefined=Reason.NO_ALERTS,
    traits=Traits(depends_on=DependsOn.LR_POSITIVE, one_way=True),
)
def lr_positive(at: Reading[N], /) -> N:
    r"""How many times an alert multiplies the odds of being positive.

    .. math:: LR_+ = T / F

    From 0 to infinity, 1 for a classifier that ignores the case, higher is better. Infinite where no
    negative raises an alert, nan where nothing does. Does not depend on the prevalence; precision does,
    through ``odds(precision) = LR+ * odds(prevalence)``.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> br.lr_positive(br.Point.from_rates(tpr=0.5, fpr=0.25))
    2.0
    """
    return pointwise.lr_positive(at.rates)


@metric(
    label="LR-",
    family=Family.POINTWISE,
    bounds=(0, float("inf")),
    higher_is_better=False,
    undefined=Reason.NO_REJECTIONS,
    traits=Traits(depends_on=DependsOn.LR_NEGATIVE, one_way=True),
)
def lr_negative(at: Reading[N], /) -> N:
    r"""How many times the absence of an alert multiplies the odds of being positive.

    .. math:: LR_- = (1 - T) / (1 - F)

    From 0 to infinity, 1 for a classifier that ignores the case, lower is better. nan where everything
    raises an alert. Does not depend on the prevalence.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> br.lr_negative(br.Point.from_rates(tpr=0.5, fpr=0.5))
    1.0
    """
    return pointwise.lr_negative(at.rates)
