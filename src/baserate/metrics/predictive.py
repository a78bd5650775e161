"""Metrics of predictions at a prevalence: precision, NPV, F-beta and others."""

from baserate import checks
from baserate.curves.reading import Reading
from baserate.errors import Reason
from baserate.formulas import pointwise
from baserate.formulas.pointwise import N
from baserate.metrics.definition import metric
from baserate.registry import CellRatio, DependsOn, Family, Traits


@metric(
    label="Precision",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=True,
    undefined=Reason.NO_ALERTS,
    traits=Traits(depends_on=DependsOn.LR_POSITIVE, one_way=True, cells=lambda: CellRatio((1, 0, 0, 0), (1, 0, 1, 0))),
)
def precision(at: Reading[N], /) -> N:
    r"""Share of the alerts that are right: positive predictive value.

    .. math:: \frac{\eta T}{\eta T + (1 - \eta) F}, \qquad
              \operatorname{logit} = \operatorname{logit} \eta + \log (T / F)

    From 0 to 1, higher is better; equals the prevalence for a classifier that ignores the case. nan where
    there are no alerts: no value is invented at recall 0.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    References
    ----------
    Siblini et al., Master Your Metrics with Calibration, IDA 2020, eq. 5. doi:10.1007/978-3-030-44584-3_36.
    Brabec et al., On Model Evaluation under Non-constant Class Imbalance, ICCS 2020, eq. 4.
    doi:10.1007/978-3-030-50423-6_6.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.5, fpr=0.01)
    >>> [round(br.precision(point.at_prevalence(p)), 4) for p in (0.5, 0.01, 0.001)]
    [0.9804, 0.3356, 0.0477]
    """
    return pointwise.precision(at.confusion_as_read)


@metric(
    label="NPV",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=True,
    undefined=Reason.NO_REJECTIONS,
    traits=Traits(depends_on=DependsOn.LR_NEGATIVE, one_way=True, cells=lambda: CellRatio((0, 0, 0, 1), (0, 1, 0, 1))),
)
def npv(at: Reading[N], /) -> N:
    r"""Share of the cases without an alert that are negative: negative predictive value.

    .. math:: \frac{(1 - \eta)(1 - F)}{(1 - \eta)(1 - F) + \eta (1 - T)}

    From 0 to 1, higher is better. nan where everything raises an alert.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> round(br.npv(br.Point.from_rates(tpr=0.5, fpr=0.01, prevalence=0.1)), 4)
    0.9469
    """
    return pointwise.npv(at.confusion_as_read)


@metric(
    label="F-beta",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=True,
    examples=({"beta": 0.5}, {"beta": 2.0}),
    traits=Traits(
        depends_on=DependsOn.F_BETA,
        one_way=True,
        cells=lambda beta: CellRatio((1 + beta**2, 0, 0, 0), (1 + beta**2, beta**2, 1, 0)),
    ),
)
def f_beta(at: Reading[N], /, *, beta: float) -> N:
    r"""Weighted harmonic mean of precision and recall.

    .. math:: \frac{(1 + \beta^2) T}{T + \beta^2 + x F}, \qquad x = (1 - \eta) / \eta

    From 0 to 1, higher is better. 0 where nothing is found, alerts or not.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.
    beta : float
        How many times as important recall is as precision.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.6, fpr=0.001, prevalence=0.001)
    >>> round(br.f_beta(point, beta=2), 4)
    0.5358
    """
    return pointwise.f_beta(at.confusion_as_read, checks.positive_number(beta, "beta"))


@metric(
    label="F1",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=True,
    traits=Traits(depends_on=DependsOn.F_BETA, one_way=True, cells=lambda: CellRatio((2, 0, 0, 0), (2, 1, 1, 0))),
)
def f1(at: Reading[N], /) -> N:
    r"""Harmonic mean of precision and recall.

    .. math:: \frac{2 T}{T + 1 + x F}, \qquad x = (1 - \eta) / \eta

    From 0 to 1, higher is better. 0 where nothing is found, alerts or not.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    References
    ----------
    Siblini et al., Master Your Metrics with Calibration, IDA 2020. doi:10.1007/978-3-030-44584-3_36.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.6, fpr=0.001)
    >>> [round(br.f1(point.at_prevalence(p)), 4) for p in (0.5, 0.001)]
    [0.7495, 0.4617]
    """
    return pointwise.f_beta(at.confusion_as_read, 1.0)


@metric(
    label="Accuracy",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=True,
    traits=Traits(cells=lambda: CellRatio((1, 0, 0, 1), (1, 1, 1, 1))),
)
def accuracy(at: Reading[N], /) -> N:
    r"""Share of the cases that are predicted rightly.

    .. math:: \eta T + (1 - \eta)(1 - F)

    From 0 to 1, higher is better, and hardly informative at a small prevalence, where silence has an
    accuracy of ``1 - prevalence``.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> round(br.accuracy(br.Point.from_rates(tpr=0, fpr=0, prevalence=0.001)), 4)
    0.999
    """
    return pointwise.accuracy(at.confusion_as_read)


@metric(
    label="MCC",
    family=Family.POINTWISE,
    bounds=(-1, 1),
    higher_is_better=True,
    undefined=Reason.ONE_PREDICTION,
)
def mcc(at: Reading[N], /) -> N:
    r"""Matthews correlation of label and prediction.

    .. math:: \frac{(T - F)\sqrt{\eta (1 - \eta)}}{\sqrt{a (1 - a)}}, \qquad a = \eta T + (1 - \eta) F

    From -1 to 1, 0 for a classifier that ignores the case, higher is better. nan where every case gets the
    same prediction.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.6, fpr=0.001)
    >>> [round(br.mcc(point.at_prevalence(p)), 4) for p in (0.5, 0.001)]
    [0.6533, 0.4738]
    """
    counted = at.confusion
    return pointwise.mcc(at._as_read(counted), pointwise.youden_j(counted))


@metric(label="Cohen's kappa", family=Family.POINTWISE, bounds=(-1, 1), higher_is_better=True)
def kappa(at: Reading[N], /) -> N:
    r"""Cohen's kappa: agreement of label and prediction in excess of chance.

    .. math:: \frac{2 \eta (1 - \eta)(T - F)}{(1 - \eta) a + \eta (1 - a)}, \qquad a = \eta T + (1 - \eta) F

    From -1 to 1, 0 for a classifier that ignores the case, higher is better.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.6, fpr=0.001)
    >>> [round(br.kappa(point.at_prevalence(p)), 4) for p in (0.5, 0.001)]
    [0.599, 0.4611]
    """
    counted = at.confusion
    return pointwise.kappa(at._as_read(counted), pointwise.youden_j(counted))


@metric(
    label="Alert rate",
    family=Family.POINTWISE,
    bounds=(0, 1),
    higher_is_better=None,
    traits=Traits(cells=lambda: CellRatio((1, 0, 1, 0), (1, 1, 1, 1))),
)
def alert_rate(at: Reading[N], /) -> N:
    r"""Share of the cases that raise an alert.

    .. math:: \eta T + (1 - \eta) F

    From 0 to 1; neither direction is better. Times the traffic, it is the number of alerts to work through.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> round(br.alert_rate(br.Point.from_rates(tpr=0.6, fpr=0.001, prevalence=0.001)), 6)
    0.001599
    """
    return pointwise.alert_rate(at.confusion_as_read)


@metric(
    label="Lift",
    family=Family.POINTWISE,
    bounds=(0, float("inf")),
    higher_is_better=True,
    undefined=Reason.NO_ALERTS,
    traits=Traits(depends_on=DependsOn.LR_POSITIVE),
)
def lift(at: Reading[N], /) -> N:
    r"""How many times richer in positives the alerts are than all cases.

    .. math:: \text{precision} / \eta

    From 0 to ``1 / prevalence``, 1 for a classifier that ignores the case, higher is better. nan where there
    are no alerts.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.6, fpr=0.001)
    >>> [round(br.lift(point.at_prevalence(p)), 2) for p in (0.5, 0.001)]
    [2.0, 375.23]
    """
    return pointwise.lift(at.confusion_as_read)
