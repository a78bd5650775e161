"""Compares slices or periods of one model at one prevalence."""

from collections.abc import Sequence
from typing import Literal

from baserate.answers.curves import CurvesByScore
from baserate.answers.evaluating import Rng
from baserate.answers.questions import Question
from baserate.arrays import Prevalence
from baserate.errors import InputError
from baserate.monitoring.groups import by_period, by_slice
from baserate.progress import progress
from baserate.results.changes import GroupTable

KindOfGroups = Literal["slices", "periods", "slices and periods"]


def kind_of_groups(*, by: bool, period: bool) -> KindOfGroups | None:
    """How groups are formed: by slices, by periods or by both; None without groups."""
    if by and period:
        return "slices and periods"
    return "slices" if by else "periods" if period else None


def compared_groups(
    curves: CurvesByScore,
    asked: Sequence[Question],
    elsewhere: Sequence[float],
    level: float | None,
    *,
    kind: KindOfGroups,
    rng: Rng,
) -> tuple[GroupTable, ...]:
    """A table of groups for each metric and prevalence; by default at the mean of the groups' own prevalences."""
    if kind == "slices and periods":
        raise InputError("one score is compared by slices or by periods, got both; leave out one, or name two scores.")
    if level is None:
        raise InputError("comparing groups takes intervals and p-values, got none; ask for intervals.")
    if any(question.about == "rule" and question.rule is not None for question in asked):
        raise InputError("groups are compared at the chosen thresholds, got about 'rule'; leave it out.")
    groups = {key[0] if len(key) == 1 else key: curve for (_, key), curve in curves.items()}
    compare = by_period if kind == "periods" else by_slice
    at: Sequence[Prevalence] = elsewhere or ["mean"]
    wanted = [(question, prevalence) for prevalence in at for question in asked]
    return tuple(
        compare(question.metric, groups, at=question.rule, prevalence=prevalence, confidence_level=level, rng=rng)
        for question, prevalence in progress(wanted, len(wanted), "Comparing")
    )
