"""Metrics of decisions: what mistakes cost and what alerts are worth."""

from baserate import checks
from baserate.curves.reading import Reading
from baserate.formulas import pointwise
from baserate.formulas.pointwise import N
from baserate.metrics.definition import metric
from baserate.registry import CellRatio, Family, Traits


@metric(
    label="Expected cost",
    family=Family.POINTWISE,
    bounds=(0, float("inf")),
    higher_is_better=False,
    examples=({"cost_fn": 10.0, "cost_fp": 1.0}, {"cost_fn": 1.0, "cost_fp": 3.0}),
    traits=Traits(cells=lambda cost_fn, cost_fp: CellRatio((0, cost_fn, cost_fp, 0), (1, 1, 1, 1))),
)
def expected_cost(at: Reading[N], /, *, cost_fn: float, cost_fp: float) -> N:
    r"""Mean cost of a case.

    .. math:: \eta\,c_{FN} (1 - T) + (1 - \eta)\,c_{FP} F

    At least 0, lower is better. Predicting nothing positive costs ``prevalence * cost_fn``.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.
    cost_fn, cost_fp : float
        Cost of a missed positive and of a false alert.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.6, fpr=0.001, prevalence=0.001)
    >>> round(br.expected_cost(point, cost_fn=500, cost_fp=5), 4)
    0.205
    """
    missed, false_alert = checks.cost(cost_fn, "cost_fn"), checks.cost(cost_fp, "cost_fp")
    return pointwise.expected_cost(at.confusion_as_read, missed, false_alert)


@metric(
    label="Net benefit",
    family=Family.POINTWISE,
    bounds=(-float("inf"), 1),
    higher_is_better=True,
    examples=({"threshold_probability": 0.1}, {"threshold_probability": 0.5}),
    traits=Traits(
        cells=lambda threshold_probability: CellRatio(
            (1, 0, -threshold_probability / (1 - threshold_probability), 0), (1, 1, 1, 1)
        )
    ),
)
def net_benefit(at: Reading[N], /, *, threshold_probability: float) -> N:
    r"""True alerts per case, minus the false ones at the exchange rate of a threshold probability.

    .. math:: \eta T - (1 - \eta) F \frac{p}{1 - p}

    At most the prevalence, 0 for no alerts at all, higher is better.

    Parameters
    ----------
    at : Point or Curve
        A Point gives a float, a Curve an array along its thresholds.
    threshold_probability : float
        The probability p at which acting and not acting are worth the same, strictly between 0 and 1.

    References
    ----------
    Vickers & Elkin, Decision curve analysis, Medical Decision Making 26 (2006).
    doi:10.1177/0272989X06295361.

    Examples
    --------
    >>> import baserate as br
    >>> point = br.Point.from_rates(tpr=0.8, fpr=0.1, prevalence=0.2)
    >>> round(br.net_benefit(point, threshold_probability=0.2), 4)
    0.14
    """
    p = checks.probability(threshold_probability, "threshold_probability")
    return pointwise.net_benefit(at.confusion, at.exact_weight, p)
