"""Metrics of the whole curve: areas, and the best threshold there is."""

from collections.abc import Mapping

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.errors import Reason
from baserate.formulas import influence
from baserate.formulas.influence import Influence
from baserate.formulas.steps import Steps
from baserate.metrics import over_odds
from baserate.metrics.definition import metric
from baserate.metrics.one_class import Undefined
from baserate.metrics.over_odds import WHOLE, RecallRange, as_read
from baserate.registry import Family, Traits

_PARTS: tuple[Mapping[str, object], ...] = (
    {},
    {"recall_range": (0.2, 0.9)},
    {"recall_range": (0.5, 1.0)},
)


def _influence_of_roc_auc(steps: Steps, x: float) -> Influence:
    return influence.roc_auc(steps)  # whatever the prevalence


def _influence_of_best_f_beta(steps: Steps, x: float, *, beta: float = 1.0) -> Influence:
    return influence.best_f_beta(steps, x, checks.positive_number(beta, "beta"))


@metric(
    label="AUC-ROC",
    family=Family.AREA,
    bounds=(0, 1),
    higher_is_better=True,
    examples=({}, {"max_fpr": 0.1}),
    over_odds=over_odds.roc_auc,
    traits=Traits(one_way=True, influence=_influence_of_roc_auc, share_of_pairs=True),
)
def roc_auc(curve: Curve, /, *, max_fpr: float = 1.0) -> float:
    r"""Area under the ROC curve: the probability that a positive scores above a negative; ties count half.

    .. math:: \int_0^{f} T \, dF

    From 0 to `max_fpr`, 0.5 for a random order (with ``max_fpr=1``), higher is better. Does not depend on
    the prevalence. Up to a `max_fpr` it is the plain area, not McClish's standardised one.

    Parameters
    ----------
    curve : Curve
        The curve.
    max_fpr : float
        The largest false positive rate.

    References
    ----------
    Hanley & McNeil, The meaning and use of the area under a ROC curve, Radiology 143 (1982).
    doi:10.1148/radiology.143.1.7063747.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.35])
    >>> br.roc_auc(curve)
    0.875
    """
    return float(over_odds.roc_auc(curve, np.zeros(1), max_fpr=max_fpr)[0])  # whatever the prevalence


@metric(
    label="Average precision",
    family=Family.AREA,
    bounds=(0, 1),
    higher_is_better=True,
    examples=_PARTS,
    over_odds=over_odds.average_precision,
    traits=Traits(one_way=True, influence=influence.average_precision),
)
def average_precision(
    curve: Curve,
    /,
    *,
    recall_range: RecallRange = WHOLE,
    undefined: Undefined = "nan",
) -> float:
    r"""Average precision (AP): the area under the PR curve as a sum of steps.

    .. math:: \sum_k (T_k - T_{k-1}) \, \text{precision}_k

    From 0 to 1 (over a recall range: to its width), higher is better. Each rise in recall counts at the
    precision of the threshold that reaches it, so constant scores get exactly the prevalence. It is what
    scikit-learn calls ``average_precision_score``, read at any prevalence; `auc_pr` interpolates instead.

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
    Siblini et al., Master Your Metrics with Calibration, IDA 2020. doi:10.1007/978-3-030-44584-3_36.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2])
    >>> [round(br.average_precision(curve.at_prevalence(p)), 4) for p in (0.5, 0.1, 0.001)]
    [0.9167, 0.75, 0.6677]
    """
    return as_read(over_odds.average_precision, curve, recall_range=recall_range)


@metric(
    label="AUC-PR",
    family=Family.AREA,
    bounds=(0, 1),
    higher_is_better=True,
    examples=_PARTS,
    over_odds=over_odds.auc_pr,
    traits=Traits(one_way=True, influence=influence.auc_pr),
)
def auc_pr(
    curve: Curve,
    /,
    *,
    recall_range: RecallRange = WHOLE,
    undefined: Undefined = "nan",
) -> float:
    r"""Area under the precision-recall curve, interpolated as the ROC curve is.

    .. math:: \int \frac{T}{T + x F(T)} \, dT, \qquad x = (1 - \eta) / \eta

    with F linear in T between the points. From 0 to 1 (over a recall range: to its width), higher is better.
    The integral is exact. The straight line between two PR points is not achievable and overstates the
    area, most of all with ties; `average_precision` is the step rule.

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
    Davis & Goadrich, The relationship between precision-recall and ROC curves, ICML 2006.
    doi:10.1145/1143844.1143874.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2])
    >>> [round(br.auc_pr(curve.at_prevalence(p)), 4) for p in (0.5, 0.1, 0.001)]
    [0.9041, 0.739, 0.6675]
    """
    return as_read(over_odds.auc_pr, curve, recall_range=recall_range)


@metric(
    label="AUC-PRG",
    family=Family.AREA,
    bounds=(-float("inf"), 1),
    higher_is_better=True,
    examples=_PARTS,
    over_odds=over_odds.auc_prg,
    traits=Traits(influence=influence.auc_prg),
)
def auc_prg(curve: Curve, /, *, recall_range: RecallRange = WHOLE) -> float:
    r"""Area under the precision-recall-gain curve.

    .. math:: \int_{T \ge \eta} \text{precision gain} \; d\,\text{recall gain}
              = \frac{1}{x} \int_{T \ge \eta} \frac{1 - F / T}{T^2} \, dT, \qquad x = (1 - \eta) / \eta

    At most 1, higher is better; 0 for a random order. The area begins where the curve crosses
    recall = prevalence, exactly, also between two thresholds. Precision gain below zero is kept, so an order
    worse than chance has a negative area.

    Parameters
    ----------
    curve : Curve
        The curve, at its prevalence.
    recall_range : (float, float)
        Recalls to integrate over; recalls below the prevalence have no recall gain and do not count.

    References
    ----------
    Flach & Kull, Precision-Recall-Gain Curves, NeurIPS 2015.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2])
    >>> [round(br.auc_prg(curve.at_prevalence(p)), 4) for p in (0.5, 0.1, 0.001)]
    [0.7917, 0.9769, 0.9998]
    """
    return as_read(over_odds.auc_prg, curve, recall_range=recall_range)


@metric(
    label="Best F-beta",
    family=Family.AREA,
    bounds=(0, 1),
    higher_is_better=True,
    undefined=Reason.EMPTY_RANGE,
    examples=({"beta": 0.5}, {"beta": 2.0, "recall_range": (0.2, 1.0)}),
    over_odds=over_odds.best_f_beta,
    traits=Traits(one_way=True, influence=_influence_of_best_f_beta, best_over_thresholds=True),
)
def best_f_beta(curve: Curve, /, *, beta: float, recall_range: RecallRange = WHOLE) -> float:
    r"""The highest F-beta of any threshold.

    .. math:: \max_k \frac{(1 + \beta^2) T_k}{T_k + \beta^2 + x F_k}, \qquad x = (1 - \eta) / \eta

    From 0 to 1, higher is better. The threshold that attains it is ``curve.best(partial(f_beta, beta=beta))``.
    The maximum is optimistic on the data it was chosen on, so evaluate the threshold on other data.

    Parameters
    ----------
    curve : Curve
        The curve, at its prevalence.
    beta : float
        How many times as important recall is as precision.
    recall_range : (float, float)
        Only thresholds with a recall in this range; nan if there is none.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2])
    >>> round(br.best_f_beta(curve.at_prevalence(0.01), beta=2), 4)
    0.7143
    """
    return as_read(over_odds.best_f_beta, curve, beta=beta, recall_range=recall_range)


@metric(
    label="Best F1",
    family=Family.AREA,
    bounds=(0, 1),
    higher_is_better=True,
    undefined=Reason.EMPTY_RANGE,
    examples=({}, {"recall_range": (0.2, 1.0)}),
    over_odds=over_odds.best_f1,
    traits=Traits(one_way=True, influence=_influence_of_best_f_beta, best_over_thresholds=True),
)
def best_f1(curve: Curve, /, *, recall_range: RecallRange = WHOLE) -> float:
    r"""The highest F1 of any threshold.

    .. math:: \max_k \frac{2 T_k}{T_k + 1 + x F_k}, \qquad x = (1 - \eta) / \eta

    From 0 to 1, higher is better. The threshold that attains it is ``curve.best(f1)``. The maximum is
    optimistic on the data it was chosen on, so evaluate the threshold on other data.

    Parameters
    ----------
    curve : Curve
        The curve, at its prevalence.
    recall_range : (float, float)
        Only thresholds with a recall in this range; nan if there is none.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1, 0], [0.1, 0.4, 0.5, 0.8, 0.9, 0.2])
    >>> round(br.best_f1(curve.at_prevalence(0.01)), 4)
    0.8
    """
    return as_read(over_odds.best_f1, curve, recall_range=recall_range)
