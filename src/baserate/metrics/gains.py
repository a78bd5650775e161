"""Precision and recall relative to chance or to the worst classifier."""

from baserate import checks
from baserate.curves.reading import Reading
from baserate.errors import Reason
from baserate.formulas import pointwise
from baserate.formulas.pointwise import N
from baserate.metrics.definition import metric
from baserate.registry import DependsOn, Family, Traits


@metric(
    label="Precision gain",
    family=Family.POINTWISE,
    bounds=(-float("inf"), 1),
    higher_is_better=True,
    undefined=Reason.NO_ALERTS,
    traits=Traits(depends_on=DependsOn.LR_POSITIVE, one_way=True),
)
def precision_gain(at: Reading[N], /) -> N:
    r"""Precision on the harmonic scale from chance (0) to perfect (1).

    .. math:: \frac{\text{precision} - \eta}{(1 - \eta)\,\text{precision}} = 1 - F / T

    At most 1, 0 at chance, negative below it, higher is better. Does not depend on the prevalence. nan where
    there are no alerts.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    References
    ----------
    Flach & Kull, Precision-Recall-Gain Curves, NeurIPS 2015.

    Examples
    --------
    >>> import baserate as br
    >>> br.precision_gain(br.Point.from_rates(tpr=0.5, fpr=0.125))
    0.75
    """
    return pointwise.precision_gain(at.confusion)


@metric(
    label="Recall gain",
    family=Family.POINTWISE,
    bounds=(-float("inf"), 1),
    higher_is_better=True,
    traits=Traits(depends_on=DependsOn.TPR, one_way=True),
)
def recall_gain(at: Reading[N], /) -> N:
    r"""Recall on the harmonic scale from the prevalence (0) to 1.

    .. math:: \frac{T - \eta}{(1 - \eta) T} = 1 - \frac{\eta}{1 - \eta} \frac{1 - T}{T}

    At most 1, 0 at recall = prevalence, minus infinity at recall 0, higher is better.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    References
    ----------
    Flach & Kull, Precision-Recall-Gain Curves, NeurIPS 2015.

    Examples
    --------
    >>> import baserate as br
    >>> br.recall_gain(br.Point.from_counts(tp=4, fp=1, fn=1, tn=4))
    0.75
    """
    return pointwise.recall_gain(at.confusion, at.exact_weight)


@metric(
    label="Modified F-beta",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=True,
    undefined=Reason.NO_ALERTS,
    examples=({"beta": 0.5}, {"beta": 2.0}),
    traits=Traits(difference=True),
)
def modified_f_beta(at: Reading[N], /, *, beta: float) -> N:
    r"""F-beta of recall and of the precision in excess of chance.

    .. math:: \frac{(1 + \beta^2)\,p\,T}{\beta^2 p + T}, \qquad
              p = \max\left(0, \frac{\text{precision} - \eta}{1 - \eta}\right)

    From 0 (chance and below) to 1, higher is better. nan where there are no alerts.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.
    beta : float
        How many times as important recall is as precision.

    References
    ----------
    Boyd et al., Unachievable Region in Precision-Recall Space, ICML 2012, section 4.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.6, fpr=0.2, prevalence=0.5)
    >>> round(br.modified_f_beta(point, beta=2), 4)
    0.5769
    """
    return _modified_f_beta(at, checks.positive_number(beta, "beta"))


@metric(
    label="Modified F1",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=True,
    undefined=Reason.NO_ALERTS,
    traits=Traits(difference=True),
)
def modified_f1(at: Reading[N], /) -> N:
    r"""Harmonic mean of recall and of the precision in excess of chance.

    .. math:: \frac{2\,p\,T}{p + T}, \qquad p = \max\left(0, \frac{\text{precision} - \eta}{1 - \eta}\right)

    From 0 (chance and below) to 1, higher is better. nan where there are no alerts. Predicting everything
    positive, which has an F1 of ``2 eta / (1 + eta)``, gets 0 here.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    References
    ----------
    Boyd et al., Unachievable Region in Precision-Recall Space, ICML 2012, section 4.

    Examples
    --------
    >>> import baserate as br
    >>> round(br.modified_f1(br.Point.from_rates(tpr=0.6, fpr=0.2, prevalence=0.5)), 4)
    0.5455
    """
    return _modified_f_beta(at, 1.0)


def _modified_f_beta(at: Reading[N], beta: float) -> N:
    counted = at.confusion
    return pointwise.modified_f_beta(at._as_read(counted), pointwise.youden_j(counted), beta)


@metric(
    label="Minimum precision",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=None,
    traits=Traits(depends_on=DependsOn.TPR),
)
def min_precision(at: Reading[N], /) -> N:
    r"""The lowest precision any classifier can have at this recall: the edge of the unachievable region.

    .. math:: \frac{\eta T}{1 - \eta + \eta T}

    From 0 to the prevalence. On a Curve this is the minimum PR curve at the recalls of its thresholds.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    References
    ----------
    Boyd et al., Unachievable Region in Precision-Recall Space, ICML 2012, theorem 1.

    Examples
    --------
    >>> import baserate as br
    >>> br.min_precision(br.Point.from_counts(tp=50, fp=20, fn=50, tn=180))
    0.2
    """
    return pointwise.min_precision(at.confusion_as_read)


@metric(
    label="Chance precision",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=None,
    traits=Traits(depends_on=DependsOn.NOTHING, one_way=True),
)
def chance_precision(at: Reading[N], /) -> N:
    r"""The expected precision of a random order, which is the prevalence at every recall.

    .. math:: \eta

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> br.chance_precision(br.Point.from_counts(tp=50, fp=20, fn=50, tn=180))
    0.3333333333333333
    """
    return pointwise.chance_precision(at.confusion_as_read)
