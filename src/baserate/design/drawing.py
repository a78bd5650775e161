"""Draws the rows of a plan, and makes a curve of their labels."""

from collections.abc import Sequence

import numpy as np

from baserate import checks
from baserate.arrays import Array, ArrayLike, FloatArray, Indices
from baserate.checks import Label
from baserate.curves.curve import Curve
from baserate.curves.sampling import checks_number
from baserate.errors import InputError
from baserate.results.labelling import LabellingPlan, RowsToLabel


@checks.declared
def draw_rows(
    plan: LabellingPlan,
    score: ArrayLike,
    *,
    label: ArrayLike | None = None,
    rng: np.random.Generator | int | None = 0,
) -> RowsToLabel:
    """Draw the rows of a plan at random within each stratum; the same seed draws the same rows.

    Parameters
    ----------
    plan : LabellingPlan
        What `labelling` returns.
    score : column
        The scores that it was made for, in any order.
    label : column, optional
        For a second round, the labels that are known already; these rows are not drawn again.
    rng : Generator or int, optional
        The random generator, or its seed.

    Examples
    --------
    >>> import baserate as br
    >>> score = br.examples.payments()["new_model"]
    >>> plan = br.design.labelling(score, threshold=0.3, budget=1000)
    >>> drawn = br.design.draw_rows(plan, score, rng=0)
    >>> len(drawn), str(drawn.stratum[0])
    (1000, '27.3325 % >= 0.008903')
    """
    scores, random = checks.numbers(score, "score"), checks.generator(rng)
    known = np.zeros(len(scores), np.bool_) if label is None else checks.present(label, "label")[0]
    checks.same_length(known, "label", scores, "score")
    lowest = np.array([one.lowest for one in plan.strata])
    of_row = np.searchsorted(-lowest, -scores)
    chosen: list[Indices] = []
    for k, one in enumerate(plan.strata):
        rows = np.flatnonzero(of_row == k)
        if len(rows) != one.n_rows:
            raise InputError(
                f"score must be the column that was planned for, got {len(rows):,} rows for {one.clause!r} where the "
                f"plan has {one.n_rows:,}; plan again."
            )
        free = rows[~known[rows]]
        chosen.append(np.sort(random.choice(free, max(one.n_labels - int(known[rows].sum()), 0), replace=False)))
    position = np.sort(np.concatenate(chosen))
    stratum, inclusion = (column[position] for column in clauses_of(plan, scores))
    return RowsToLabel(position, scores[position], stratum, inclusion, plan.rule)


def clauses_of(plan: LabellingPlan, scores: FloatArray) -> tuple[Array, FloatArray]:
    """The clause of the rule for each row, and the probability that it has to be labelled."""
    of_row = np.searchsorted(-np.array([one.lowest for one in plan.strata]), -scores)
    columns = (np.array([getattr(one, name) for one in plan.strata]) for name in ("clause", "share"))
    clause, share = (column[of_row] for column in columns)
    return clause, share


@checks.declared
def curve_of_drawn(
    score: ArrayLike, position: ArrayLike, label: ArrayLike, stratum: ArrayLike, *, positive: Label | None = None
) -> Curve:
    """The curve of all rows, from the labels of those that were drawn.

    Parameters
    ----------
    score : column
        Scores of all rows, in the order of the draw.
    position, label, stratum : column
        Of the rows that were drawn: their positions from 0, their labels (missing where it was not found out), and the
        clauses they were drawn by. Rows of a first round come with those of the second.
    positive : label, optional
        Which label is the positive one.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> score = data["new_model"]
    >>> plan = br.design.labelling(score, threshold=0.3, budget=1000)
    >>> drawn = br.design.draw_rows(plan, score, rng=0)
    >>> label = data["fraud"][drawn.position]  # people would find these out
    >>> br.design.curve_of_drawn(score, drawn.position, label, drawn.stratum)
    Curve(316.791 pos, 11,683.2 neg, prevalence 1 in 37.88, 1,000 of 12,000 rows labelled in 3 strata)
    """
    scores, places = checks.numbers(score, "score"), checks.counts(position, "position")
    known, labels = checks.present(label, "label")
    checks.same_length(places, "position", known, "label")
    clauses = checks.column(stratum, "stratum").astype(np.str_)
    checks.same_length(places, "position", clauses, "stratum")
    if len(places) and places.max() >= len(scores):
        raise InputError(
            f"position must be below the number of scores, {len(scores):,}, got {places.max():,}; pass the scores of "
            f"the rows that were drawn from."
        )
    check_positions(places)
    positive_rows = checks.labels(labels, positive, "label")
    all_labels: FloatArray = np.full(len(scores), np.nan)
    all_labels[places[known]] = positive_rows
    return Curve.from_sampled(all_labels, scores, rule=rule_of(clauses.tolist()))


def check_positions(places: Indices) -> None:
    """Refuse a row with two labels."""
    distinct, times = np.unique(places, return_counts=True)
    if (times > 1).any():
        raise InputError(
            f"each position must be there once, got {distinct[times > 1][0]:,} in {times[times > 1][0]} rows; keep one "
            f"label for each."
        )


def rule_of(clauses: Sequence[str]) -> str:
    """The clauses of drawn rows as one rule, from the highest scores down."""
    distinct = set(clauses)
    lasts = [one for one in distinct if one.startswith("else ")]
    others = sorted(distinct.difference(lasts), key=lambda one: -checks_number(one.rpartition(">=")[2]))
    return ", ".join([*others, *(lasts or ["else none"])])
