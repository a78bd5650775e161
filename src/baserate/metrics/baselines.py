"""The floor and the chance level of areas, and areas measured from the floor."""

from collections.abc import Mapping

from baserate.curves.curve import Curve
from baserate.errors import Reason
from baserate.formulas import baselines, influence
from baserate.formulas.influence import Influence
from baserate.formulas.steps import Steps
from baserate.metrics import over_odds
from baserate.metrics.areas import auc_pr, average_precision
from baserate.metrics.definition import metric
from baserate.metrics.one_class import Undefined
from baserate.metrics.over_odds import WHOLE, RecallRange, as_read
from baserate.registry import Family, MetricLaw, Traits

_PARTS: tuple[Mapping[str, object], ...] = ({}, {"recall_range": (0.5, 1.0)})


@metric(
    label="Minimum AUC-PR",
    family=Family.BASELINE,
    bounds=(0, 1),
    higher_is_better=None,
    examples=_PARTS,
    over_odds=over_odds.min_auc_pr,
    traits=Traits(one_way=True),
)
def min_auc_pr(curve: Curve, /, *, recall_range: RecallRange = WHOLE) -> float:
    r"""The lowest AUC-PR any classifier can have at this prevalence.

    .. math:: 1 + \frac{(1 - \eta) \ln (1 - \eta)}{\eta}

    and over recalls [a, b] :math:`b - a + \frac{1 - \eta}{\eta} \ln \frac{\eta (a - 1) + 1}{\eta (b - 1) + 1}`.
    It belongs to the order that puts every negative first.

    Parameters
    ----------
    curve : Curve
        Only its prevalence matters.
    recall_range : (float, float)
        Recalls to integrate over.

    References
    ----------
    Boyd et al., Unachievable Region in Precision-Recall Space, ICML 2012, theorem 2.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1], [0.1, 0.2])
    >>> [round(br.min_auc_pr(curve.at_prevalence(p)), 6) for p in (0.5, 0.1, 0.01)]
    [0.306853, 0.051755, 0.005017]
    """
    return as_read(over_odds.min_auc_pr, curve, recall_range=recall_range)


@metric(
    label="Minimum average precision",
    family=Family.BASELINE,
    bounds=(0, 1),
    higher_is_better=None,
    undefined=Reason.FRACTIONAL_COUNTS,
    breaks=frozenset({MetricLaw.REPLICATION}),
    over_odds=over_odds.min_average_precision,
    traits=Traits(one_way=True),
)
def min_average_precision(curve: Curve, /) -> float:
    r"""The lowest average precision any classifier can have with this many positives.

    .. math:: \frac{1}{P} \sum_{i=1}^{P} \frac{i}{i + P x}, \qquad x = (1 - \eta) / \eta

    It belongs to the order that puts every negative first and has no ties. nan where weights do not add up
    to a whole number of positives.

    Parameters
    ----------
    curve : Curve
        Its prevalence and its number of positives matter.

    References
    ----------
    Boyd et al., Unachievable Region in Precision-Recall Space, ICML 2012, theorem 3.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.0], pos=[100], neg=[200])
    >>> round(br.min_average_precision(curve), 8)
    0.19073414
    """
    return as_read(over_odds.min_average_precision, curve)


@metric(
    label="Chance average precision",
    family=Family.BASELINE,
    bounds=(0, 1),
    higher_is_better=None,
    undefined=Reason.FRACTIONAL_COUNTS,
    breaks=frozenset({MetricLaw.REPLICATION, MetricLaw.REWEIGHTING}),
    over_odds=over_odds.chance_average_precision,
    traits=Traits(one_way=True),
)
def chance_average_precision(curve: Curve, /) -> float:
    r"""The average precision expected of a random order, given the numbers of cases.

    At the data's own prevalence, with n rows, P of them positive, and the harmonic number :math:`H_n`,

    .. math:: \frac{1}{n} \left( H_n + \frac{(P - 1)(n - H_n)}{n - 1} \right)

    and at another prevalence the expectation is computed exactly, too. It is above the prevalence, far above with few
    positives, so an average precision above the prevalence is no proof of skill. nan where weights do not add up to
    whole numbers of cases.

    Parameters
    ----------
    curve : Curve
        Its prevalence and its numbers of positives and negatives matter; ties are not considered.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.0], pos=[3], neg=[497])
    >>> round(br.chance_average_precision(curve) / curve.prevalence, 2)
    2.92
    """
    return as_read(over_odds.chance_average_precision, curve)


def _influence_of_normalized_auc_pr(steps: Steps, x: float) -> Influence:
    room = baselines.min_auc_pr(x, 0.0, 1.0, deficit=True)
    return Influence(*(part / room for part in influence.auc_pr(steps, x)))


def _influence_of_normalized_average_precision(steps: Steps, x: float) -> Influence:
    room = baselines.min_average_precision(steps.n_pos, x, deficit=True)
    return Influence(*(part / room for part in influence.average_precision(steps, x)))


@metric(
    label="AUCNPR",
    family=Family.AREA,
    bounds=(0, 1),
    higher_is_better=True,
    examples=_PARTS,
    over_odds=over_odds.normalized_auc_pr,
    traits=Traits(difference=True, influence=_influence_of_normalized_auc_pr, normalizes=auc_pr),
)
def normalized_auc_pr(
    curve: Curve,
    /,
    *,
    recall_range: RecallRange = WHOLE,
    undefined: Undefined = "nan",
) -> float:
    r"""AUC-PR on the scale from the lowest possible (0) to perfect (1): AUCNPR.

    .. math:: \frac{\text{AUCPR} - \text{AUCPR}_{min}}{\text{AUCPR}_{max} - \text{AUCPR}_{min}}

    From 0 to 1, higher is better. The floor no longer depends on the prevalence; the chance level still does.
    Average this, not AUC-PR, over folds or tasks of different prevalence.

    Parameters
    ----------
    curve : Curve
        The curve, at its prevalence.
    recall_range : (float, float)
        Recalls to integrate over.
    undefined : {"nan", "boyd"}
        What data without positives or without negatives get: nan with a reason, or Boyd's convention, which is 0
        without positives and the best value without negatives.

    References
    ----------
    Boyd et al., Unachievable Region in Precision-Recall Space, ICML 2012, section 4.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2])
    >>> round(br.auc_pr(curve), 4), round(br.normalized_auc_pr(curve), 4)
    (0.9041, 0.8617)
    """
    return as_read(over_odds.normalized_auc_pr, curve, recall_range=recall_range)


@metric(
    label="Normalized average precision",
    family=Family.AREA,
    bounds=(-float("inf"), 1),
    higher_is_better=True,
    undefined=Reason.FRACTIONAL_COUNTS,
    breaks=frozenset({MetricLaw.REPLICATION}),
    over_odds=over_odds.normalized_average_precision,
    traits=Traits(influence=_influence_of_normalized_average_precision, normalizes=average_precision),
)
def normalized_average_precision(
    curve: Curve,
    /,
    *,
    undefined: Undefined = "nan",
) -> float:
    r"""Average precision on the scale from the lowest possible without ties (0) to perfect (1).

    .. math:: \frac{\text{AP} - \text{AP}_{min}}{1 - \text{AP}_{min}}

    At most 1, higher is better. nan where weights do not add up to a whole number of positives.

    Parameters
    ----------
    curve : Curve
        The curve, at its prevalence.
    undefined : {"nan", "boyd"}
        What data without positives or without negatives get: nan with a reason, or Boyd's convention, which is 0
        without positives and the best value without negatives.

    References
    ----------
    Boyd et al., Unachievable Region in Precision-Recall Space, ICML 2012, section 4.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2])
    >>> round(br.average_precision(curve), 4), round(br.normalized_average_precision(curve), 4)
    (0.9167, 0.8649)
    """
    return as_read(over_odds.normalized_average_precision, curve)
