"""The decomposition of a proper score into miscalibration, discrimination and uncertainty."""

import math

import numpy as np

from baserate import checks
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.formulas import scoring
from baserate.metrics.bounds import bounds
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import MetricFunction
from baserate.metrics.probabilities import clip_of
from baserate.registry import bound_parameters, describe, traits_of
from baserate.results import Decomposition


@checks.declared
def decompose(metric: MetricFunction, curve: Curve) -> Decomposition:
    r"""Decompose the Brier score or the log loss into miscalibration, discrimination and uncertainty.

    .. math:: S(p) = \underbrace{S(p) - S(\hat p)}_{\text{miscalibration}}
              - \underbrace{(S(\eta) - S(\hat p))}_{\text{discrimination}} + \underbrace{S(\eta)}_{\text{uncertainty}}

    where :math:`\hat p` are the isotonic rates of `isotonic_reliability`, and :math:`\eta` is the prevalence. No part
    is negative. An increasing transformation of the scores changes miscalibration only. Isotonic rates overfit the
    labels, so miscalibration and discrimination are biased upwards in small data.

    Parameters
    ----------
    metric : callable
        ``br.brier_score`` or ``br.log_loss``, also with ``functools.partial(br.log_loss, clip=1e-9)``.
    curve : Curve
        With scores between 0 and 1; the scores of a bucket are its middle.

    Returns
    -------
    Decomposition
        All nan, with a reason, if a class has no rows. If the log loss is infinite, so is its miscalibration, and no
        other part.

    References
    ----------
    Dimitriadis, Gneiting & Jordan, Stable reliability diagrams for probabilistic classifiers, PNAS 2021.
    doi:10.1073/pnas.2016191118.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> parts = br.calibration.decompose(br.brier_score, curve)
    >>> round(parts.miscalibration, 4), round(parts.discrimination, 4), round(parts.uncertainty, 4)
    (0.001, 0.0122, 0.0244)
    """
    parts_of = traits_of(metric).parts
    if parts_of is None:
        raise InputError(
            f"decompose needs the Brier score or the log loss, got {describe(metric)}; pass br.brier_score or "
            f"br.log_loss."
        )
    value, reason = evaluate(metric, curve)
    if reason is not None:
        parts = scoring.Parts(math.nan, math.nan, math.nan, math.nan)
        return Decomposition(describe(metric), *parts, curve.prevalence, reason)
    clip = clip_of(metric)
    clipped = np.clip(curve.middle, clip, 1 - clip)
    score, place = np.unique(clipped, return_inverse=True)  # scores clipped to the same are ties
    pos, neg = (np.bincount(place, mass) for mass in (curve.pos, curve.neg_as_read))
    parts = scoring.Parts(*parts_of(score, pos, neg, **bound_parameters(metric)))
    certain = bounds(metric, curve)
    error = float(np.max([certain.high - value, value - certain.low])) if curve.bucketed else 0.0
    return Decomposition(describe(metric), float(value), *parts[1:], curve.prevalence, value_error=error)
