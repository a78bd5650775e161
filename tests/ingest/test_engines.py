"""Every engine gives the counts that plain Python rows give."""

import warnings

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.ingest.groups import GroupReader
from baserate.ingest.periods import Period
from baserate.ingest.request import Columns, request
from helpers import frames
from helpers.ingest_cases import CASES, MONTHS


def same(found, expected):
    """Equal counts; sums of weights differ by the order in which an engine adds them."""
    if isinstance(expected, dict):
        return list(found) == sorted(expected, key=_none_last) and all(same(found[k], expected[k]) for k in expected)
    if isinstance(expected, br.Curve) and expected.sampled:
        return same_strata(found, expected)
    if not isinstance(expected, br.Curve) or not expected.weighted:
        return found == expected
    columns = ("pos", "neg", "pos_squares", "neg_squares")
    return (
        np.array_equal(found.score, expected.score)
        and found.unlabelled == expected.unlabelled
        and all(np.allclose(getattr(found, name), getattr(expected, name), rtol=1e-12, atol=0) for name in columns)
    )


def same_strata(found, expected):
    """Equal strata; the scores of unlabelled rows may be in buckets."""
    pairs = zip(found.strata, expected.strata, strict=True)
    return all(
        (one.name, one.n_unlabelled, one.ends) == (other.name, other.n_unlabelled, other.ends)
        and all(map(np.array_equal, one.labelled[:3], other.labelled[:3]))
        for one, other in pairs
    )


def _none_last(key):
    return [(part is None, part) for part in (key if isinstance(key, tuple) else (key,))]


def _asked(kind, case):
    if case.needs_dates and kind in frames.WITHOUT_DATES:
        return False
    return case.on_slow or kind not in frames.SLOW


@pytest.mark.parametrize(
    ("kind", "case"),
    [
        pytest.param(kind, case, id=f"{kind}-{case.name}", marks=frames.marks(kind))
        for kind in (*frames.IN_PROCESS, *frames.SPARK)
        for case in CASES
        if _asked(kind, case)
    ],
)
def test_counts_are_those_of_plain_rows(kind, case, frame_of):
    frame = frame_of(kind, case.table)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", br.errors.UnlabelledWarning)
        if case.refused:
            with pytest.raises(br.errors.InputError, match=case.refused):
                case.ask(frame)
        else:
            found = case.ask(frame)
            assert same(found, case.answer)
            assert [warning.message.rows for warning in caught] == [case.unlabelled] * (case.unlabelled > 0)


@pytest.mark.spark
@pytest.mark.parametrize("kind", frames.SPARK)
def test_trap_10_plans_stay_small_enough_for_spark(kind, frame_of):
    """Hundreds of periods and the finest buckets at once: one expression for it all is more than Java compiles."""
    asked = request(frame_of(kind, "months"), Columns("label", ("score",), period=Period("day", "month", None)))
    cells = GroupReader(asked).read(42)
    assert len(cells.rows) == len(MONTHS)
    assert cells.rows.sum() == len(MONTHS)


def test_categories_may_be_numbers():
    table = pd.DataFrame({"label": pd.Categorical([0, 1, 0, 1, None]), "score": [0.1, 0.4, 0.5, 0.8, 0.9]})
    with pytest.warns(br.errors.UnlabelledWarning):
        found = br.curve(table, label="label", score="score", missing="later")
    assert (found.n_pos, found.n_neg, found.unlabelled) == (2, 2, 1)
