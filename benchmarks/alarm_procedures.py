"""Ways to raise alarms, side by side.

- "any number": `model_alarms`, whose levels add up to the rate of false alarms, however many looks follow.
- "planned": `model_alarms` with the number of looks planned.
- "martingale": evidence against an unchanged model. Each period is compared with all rows before it by a permutation
  test. If nothing has changed, these p-values are independent, whatever the metric, because each one is uniform given
  the rows so far without their order. So bets against them multiply to a process that exceeds 20 with a probability of
  at most 5 %, at any stopping time (a conformal test martingale). The bets are normal shifts of several sizes that
  begin at an unknown look.
- "CUSUM": the textbook chart of the standardised change of each period, with a limit for as many looks, simulated from
  normal noise. Standard deviations are the true ones, from streams of the same kind without a change.
- "own prevalences": the metric as it is printed every month, with Bonferroni for the looks, and true standard
  deviations, too.

The procedures of the library are only asked at looks where one window at least is among the worse ones of its kind, and
more than ordinary among a few deals of its rows. All others are far from an alarm, and permutation tests would take
their time to say so. Where few negatives decide, every look is asked: there a window may be bad for its own stream, and
ordinary for its kind. Both procedures decide by the same deals, as each of them would alone.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from alarm_streams import (
    COMMON,
    METRICS,
    NEARLY_PERFECT,
    REFERENCE,
    THRESHOLD,
    Counts,
    Floats,
    Setting,
    prevalences,
    scores,
    stream,
)
from scipy.special import logsumexp, ndtri

import baserate as br
from baserate.curves.rules import Threshold
from baserate.monitoring.alarms import WINDOWS
from baserate.monitoring.dealing import OfDeals
from baserate.monitoring.looks import SEED, LookSettings, LookWindows, _cut, _deviations, badness, levels_of, spending
from baserate.uncertainty.draws import Reader, drawn, seeds_from

FALSE_ALARM = 0.05
N_DEALS = 50  # at least, at each look
STREAMS_OF_A_KIND = 500
FAR, VERY_FAR = 5.0, 40.0  # shares of windows as bad, as a multiple of the level: in streams of a kind, and in deals
LONG = 100  # looks of a stream whose looks share a law
NEVER_SKIPPED, NEVER_SKIPPED_LONG = 0.01, 0.002  # shares of windows that the law of a kind can tell
NEAR, ALIKE = 35, 0.1  # such looks are that close, and the logarithms of their prevalences, too
SHIFTS = np.array([0.5, 1.0, 2.0, 3.0])  # that bets are made on, in standard deviations of a p-value's normal score
MOST_DEALS, AS_BAD = 2000, 10  # of the martingale: it deals until so many deals are as bad as the rows
SLACK = 0.5  # of the CUSUM, in standard deviations
NUMBERS = 2_000_000  # of noise, for its limit

# --- what kinds of streams are like ---------------------------------------------------------------


class Kind(NamedTuple):
    """What streams of a kind are like while the model stays."""

    deviation: Floats  # by stream, look and window
    error: Floats  # by look: the standard deviation of the last period's difference from the reference
    own_error: Floats  # the same at the own prevalences


@cache
def kind_of(setting: Setting) -> Kind:
    """A kind by many streams of it."""
    stays = setting._replace(decay=0.0)
    streams = [stream(stays, np.random.default_rng([7, number])) for number in range(STREAMS_OF_A_KIND)]
    found = np.array([deviations(one, stays) for one in streams])
    own = np.array([own_deviations(one, stays) for one in streams])
    return Kind(found, found[:, :, 0].std(axis=0), own.std(axis=0))


def deviations(counts: Counts, setting: Setting) -> Floats:
    """The metric of each window minus that of the reference, by look and window; negative if it is worse."""
    x = (1 - setting.read_at) / setting.read_at
    of_pos, of_neg = (part[:REFERENCE].sum(axis=0) for part in counts)
    reference = value(setting, of_pos, of_neg, x)
    looks = np.arange(REFERENCE, len(counts.pos)) + 1
    pos, neg = (np.cumsum(np.vstack([np.zeros_like(part[:1]), part]), axis=0) for part in counts)
    begins = [np.maximum(looks - length, REFERENCE) for length in WINDOWS]
    found = [value(setting, pos[looks] - pos[first], neg[looks] - neg[first], x) for first in begins]
    return side_of(setting) * (np.stack(found, axis=1) - reference)


def own_deviations(counts: Counts, setting: Setting) -> Floats:
    """The metric of each period minus that of the reference, each at its own prevalence."""
    before = [part[:REFERENCE].sum(axis=0, keepdims=True) for part in counts]
    pos, neg = (np.vstack([first, part[REFERENCE:]]) for first, part in zip(before, counts, strict=True))
    found: Floats = value(setting, pos, neg, (neg.sum(axis=1) / pos.sum(axis=1))[:, np.newaxis])
    changed: Floats = found[1:] - found[0]
    return changed


def value(setting: Setting, pos: Floats, neg: Floats, x: Floats | float) -> Floats:
    """The metric of counts by score, from the highest score down, with x negatives to a positive."""
    of_pos, of_neg = (one / one.sum(axis=-1, keepdims=True) for one in (pos, neg))
    tpr, fpr = np.cumsum(of_pos, axis=-1), np.cumsum(of_neg, axis=-1)
    if setting.metric == "roc_auc":
        return np.asarray((of_pos * (1 - fpr + of_neg / 2)).sum(axis=-1))
    score = scores(setting)
    if setting.metric == "brier_score":
        return np.asarray((of_pos * (1 - score) ** 2 + x * of_neg * score**2).sum(axis=-1) / (1 + x))
    with np.errstate(invalid="ignore"):
        precision = np.nan_to_num(tpr / (tpr + x * fpr))
    if setting.metric == "precision at a threshold":
        return np.asarray(precision[..., np.flatnonzero(score >= THRESHOLD - 1e-9)[-1]])
    return np.asarray((of_pos * precision).sum(axis=-1))


# --- the library's --------------------------------------------------------------------------------


def alarms(counts: Counts, setting: Setting, *, screened: bool = True) -> tuple[int, int]:
    """The first look with an alarm if any number may follow, and if their number is planned; 0 if there is none."""
    reference, level = counts.pooled(setting, slice(REFERENCE)), levels_of_kind(setting)
    settings = look_settings(setting, WINDOWS, N_DEALS, SEED)
    first = [0, 0]
    for t in bad_looks(counts, setting, level.max(axis=0)) if screened else range(setting.looks):
        last = counts.curves(setting, slice(REFERENCE + max(0, t + 1 - max(WINDOWS)), REFERENCE + t + 1))
        beside = LookWindows(last, reference, settings, t)
        if screened and is_regular(setting) and beside.worst < ndtri(1 - min(VERY_FAR * level[:, t].max(), 0.5)):
            continue
        for k in (k for k in (0, 1) if not first[k]):
            look = beside.look(float(level[k, t]))
            if badness(look.statistic, settings.side) > look.limit:
                first[k] = t + 1
        if all(first):
            break
    return first[0], first[1]


@cache
def levels_of_kind(setting: Setting) -> Floats:
    """The levels of both procedures by look: they depend on the sizes of the periods, which all streams share."""
    counts = stream(setting, np.random.default_rng(0))
    reference, later = counts.pooled(setting, slice(REFERENCE)), counts.curves(setting, slice(REFERENCE, None))
    settings = look_settings(setting, WINDOWS, N_DEALS, SEED)
    spent = [spending(setting.looks, FALSE_ALARM, planned) for planned in (None, setting.looks)]
    return np.array([levels_of(later, reference, settings, spend) for spend in spent])


def bad_looks(counts: Counts, setting: Setting, level: Floats) -> list[int]:
    """The looks at which a window is among the worse ones of its kind."""
    if not is_regular(setting):
        return list(range(setting.looks))
    bad = deviations(counts, setting) < ordinary(setting, tuple(level.tolist()))
    return np.flatnonzero(bad.any(axis=1)).tolist()


def is_regular(setting: Setting) -> bool:
    """Whether what is bad for its own stream is bad for its kind; not so where few negatives decide."""
    return setting.read_at == COMMON and setting.average_precision < NEARLY_PERFECT


@cache
def ordinary(setting: Setting, level: tuple[float, ...]) -> Floats:
    """From which deviation on a window is far from an alarm, by look and window."""
    deviation = kind_of(setting).deviation
    found = np.full(deviation.shape[1:], -np.inf)
    for look, share in enumerate(far_from_an_alarm(setting, one) for one in level):
        law = np.sort(np.concatenate([deviation[:, one] for one in looks_like(setting, look)]), axis=0)
        as_bad = int(share * (len(law) + 1)) - 1
        if as_bad >= 0:
            found[look] = law[as_bad]
    return found


def far_from_an_alarm(setting: Setting, level: float) -> float:
    """The share of windows of a kind that are as bad, if a window is far from an alarm at this level."""
    return max(FAR * level, NEVER_SKIPPED if setting.looks < LONG else NEVER_SKIPPED_LONG)


def looks_like(setting: Setting, look: int) -> list[int]:
    """Looks whose windows have the same law: of long streams, those near by with the same prevalences."""
    if setting.looks < LONG or look < max(WINDOWS):
        return [look]
    prevalence = np.log(prevalences(setting.prevalence, setting.looks))[REFERENCE:]
    near = range(look - NEAR, look + NEAR + 1)
    last = {one: prevalence[one - max(WINDOWS) + 1 : one + 1] for one in near if max(WINDOWS) <= one < setting.looks}
    return [one for one, of in last.items() if np.abs(of - last[look]).max() < ALIKE]


def side_of(setting: Setting) -> int:
    return -1 if setting.metric == "brier_score" else 1


def look_settings(setting: Setting, windows: Sequence[int], n_deals: int, seed: int) -> LookSettings:
    """What is looked at in a kind of stream."""
    metric, at = METRICS[setting.metric]
    return LookSettings(metric, None if at is None else Threshold(at), windows, side_of(setting), n_deals, seed)


# --- a test martingale ----------------------------------------------------------------------------


def martingale(counts: Counts, setting: Setting) -> int:
    """The first look at which the evidence exceeds its limit."""
    log_evidence = np.empty((0, len(SHIFTS)))  # a row for each look at which the change may have begun
    for look, p in enumerate(p_values(counts.curves(setting), setting), start=1):
        prior = -np.log(look * (look + 1)) - np.log(len(SHIFTS))
        log_evidence = np.vstack([log_evidence, np.full(len(SHIFTS), prior)]) + SHIFTS * ndtri(1 - p) - SHIFTS**2 / 2
        # A change that begins later has evidence 1 until now, and the rest of the prior.
        if np.logaddexp(logsumexp(log_evidence), -np.log(look + 1)) >= -np.log(FALSE_ALARM):
            return look
    return 0


def p_values(periods: Sequence[br.Curve], setting: Setting) -> Iterator[float]:
    """Of each period after the reference: whether it is worse than all rows before it."""
    settings = look_settings(setting, (1,), MOST_DEALS, 0)
    past = br.Curve.pool(periods[:REFERENCE])
    for look, period in enumerate(periods[REFERENCE:]):
        samples = [past, period]
        pooled = br.Curve.pool(samples)
        rng = np.random.default_rng([look, 1])
        sampler = OfDeals(_cut(samples, pooled, settings), [0, 1], rng)
        reader = Reader(_deviations(settings, pooled), of_curves=False)
        seen = np.round(settings.side * reader.read(sampler.seen())[0], 9)
        yield _sequential(sampler, reader, seen, settings.side, rng)
        past = pooled


def _sequential(sampler: OfDeals, reader: Reader, seen: np.ndarray, side: int, rng: np.random.Generator) -> float:
    """A p-value that is clearly not small needs few deals (Besag & Clifford 1991)."""
    as_bad, n = 0, 0
    while n < MOST_DEALS:
        size = N_DEALS if n == 0 else 10 * N_DEALS
        (dealt,) = drawn(sampler, [reader], size, seeds_from(rng), what="Dealing rows")
        which = np.flatnonzero(np.round(side * dealt[0], 9) <= seen)
        if as_bad + len(which) >= AS_BAD:
            return AS_BAD / (n + int(which[AS_BAD - as_bad - 1]) + 1)
        as_bad, n = as_bad + len(which), n + size
    return (1 + as_bad) / (n + 1)


# --- a chart --------------------------------------------------------------------------------------


def cusum(counts: Counts, setting: Setting) -> int:
    """The first look at which the sum of standardised losses exceeds its limit."""
    loss = -deviations(counts, setting)[:, 0] / kind_of(setting).error
    return first_of(_charted(loss[np.newaxis])[0] > cusum_limit(len(loss)))


@cache
def cusum_limit(n_looks: int) -> float:
    """The limit with the wanted rate of false alarms, from noise with a shared reference."""
    rng = np.random.default_rng(0)
    paths = min(20_000, NUMBERS // n_looks)
    noise = rng.normal(size=(paths, n_looks)) + rng.normal(size=(paths, 1)) / np.sqrt(REFERENCE)
    return float(np.quantile(_charted(noise / np.sqrt(1 + 1 / REFERENCE)).max(axis=1), 1 - FALSE_ALARM))


def _charted(loss: np.ndarray) -> np.ndarray:
    sums = np.zeros(loss.shape)
    total = np.zeros(len(loss))
    for look in range(loss.shape[1]):
        total = np.maximum(total + loss[:, look] - SLACK, 0.0)
        sums[:, look] = total
    return sums


# --- what is printed every month ------------------------------------------------------------------


def own_prevalences(counts: Counts, setting: Setting) -> int:
    """The first look at which the metric at the own prevalence is below that of the reference."""
    limit = float(ndtri(1 - FALSE_ALARM / setting.looks)) * kind_of(setting).own_error
    return first_of(-own_deviations(counts, setting) > limit)


def first_of(alarm: np.ndarray) -> int:
    """The first look with an alarm, counted from 1; 0 if there is none."""
    return int(np.argmax(alarm)) + 1 if alarm.any() else 0


OTHERS: dict[str, Callable[[Counts, Setting], int]] = {
    "martingale": martingale,
    "CUSUM": cusum,
    "own prevalences": own_prevalences,
}
