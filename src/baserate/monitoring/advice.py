"""What to do with the threshold in use, when the model or the prevalence has changed."""

from typing import Literal, NamedTuple

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.curves.rules import AlertRate, Best, Fpr, Precision, Recall, Rule
from baserate.errors import InputError, NoSuchPointError
from baserate.metrics.by_name import Chooser, rule_from
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.metrics.predictive import alert_rate, precision
from baserate.metrics.rates import recall, specificity
from baserate.registry import lower_is_better
from baserate.results.intervals import Estimate
from baserate.results.priors import PrevalenceEstimate
from baserate.results.verdicts import Advice
from baserate.uncertainty.estimate import estimate
from baserate.uncertainty.prevalence import Span

_NEARLY_NONE = 1e-9  # a prevalence


@checks.declared
def advise(
    curve: Curve,
    *,
    threshold: float,
    agreed: Chooser,
    prevalence: float | str | PrevalenceEstimate | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> Advice:
    """Keep a threshold, move it, or retrain: what restores what was agreed, at today's prevalence.

    Parameters
    ----------
    curve : Curve
        The latest labelled rows.
    threshold : float
        The threshold in use.
    agreed : Rule, str or function
        What was agreed: "precision >= 0.5", "recall >= 0.6", "fpr <= 0.001", "alert_rate <= 0.01", or the optimum of a
        metric such as "best=expected_cost:cost_fp=1:cost_fn=30".
    prevalence : float, str or PrevalenceEstimate, optional
        Today's prevalence; by default that of the curve. If labels are late, `estimate_prevalence` gives it from
        unlabelled rows; intervals then hold for its whole interval.
    confidence_level, n_resamples, rng
        As for `estimate`.

    Returns
    -------
    Advice
        The action, with what the threshold in use does today and what the proposed one will do.

    Notes
    -----
    The advice is to keep the threshold as long as the interval of what was agreed reaches the limit: the data do not
    show that it is broken. Otherwise it is to move to the threshold that the rule chooses on this curve, at today's
    prevalence. If there is none, no threshold of this model keeps the agreement. The intervals at the proposed
    threshold allow for its choice on the same rows.

    For an optimum, the advice is to move if the interval of the metric at the threshold in use does not reach the best
    value.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> br.monitoring.advise(curve, threshold=0.5, agreed="precision >= 0.9", prevalence=0.005).action
    'keep'
    >>> found = br.monitoring.advise(curve, threshold=0.5, agreed="alert_rate <= 0.005", prevalence=0.02, rng=0)
    >>> found.action, found.proposed
    ('move', 0.8334)
    """
    rule, today = rule_from(agreed), _today(curve, prevalence)
    here = curve.at_prevalence(today.prevalence)
    try:
        chosen: Point | None = rule.on(here)
    except NoSuchPointError:
        chosen = None
    promise = _promise(rule, chosen)

    def estimated(point: Point) -> tuple[Estimate, ...]:
        metrics = dict.fromkeys((promise.metric, precision, recall, alert_rate))
        settings = {"prevalence": today.between, "confidence_level": confidence_level, "n_resamples": n_resamples}
        return tuple(estimate(metric, point, rng=rng, **settings) for metric in metrics)  # type: ignore[arg-type]

    now = estimated(here.at_threshold(checks.number(threshold, "threshold")))
    action: Literal["keep", "move", "retrain"] = "keep" if promise.may_hold(now[0]) else "move" if chosen else "retrain"
    proposal = chosen if action == "move" else None
    return Advice(
        action=action,
        agreed=str(rule),
        threshold=float(threshold),
        proposed=None if proposal is None else proposal.threshold,
        prevalence=today.prevalence,
        now=now,
        then=() if proposal is None else estimated(proposal),
        uncertain_prevalence=None if today.between is None else str(Span(*today.between)),
    )


class _Today(NamedTuple):
    """Today's prevalence, and the range that it lies in if it is uncertain."""

    prevalence: float
    between: tuple[float, float] | None = None


def _today(curve: Curve, prevalence: object) -> _Today:
    if not isinstance(prevalence, PrevalenceEstimate):
        return _Today(checks.prevalence(curve.prevalence if prevalence is None else prevalence))
    if not 0 < prevalence.value < 1:
        raise InputError(f"prevalence must be between 0 and 1, got an estimate of {prevalence.value}; pass a number.")
    low, high = np.clip([prevalence.low, prevalence.high], _NEARLY_NONE, 1 - _NEARLY_NONE).tolist()
    return _Today(prevalence.value, (low, high))


class _Promise(NamedTuple):
    """What was agreed: a metric, and the least or the most that it may be."""

    metric: MetricFunction
    limit: float
    at_least: bool = True

    def may_hold(self, estimated: Estimate) -> bool:
        """Whether the data do not exclude that it is kept."""
        return not (estimated.high < self.limit if self.at_least else estimated.low > self.limit)


def _promise(rule: Rule, chosen: Point | None) -> _Promise:
    if isinstance(rule, Recall):
        return _Promise(recall, rule.target)
    if isinstance(rule, Precision):
        return _Promise(precision, rule.target)
    if isinstance(rule, Fpr):
        return _Promise(specificity, 1 - rule.target)
    if isinstance(rule, AlertRate):
        return _Promise(alert_rate, rule.target, at_least=False)
    if isinstance(rule, Best) and chosen is not None:
        best = float(evaluate(rule.metric, chosen)[0])
        return _Promise(rule.metric, best, at_least=not lower_is_better(rule.metric))
    raise InputError(
        f"agreed must be a limit of precision, recall, fpr or alert_rate, or the best of a metric, got {rule}; pass "
        f"one such as 'precision >= 0.5'."
    )
