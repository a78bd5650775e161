"""How narrow an interval can be that holds whatever the population is.

A group of positives above all other rows, a share s of its class, is missing from a test set of n positives with
probability q = (1 - s)**n. Such a test set looks like one of the population without the group. If a method misses the
true value in at most a share m of test sets of each population, then in at most m / q of the test sets without the
group its upper end lies below the value with the group. The same holds for a group of negatives and the lower end. If
the two shares of test sets add up to one half, both ends reach as far as that in half of them: the distance of the two
values is the least median width. A group that is always missing has no rows, and its value is that of the population.

Where all levels of the scores are known there is no such group, and rows with weights were not drawn like that; then
nothing is said.
"""

from functools import cache

from coverage_lines import WANTED, Setting
from coverage_models import Model, model_of

import baserate as br

MISSED = 1 - WANTED["coverage", 0.95]
# How often the group of positives, and that of negatives, is missing.
MISSING = tuple((MISSED / part, MISSED / (0.5 - part)) for part in (MISSED, 0.25, 0.5 - MISSED))
FEW_LEVELS = 10


def least_width(setting: Setting, question: str, prevalence: float) -> float:
    """The least median width of an area's interval that any method can have which holds in all populations."""
    model = model_of(setting.model)
    if model.tilt or 0 < len(model.pos.atoms) < FEW_LEVELS:
        return 0.0
    metric = br.METRICS[question].function
    alike = (_alike(setting.model, setting.n_pos, setting.n_neg, *missing) for missing in MISSING)
    return max(abs(high.area(metric, prevalence) - low.area(metric, prevalence)) for high, low in alike)


@cache
def _alike(name: str, n_pos: int, n_neg: int, no_pos: float, no_neg: float) -> tuple[Model, Model]:
    """Two populations that a test set does not tell apart well enough: with better positives, with worse negatives."""
    model = model_of(name)
    return model.with_unseen(pos=1 - no_pos ** (1 / n_pos)), model.with_unseen(neg=1 - no_neg ** (1 / n_neg))
