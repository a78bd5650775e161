"""One family of metrics: the share of the value that is left after the costs of mistakes and of alerts."""

import numpy as np

from baserate import checks
from baserate.curves.reading import Reading
from baserate.errors import InputError
from baserate.formulas.pointwise import N
from baserate.metrics.definition import check_reading
from baserate.registry import CellRatio


@checks.declared
def share_of_value(
    at: Reading[N],
    *,
    cost_fp: float = 0.0,
    cost_fn: float = 0.0,
    cost_alert: float = 0.0,
    worth_tp: float = 1.0,
    worth_tn: float = 0.0,
) -> N:
    r"""Value over value and cost, in which common metrics are corners.

    .. math:: \frac{V}{V + C}, \qquad V = w_{TP}\,TP + w_{TN}\,TN, \qquad
              C = c_{FP}\,FP + c_{FN}\,FN + c_A\,(TP + FP)

    With :math:`w_{TP} = 1` alone: recall is :math:`c_{FN} = 1`, precision :math:`c_{FP} = 1`, F1 one half of each,
    :math:`F_\beta` :math:`c_{FP} = 1/(1 + \beta^2)` and :math:`c_{FN} = \beta^2/(1 + \beta^2)`, the Jaccard index 1 and
    1. Accuracy has :math:`w_{TN} = 1` as well. Specificity, which is 1 - FPR, has :math:`w_{TP} = 0, w_{TN} = 1,
    c_{FP} = 1`. At another prevalence they are the calibrated versions. From 0 to 1, higher is better; nan if there is
    neither value nor cost.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.
    cost_fp, cost_fn, cost_alert : float
        The cost of a false positive, of a miss, and of an alert of either kind.
    worth_tp, worth_tn : float
        What a true positive and a true negative are worth.

    References
    ----------
    Siblini et al., Master Your Metrics with Calibration, IDA 2020, asks for such a metric at its end.
    doi:10.1007/978-3-030-44584-3_36. Koyejo et al., Consistent binary classification with generalized performance
    metrics, NeurIPS 2014, for metrics that are ratios of linear functions of the cells.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_counts(tp=60, fp=20, fn=40, tn=880)
    >>> br.costs.share_of_value(point, cost_fp=1) == br.precision(point) == 0.75
    True
    >>> round(br.costs.share_of_value(point, cost_fp=0.5, cost_fn=0.5), 4), round(br.f1(point), 4)
    (0.6667, 0.6667)
    >>> round(br.costs.share_of_value(point, cost_fp=1, cost_fn=5, cost_alert=0.1), 4)
    0.2083
    """
    check_reading("share_of_value", at)
    cells = family_cells(cost_fp=cost_fp, cost_fn=cost_fn, cost_alert=cost_alert, worth_tp=worth_tp, worth_tn=worth_tn)
    matrix = at.confusion_as_read
    parts = (matrix.tp, matrix.fn, matrix.fp, matrix.tn)
    value, whole = (
        sum((weight * part for weight, part in zip(weights, parts, strict=True) if weight), 0 * matrix.tp)
        for weights in cells
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.divide(value, whole)
    return shares if np.ndim(shares) else float(shares)  # type: ignore[return-value]  # as the cells are


@checks.declared
def family_cells(
    *,
    cost_fp: float = 0.0,
    cost_fn: float = 0.0,
    cost_alert: float = 0.0,
    worth_tp: float = 1.0,
    worth_tn: float = 0.0,
) -> CellRatio:
    """The member of the family as weights of tp, fn, fp and tn, above and below the line.

    Examples
    --------
    >>> import baserate as br
    >>> br.costs.family_cells(cost_fp=1)
    CellRatio(numerator=(1.0, 0.0, 0.0, 0.0), denominator=(1.0, 0.0, 1.0, 0.0))
    """
    false, missed, alert = (
        checks.cost(cost, name)
        for cost, name in ((cost_fp, "cost_fp"), (cost_fn, "cost_fn"), (cost_alert, "cost_alert"))
    )
    hit, quiet = checks.cost(worth_tp, "worth_tp"), checks.cost(worth_tn, "worth_tn")
    if not hit + quiet > 0:
        raise InputError("worth_tp or worth_tn must be above 0, got 0 for both; pass what is worth something.")
    return CellRatio((hit, 0.0, 0.0, quiet), (hit + alert, missed, false + alert, quiet))
