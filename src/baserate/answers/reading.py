"""Answers: a metric of a score at a prevalence, with interval, bounds and notes.

Every answer has the same fields, so that programs can rely on them; a field without a value is None. Tables for people
leave out empty columns.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from baserate.answers.curves import Key, group_name
from baserate.answers.questions import Question
from baserate.curves.curve import Curve
from baserate.curves.point import Point
from baserate.errors import NoSuchPointError, Reason
from baserate.metrics.bounds import bounds
from baserate.metrics.definition import evaluate
from baserate.metrics.over_prevalence import sweep
from baserate.registry import describe
from baserate.results import Estimate
from baserate.results.answers import Answer
from baserate.uncertainty.bands import sweep_estimates
from baserate.uncertainty.estimate import estimate_all, is_bucketed, sizes_behind
from baserate.written import Shown

Ends = tuple[float | None, float | None]


class Wanted(NamedTuple):
    """A question about a curve at a prevalence."""

    question: Question
    score: str
    key: Key
    curve: Curve


def answers(
    wanted: Sequence[Wanted], confidence_level: float | None, rng: np.random.Generator | int | None = 0
) -> list[Answer]:
    """Answer each question, with an interval if a level is given; all answers about one curve use the same draws."""
    places, remarks = zip(*(_place(one) for one in wanted), strict=True) if wanted else ((), ())
    known = [i for i, place in enumerate(places) if place is not None]
    estimates: dict[int, Estimate | None] = dict.fromkeys(known)
    if confidence_level is not None:
        metrics = [(wanted[i].question.metric, places[i], wanted[i].question.about) for i in known]
        estimates = dict(zip(known, estimate_all(metrics, confidence_level=confidence_level, rng=rng), strict=True))
    return [
        _answer_to(one, place, remark, estimates.get(i), confidence_level)
        for i, (one, place, remark) in enumerate(zip(wanted, places, remarks, strict=True))
    ]


def _place(wanted: Wanted) -> tuple[Curve | Point | None, str | None]:
    try:
        return wanted.question.place(wanted.curve), None
    except NoSuchPointError as error:
        return None, str(error)


def _answer_to(
    wanted: Wanted, place: Curve | Point | None, remark: str | None, estimated: Estimate | None, level: float | None
) -> Answer:
    question, score, key, curve = wanted
    if place is None:
        return _answer(question, score, key, curve, ends=_no_ends(level), remark=remark)
    value, reason = evaluate(question.metric, place)
    ends = _no_ends(level)
    if estimated is not None and reason is None:
        ends, reason = (estimated.low, estimated.high), estimated.reason
    return _answer(question, score, key, place, value=float(value), ends=ends, remark=_sentence(reason))


def answers_over(
    question: Question,
    score: str,
    key: Key,
    curve: Curve,
    *,
    prevalences: list[float],
    confidence_level: float | None,
) -> list[Answer]:
    """Answers for one metric at many prevalences; all intervals use the same draws if the method allows it."""
    if curve.missing_class or (question.rule is not None and question.rule.depends_on_prevalence):
        return answers(
            [Wanted(question, score, key, curve.at_prevalence(one)) for one in prevalences], confidence_level
        )
    try:
        place = question.place(curve)
    except NoSuchPointError as error:
        shared: dict[str, Any] = {"ends": _no_ends(confidence_level), "remark": str(error)}
        return [_answer(question, score, key, curve.at_prevalence(one), **shared) for one in prevalences]
    if confidence_level is None:
        swept = sweep(question.metric, place, prevalences)
        values = [(float(value), _no_ends(confidence_level)) for value in swept.value]
        reason = swept.reason
    else:
        asked: dict[str, Any] = {"about": question.about, "confidence_level": confidence_level}
        band = sweep_estimates(question.metric, place, prevalences, **asked, rng=0)
        columns = zip(band.value, band.low, band.high, strict=True)
        values = [(float(value), (float(low), float(high))) for value, low, high in columns]
        reason = band.reason
    told = []
    for prevalence, (value, ends) in zip(prevalences, values, strict=True):
        missing = any(end is not None and math.isnan(end) for end in (value, *ends))
        remark = _sentence(reason) if missing else None
        at = place.at_prevalence(prevalence)
        told.append(_answer(question, score, key, at, value=value, ends=ends, remark=remark))
    return told


def _answer(
    question: Question,
    score: str,
    key: Key,
    place: Curve | Point,
    *,
    ends: Ends,
    value: float = math.nan,
    remark: str | None,
) -> Answer:
    curve = place if isinstance(place, Curve) else place.curve
    certain = bounds(question.metric, place) if is_bucketed(place) and not math.isnan(value) else None
    pos, neg, unlabelled = _rows_behind(place, curve)
    return Answer(
        score=score or None,
        group=group_name(key),
        prevalence=place.prevalence,
        metric=describe(question.metric),
        threshold=_threshold(place),
        value=value,
        low=ends[0],
        high=ends[1],
        at_least=None if certain is None else float(certain.low),
        at_most=None if certain is None else float(certain.high),
        pos=pos,
        neg=neg,
        unlabelled=unlabelled,
        note=remark,
        source=None if curve is None or curve.source is None else str(curve.source),
    )


def _rows_behind(place: Curve | Point, curve: Curve | None) -> tuple[float, float, int]:
    """Cases of each class, and rows without a label; of sampled labels the labelled cases, not what they stand for."""
    if curve is None or not curve.sampled:
        return place.n_pos, place.n_neg, 0 if curve is None else curve.unlabelled
    return *sizes_behind(curve), sum(one.n_unlabelled for one in curve.strata)


def _threshold(place: Curve | Point) -> Shown | None:
    """The threshold of a point; its text chooses the same point if it is pasted back."""
    if isinstance(place, Curve) or place.threshold is None:
        return None
    return Shown(place.threshold, place.threshold_text)


def _no_ends(confidence_level: float | None) -> Ends:
    return (None, None) if confidence_level is None else (math.nan, math.nan)


def _sentence(reason: Reason | None) -> str | None:
    return None if reason is None else reason.sentence
