"""Default columns: a column is chosen only if it is the only candidate.

A label may be any column that is bool, that holds nothing but 0 and 1 or -1 and 1, or that is called like one. A score
may be any column that is called like one or, if none is, any column of floats. The first rows decide what a column
holds, so that a large file is not read for it; should later rows disagree, reading the column refuses them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from baserate.checks.synonyms import plain
from baserate.cli.notes import note
from baserate.errors import InputError
from baserate.ingest.files import Column, Options, columns_of

# Without case and signs: "is_fraud", "isFraud" and "Is Fraud" are one name.
_LABEL_NAMES = {
    "class",
    "fraud",
    "groundtruth",
    "isfraud",
    "label",
    "labels",
    "outcome",
    "target",
    "truelabel",
    "truth",
}
_LABEL_NAMES |= {"y", "ytrue"}
_SCORE_NAMES = {"modelscore", "p", "pred", "prediction", "predictedprobability", "predproba", "prob", "proba"}
_SCORE_NAMES |= {"probability", "riskscore", "score", "scores", "ypred", "ypredproba", "yprob", "yproba", "yscore"}
_SHOWN = 20  # columns listed in a sentence


def columns_meant(
    file: Sequence[str],
    label: str | None,
    scores: tuple[str, ...],
    *,
    others: Iterable[str | None],
    n_scores: int,
    reading: Mapping[str, Any],
) -> tuple[str, tuple[str, ...]]:
    """The columns of the label and the scores: the named ones, or else the only candidates.

    `others` are columns that have another part to play; `n_scores` is how many scores a command needs; `reading` says
    how the files are written.
    """
    if label is not None and scores:
        return label, scores
    columns = columns_of(list(file), Options.checked(**reading))
    named = {label, *scores, *others}
    free = [column for column in columns if column.name not in named]
    try:
        if label is None:
            label = label_among(free)
            note(f"using column {label!r} as label; --label chooses another")
        if not scores:
            scores = scores_among([column for column in free if column.name != label], n_scores)
            listed = " and ".join(map(repr, scores))
            note(f"using column{'s' * (n_scores > 1)} {listed} as score{'s' * (n_scores > 1)}; --score chooses another")
    except InputError as error:
        shown = ", ".join(column.name for column in columns[:_SHOWN]) + ", …" * (len(columns) > _SHOWN)
        raise InputError(f"{error}; the columns are {shown or 'none'}.") from None
    return label, scores


def label_among(columns: Sequence[Column]) -> str:
    """The only candidate for the label."""
    candidates = [column.name for column in columns if _may_be_label(column)]
    if len(candidates) == 1:
        return candidates[0]
    raise _unclear("the label", "--label", candidates)


def scores_among(columns: Sequence[Column], n_scores: int) -> tuple[str, ...]:
    """The candidates for the scores, if there are as many as needed."""
    # A name counts whatever the column holds: better a sentence about it than another column in its place.
    candidates = [column.name for column in columns if plain(column.name) in _SCORE_NAMES]
    candidates = candidates or [column.name for column in columns if column.kind == "float"]
    if len(candidates) == n_scores:
        return tuple(candidates)
    raise _unclear("the score" if n_scores == 1 else f"each of {n_scores} scores", "--score", candidates)


def _may_be_label(column: Column) -> bool:
    if column.kind == "bool" or plain(column.name) in _LABEL_NAMES:
        return True
    values = set(column.values)
    return bool(values) and (values <= {0, 1} or values <= {-1, 1})


def _unclear(part: str, option: str, candidates: list[str]) -> InputError:
    could_be = f"candidates are {', '.join(candidates[:_SHOWN])}" if candidates else "no column looks like one"
    return InputError(f"cannot tell which column is {part}: {could_be}; name it with {option}")
