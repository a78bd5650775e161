"""What may come in, and the sentence for what may not.

Each check returns the clean value or raises `InputError`: the rule, what came, what to do. Nothing is
dropped, flipped, clipped or guessed.
"""

from baserate.checks.columns import (
    Label,
    amounts,
    column,
    counts,
    is_missing,
    labels,
    matrix,
    not_below,
    numbers,
    prevalences,
    rates,
    same_length,
    weights,
)
from baserate.checks.values import (
    class_sizes,
    confidence_level,
    cost,
    did_you_mean,
    generator,
    not_negative,
    number,
    one_of,
    positive_number,
    prevalence,
    prevalence_range,
    probability,
    recall_range,
    share,
    whole_number,
)

__all__ = [
    "Label",
    "amounts",
    "class_sizes",
    "column",
    "confidence_level",
    "cost",
    "counts",
    "did_you_mean",
    "generator",
    "is_missing",
    "labels",
    "matrix",
    "not_below",
    "not_negative",
    "number",
    "numbers",
    "one_of",
    "positive_number",
    "prevalence",
    "prevalence_range",
    "prevalences",
    "probability",
    "rates",
    "recall_range",
    "same_length",
    "share",
    "weights",
    "whole_number",
]
