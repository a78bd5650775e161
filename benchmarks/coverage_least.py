"""How narrow an interval can be that holds whatever the population is.

A group of positives above all other rows, a share s of its class, is missing from a test set of n positives with
probability (1 - s)**n. Such a test set looks like one of the population without the group. A method that misses the
true value in at most one of `MISSED` test sets of each population must reach the value with the group in most test sets
that look so: in at least three quarters of them where four times that share has none of the group. The same holds for
negatives above all others, and the lower end. So the median width is at least the distance of both values.
"""

from functools import cache

from coverage_lines import WANTED, Setting
from coverage_models import Model, model_of

import baserate as br

MISSED = 1 - WANTED["coverage", 0.95]
LEFT_OUT = 4 * MISSED  # of test sets; both ends reach as far together in half of them


def least_width(setting: Setting, question: str, prevalence: float) -> float:
    """The least median width of an area's interval that any method can have which holds in all populations."""
    metric = br.METRICS[question].function
    values = [model.area(metric, prevalence) for model in _alike(setting.model, setting.n_pos, setting.n_neg)]
    return max(values) - min(values)


@cache
def _alike(name: str, n_pos: int, n_neg: int) -> tuple[Model, ...]:
    """Populations that a test set cannot tell apart well enough."""
    model = model_of(name)
    unseen_pos, unseen_neg = (1 - LEFT_OUT ** (1 / n) for n in (n_pos, n_neg))
    return model, model.with_unseen(pos=unseen_pos), model.with_unseen(neg=unseen_neg)
