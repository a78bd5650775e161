"""The sentences at the head of the page: who leads, how sure that is, and where it changes."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from baserate.page.versus import Standing
from baserate.page.words import amount, isolated, listed, short
from baserate.results import Crossing, CrossingEstimate, Estimate
from baserate.written import one_in, percent

# So many models are named; of more, the first ones and their number.
_NAMED = 3

# The largest probability that so few draws can show.
_MOST_SURE = 0.99


def headline(
    prevalence: float, names: Sequence[str], standing: Standing, area: Sequence[Estimate], right: Sequence[Estimate]
) -> str:
    """The leader at a prevalence, with how much certainty, and what that means for alerts."""
    where = f"At a prevalence of {one_in(prevalence)}"
    ahead = [isolated(names[k]) for k in standing.ahead]
    if len(ahead) == 1:
        one = standing.ahead[0]
        return f"{where}, {_leads(names, standing)} average precision {_value(area[one], short)}. {_alerts(right[one])}"
    values = " and ".join(short(area[k].value) for k in standing.ahead[:2])
    if len(ahead) > 2:
        values = f"from {short(min(area[k].value for k in standing.ahead))} to {short(area[standing.ahead[0]].value)}"
    told = f"{named(ahead)} cannot be told apart{'' if standing.paired else ' by their own intervals'}"
    more = ""
    if standing.more is not None:
        more = f" If the difference stays, about {amount(float(f'{standing.more:.1g}'))} more positives would decide."
    behind = f" {_behind(names, standing)}" if standing.behind else ""
    return f"{where}, {told}: average precision {values}.{more}{behind} {_alerts_of(ahead, standing, right)}"


def _leads(names: Sequence[str], standing: Standing) -> str:
    first, others = isolated(names[standing.ahead[0]]), [isolated(names[k]) for k in standing.behind]
    if not others:
        return f"{first} has"
    them = named(others) if len(others) <= _NAMED else f"all {len(others)} others"
    how = f"{certainty(standing.sure)} sure" if standing.paired else "their own intervals do not overlap"
    return f"{first} leads {them} ({how}):"


def _behind(names: Sequence[str], standing: Standing) -> str:
    others = [isolated(names[k]) for k in standing.behind]
    verb = "trails" if len(others) == 1 else "trail"
    how = f"{certainty(standing.sure)} sure" if standing.paired else "their own intervals do not overlap"
    return f"{named(others)} {verb} ({how})."


def certainty(probability: float) -> str:
    """A probability of leading, as far as some hundred draws can show it."""
    return f"more than {percent(_MOST_SURE)}" if probability > _MOST_SURE else f"{math.floor(100 * probability)} %"


def named(names: Sequence[str]) -> str:
    """A list of names; of many, the first ones and the number of the others."""
    return listed(names if len(names) <= _NAMED else [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} others"])


def _alerts(right: Estimate) -> str:
    sure = _sure(right, percent)
    return f"To find half of the positives, it raises alerts of which {percent(right.value)} are right{sure}."


def _alerts_of(ahead: Sequence[str], standing: Standing, right: Sequence[Estimate]) -> str:
    shares = [
        f"{percent(right[k].value)} of the alerts of {name}" for name, k in zip(ahead, standing.ahead, strict=True)
    ]
    if len(shares) > _NAMED:
        known = [right[k].value for k in standing.ahead]
        return (
            f"To find half of the positives, {percent(min(known))} to {percent(max(known))} of their alerts are right."
        )
    return f"To find half of the positives, {listed(shares)} are right."


def _value(one: Estimate, text: Callable[[float], str]) -> str:
    return text(one.value) + _sure(one, text)


def _sure(one: Estimate, text: Callable[[float], str]) -> str:
    known = np.isfinite(one.low) and np.isfinite(one.high)
    return f" (95 % sure: {text(one.low)} to {text(one.high)})" if known else ""


# --- where they cross -----------------------------------------------------------------------------


def who_leads_where(swaps: Sequence[Crossing | CrossingEstimate], ends: tuple[float, float] = (0.0, 1.0)) -> list[str]:
    """A sentence for each pair of models that cross, with intervals; one that reaches an end of the range says so."""
    by_pair: dict[frozenset[str], list[Crossing | CrossingEstimate]] = {}
    for swap in swaps:
        by_pair.setdefault(pair_of(swap), []).append(swap)
    said = []
    for first, *others in by_pair.values():
        parts = [f"leads {isolated(first.leads_above)} below {_where(first, ends)}"]
        for k, swap in enumerate(others):
            parts.append(f"{('trails', 'leads')[k % 2]} from there to {_where(swap, ends)}")
        last = f"{('trails', 'leads')[len(others) % 2]} above"
        said.append(f"{isolated(first.leads_below)} {', '.join(parts)}, and {last}.")
    return said


def pair_of(swap: Crossing | CrossingEstimate) -> frozenset[str]:
    """The two models that cross."""
    return frozenset((swap.leads_below, swap.leads_above))


def _where(swap: Crossing | CrossingEstimate, ends: tuple[float, float]) -> str:
    if not isinstance(swap, CrossingEstimate) or math.isnan(swap.low):
        return one_in(swap.prevalence)
    low, high = swap.low > ends[0] * (1 + 1e-9), swap.high < ends[1] * (1 - 1e-9)
    if low and high:
        sure = f"95 % sure: {one_in(swap.low)} to {one_in(swap.high)}"
    elif low:
        sure = f"95 % sure: above {one_in(swap.low)}, or nowhere"
    elif high:
        sure = f"95 % sure: below {one_in(swap.high)}, or nowhere"
    else:
        sure = "it may be anywhere, or nowhere"
    return f"{one_in(swap.prevalence)} ({sure})"
