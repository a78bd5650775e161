"""Three ways to raise alarms, side by side: false alarms and delays of the same streams.

- "spending": `model_alarms` with the number of looks planned, as `baserate monitor` uses it.
- "any time": evidence against an unchanged model, which needs no planned looks. Each period is compared with all rows
  before it by a permutation test. If nothing has changed, these p-values are independent, whatever the metric, because
  each one is uniform given the rows so far without their order. So bets against them multiply to a process that
  exceeds 20 with a probability of at most 5 %, at any stopping time (a conformal test martingale). The bets are normal
  shifts of several sizes that begin at an unknown look.
- "CUSUM": the textbook chart of the standardised change of each period, with a limit for as many looks, simulated from
  normal noise.

``python benchmarks/alarm_procedures.py`` prints the table; ``--quick`` simulates fewer kinds and streams.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from monitoring import CHANGED_AT, COMMON, DECAY, FALSE_ALARM, REFERENCE, Setting, stream
from scipy.special import logsumexp, ndtri
from tables import table

import baserate as br
from baserate.monitoring.looks import LookSettings, _cut, _deviations
from baserate.uncertainty.dealing import OfDeals
from baserate.uncertainty.draws import Reader, drawn, seeds_from

N_DEALS = 500
SHIFTS = np.array([0.5, 1.0, 2.0, 3.0])  # that bets are made on, in standard deviations of a p-value's normal score
SLACK = 0.5  # of the CUSUM, in standard deviations
PATHS = 20_000  # of noise, for its limit

Periods = dict[int, br.Curve]


def spending(curves: Periods) -> int:
    """The first look with an alarm; 0 if there is none."""
    found = br.monitoring.model_alarms(
        br.average_precision, curves, prevalence=COMMON, reference=REFERENCE, false_alarm=FALSE_ALARM
    )
    return _first(found.alarm)


def any_time(curves: Periods) -> int:
    """The first look at which the evidence exceeds its limit."""
    log_evidence = np.empty((0, len(SHIFTS)))  # a row for each look at which the change may have begun
    for look, p in enumerate(p_values(list(curves.values())), start=1):
        prior = -np.log(look * (look + 1)) - np.log(len(SHIFTS))
        log_evidence = np.vstack([log_evidence, np.full(len(SHIFTS), prior)]) + SHIFTS * ndtri(1 - p) - SHIFTS**2 / 2
        # A change that begins later has evidence 1 until now, and the rest of the prior.
        if np.logaddexp(logsumexp(log_evidence), -np.log(look + 1)) >= -np.log(FALSE_ALARM):
            return look
    return 0


def p_values(periods: Sequence[br.Curve]) -> Iterator[float]:
    """Of each period after the reference: whether it is worse than all rows before it."""
    settings = LookSettings(br.average_precision, None, (1,), 1, N_DEALS, 0)
    past = br.Curve.pool([one.at_prevalence(COMMON) for one in periods[:REFERENCE]])
    for look, period in enumerate(periods[REFERENCE:]):
        samples = [past, period.at_prevalence(COMMON)]
        pooled = br.Curve.pool(samples)
        rng = np.random.default_rng([look, 1])
        sampler = OfDeals(_cut(samples, pooled, settings), [0, 1], rng)
        reader = Reader(_deviations(settings, pooled), of_curves=False)
        (dealt,) = drawn(sampler, [reader], N_DEALS, seeds_from(rng), what="Dealing rows")
        as_bad = np.count_nonzero(np.round(dealt[0], 9) <= np.round(reader.read(sampler.seen()), 9))
        yield (1 + as_bad) / (N_DEALS + 1)
        past = pooled


def cusum(curves: Periods) -> int:
    """The first look at which the sum of standardised losses exceeds its limit."""
    ready = [one.at_prevalence(COMMON) for one in curves.values()]
    before, *later = (
        br.estimate(br.average_precision, curve, method="influence")
        for curve in [br.Curve.pool(ready[:REFERENCE]), *ready[REFERENCE:]]
    )
    width = 2 * float(ndtri(0.975))
    errors = np.array([(one.high - one.low) / width for one in (before, *later)])
    loss = (before.value - np.array([one.value for one in later])) / np.hypot(errors[0], errors[1:])
    return _first(_charted(loss[np.newaxis])[0] > cusum_limit(len(later)))


@cache
def cusum_limit(n_looks: int) -> float:
    """The limit with the wanted rate of false alarms, from noise with a shared reference."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(PATHS, n_looks)) + rng.normal(size=(PATHS, 1)) / np.sqrt(REFERENCE)
    return float(np.quantile(_charted(noise / np.sqrt(1 + 1 / REFERENCE)).max(axis=1), 1 - FALSE_ALARM))


def _charted(loss: np.ndarray) -> np.ndarray:
    sums = np.zeros(loss.shape)
    total = np.zeros(len(loss))
    for look in range(loss.shape[1]):
        total = np.maximum(total + loss[:, look] - SLACK, 0.0)
        sums[:, look] = total
    return sums


def _first(alarm: np.ndarray) -> int:
    return int(np.argmax(alarm)) + 1 if alarm.any() else 0


PROCEDURES: dict[str, Callable[[Periods], int]] = {"spending": spending, "any time": any_time, "CUSUM": cusum}


class Line(NamedTuple):
    """The first alarms of streams of one kind, by procedure."""

    setting: Setting
    first: dict[str, list[int]]


def simulate(setting: Setting, n: int, seed: int) -> Line:
    """Many streams of one kind."""
    first: dict[str, list[int]] = {name: [] for name in PROCEDURES}
    for number in range(n):
        curves = stream(setting, np.random.default_rng([seed, number]))
        for name, procedure in PROCEDURES.items():
            first[name].append(procedure(curves))
    return Line(setting, first)


def settings(*, quick: bool) -> list[Setting]:
    """Streams whose model stays as it is, and streams whose model becomes worse."""
    kinds = ["steady", "falling", "seasonal"]
    quiet = [Setting(f"prevalence {kind}", 200, kind) for kind in kinds] + [Setting("prevalence steady", 20)]
    worse = [Setting("prevalence steady", 200, decay=size) for size in (0.05, DECAY, 0.2)]
    worse += [Setting("prevalence falling", 200, "falling", DECAY), Setting("prevalence steady", 50, decay=DECAY)]
    long = [one._replace(looks=100) for one in (quiet[3], quiet[0], quiet[2])]
    return [*quiet, worse[1], long[0]] if quick else [*quiet, *worse, *long, quiet[3]._replace(looks=1000)]


def shown(line: Line) -> Iterator[tuple[str, ...]]:
    """A row for each procedure."""
    setting = line.setting
    for name, first in line.first.items():
        found = np.array(first)
        kind = setting.name, f"{setting.n_pos:,}", f"{setting.looks:,}", f"{setting.decay:g}", name
        if not setting.decay:
            rate = np.mean(found > 0)
            yield *kind, f"{100 * rate:.1f} % ± {100 * np.sqrt(rate * (1 - rate) / len(found)):.1f}", "", ""
            continue
        early = (found > 0) & (found < CHANGED_AT)
        delay = np.where(found > 0, found - CHANGED_AT + 1.0, np.inf)[~early]
        median = np.median(delay)
        soon = f"{100 * np.mean(delay <= 3):.0f} %"
        yield *kind, f"{100 * np.mean(early):.1f} %", "never" if np.isinf(median) else f"{median:g}", soon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--n", type=int)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    n = options.n or (100 if options.quick else 1000)
    wanted = settings(quick=options.quick)
    heads = ("stream", "positives", "looks", "lower by", "procedure", "false alarms", "median delay", "seen within 3")
    rows: list[tuple[str, ...]] = []
    with ProcessPoolExecutor(options.workers) as pool:
        for line in pool.map(simulate, wanted, [n] * len(wanted), range(len(wanted))):
            rows += shown(line)
            print(table(heads, rows[-len(PROCEDURES) :]), flush=True)
    if options.write:
        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text(table(heads, rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
