"""Metrics of scores at one or more prevalences, in one table."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from baserate import checks
from baserate.answers.curves import CurvesByScore, Data, curves_of
from baserate.answers.questions import EVALUATED, Metrics, Question, query
from baserate.answers.reading import Wanted, answers
from baserate.arrays import Prevalence
from baserate.checks import Label
from baserate.ingest.labelling import Missing
from baserate.metrics.by_name import Chooser
from baserate.progress import progress
from baserate.results.answers import Evaluation

Rng = np.random.Generator | int | None


@checks.declared
def evaluate(
    data: Data,
    *,
    label: str | None = None,
    score: str | Sequence[str] | None = None,
    metrics: Metrics | None = None,
    prevalence: Prevalence | Sequence[Prevalence] | None = None,
    at: Chooser | float | None = None,
    about: Literal["threshold", "rule"] = "threshold",
    by: str | Sequence[str] = (),
    period: tuple[str, str] | None = None,
    tz: str | None = None,
    weight: str | None = None,
    positive: Label | None = None,
    sampled: str | None = None,
    stratum: str | None = None,
    inclusion: str | None = None,
    missing: Missing | None = None,
    tolerance: float | None = None,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    confidence_level: float | None = 0.95,
    rng: Rng = 0,
) -> Evaluation:
    """Compute metrics of scores at the prevalence of the data and at others, as ``baserate evaluate`` does.

    Parameters
    ----------
    data : dataframe, path, Curve or mapping to Curve
        A table or files as for `curve`, a curve, or curves by name.
    label, score : str
        Columns of a table; several scores in a list.
    metrics : metric, str, or a list of these, optional
        Such as ``br.f1`` or ``"f_beta:beta=2"``. By default the usual metrics of curves or, with `at`, of points.
    prevalence : float, str, or a list of these, optional
        Prevalences in addition to that of the data: 0.001 or "1 in 1,000".
    at : str, Rule, function or float, optional
        How a threshold is chosen for metrics that need one, such as "recall=0.6"; a number is the threshold itself.
    about : {"threshold", "rule"}
        What the intervals at a chosen threshold refer to, as in `estimate`.
    by : str or list of str
        Columns to group by.
    period, tz, weight, positive, sampled, stratum, inclusion, missing, tolerance, memory_limit, delimiter, decimal
        As for `curves_by`.
    confidence_level : float or None
        Confidence level; None computes no intervals, which is faster.
    rng : Generator, int or None
        Seed or generator for the random draws; default 0, as in the command.

    Examples
    --------
    >>> import baserate as br, polars as pl
    >>> table = pl.DataFrame(br.examples.payments())
    >>> scores = ["old_model", "new_model"]
    >>> found = br.evaluate(table, label="fraud", score=scores, metrics="average_precision", prevalence=0.001)
    >>> print(found)
    4 answers, 95 % intervals
    score      prevalence             metric                      value
    old_model     1 in 40  average_precision     0.519 [0.4539, 0.5775]
    old_model  1 in 1,000  average_precision  0.09267 [0.04614, 0.1505]
    new_model     1 in 40  average_precision    0.5988 [0.5335, 0.6505]
    new_model  1 in 1,000  average_precision    0.4862 [0.2375, 0.5486]
    >>> found.frame("polars").shape
    (4, 15)
    """
    asked = query(metrics, at, about, prevalence, confidence_level, usual=EVALUATED)
    columns: dict[str, Any] = {"label": label, "score": score, "by": by, "period": period, "tz": tz}
    columns |= {"weight": weight, "positive": positive, "tolerance": tolerance}
    columns |= {"sampled": sampled, "stratum": stratum, "inclusion": inclusion, "missing": missing}
    columns |= {"memory_limit": memory_limit, "delimiter": delimiter, "decimal": decimal}
    return evaluated(curves_of(data, **columns), *asked, rng)


def evaluated(
    curves: CurvesByScore, asked: Sequence[Question], elsewhere: Sequence[float], level: float | None, rng: Rng = 0
) -> Evaluation:
    """Evaluate every curve at its own prevalence and at the given ones."""
    all_answers = []
    for (score, key), curve in progress(curves.items(), len(curves), "Evaluating"):
        read = (curve, *map(curve.at_prevalence, elsewhere))
        all_answers += answers([Wanted(question, score, key, at) for at in read for question in asked], level, rng)
    return Evaluation(tuple(all_answers), level)
