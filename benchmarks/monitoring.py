"""How often monitoring raises false alarms, and how soon it sees that a model has become worse.

Streams of periods are simulated whose truth is known: the prevalence moves and the model stays, or the model becomes
worse. ``python benchmarks/monitoring.py`` prints the tables, ``--write docs/monitoring-study.md`` puts them into the
documentation and ``--quick`` simulates less. With ``--keep FILE`` a run that was stopped goes on where it was: kinds of
streams that are done are read from the file.
"""

import argparse
import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri
from tables import table
from which_code import fingerprint

import baserate as br

Floats = NDArray[np.float64]

FALSE_ALARM = 0.05
REFERENCE, LOOKS = 3, 12  # periods
COMMON = 0.01  # prevalence
AP = 0.6  # of the model at the common prevalence
DECAY = 0.1
CHANGED_AT = 4  # the look at which the model becomes worse
SOON, WANTED = 3, 0.8  # looks within which, and in how many streams, that is to be seen
THRESHOLD = 2.0
PART = 125  # streams that a worker simulates at a time
RARE = 1e-4  # a prevalence at which few negatives decide
NEARLY_PERFECT = 0.99  # average precision


class Setting(NamedTuple):
    """A kind of stream."""

    name: str
    n_pos: int  # in a period, if the prevalence is the common one
    prevalence: str = "steady"
    decay: float = 0.0
    metric: str = "average_precision"
    read_at: float = COMMON  # the prevalence that periods are compared at
    average_precision: float = AP  # at the common prevalence
    looks: int = LOOKS


@cache
def distance(average_precision: float) -> float:
    """How far apart two normal classes are whose average precision at the common prevalence is this."""
    return float(brentq(lambda d: true_average_precision(d, COMMON) - average_precision, 0.1, 8.0))


def true_average_precision(d: float, prevalence: float) -> float:
    """The average precision of scores that are normal, with positives d standard deviations higher."""
    x = (1 - prevalence) / prevalence

    def precision(recall: float) -> float:
        return float(recall / (recall + x * ndtr(-(d - ndtri(recall)))))

    return float(quad(precision, 0, 1, limit=200)[0])


def prevalences(kind: str, looks: int = LOOKS) -> Floats:
    """The prevalence of each period, around the common one."""
    time = np.linspace(0, 1, REFERENCE + looks)
    shapes = {
        "steady": 0 * time,
        "falling": 1 - 2 * time,
        "rising": 2 * time - 1,
        "seasonal": np.sin(4 * np.pi * time),
        "a step up": np.where(time > 0.4, 1.0, -0.5),
    }
    return COMMON * 2.5 ** shapes[kind]


def stream(setting: Setting, rng: np.random.Generator) -> dict[int, br.Curve]:
    """One curve per period: as many rows in each, of which as many are positive as the prevalence says."""
    rows = round(setting.n_pos / COMMON)
    usual = distance(setting.average_precision)
    curves = {}
    for period, eta in enumerate(prevalences(setting.prevalence, setting.looks)):
        changed = period >= REFERENCE + CHANGED_AT - 1
        d = distance(setting.average_precision - setting.decay * changed)
        n_pos = max(1, round(rows * float(eta)))
        score = np.append(rng.normal(d, 1, n_pos), rng.normal(0, 1, rows - n_pos))
        if setting.metric == "brier_score":
            score = expit(usual * score - usual**2 / 2 + logit(COMMON))  # the probability of a positive
        curves[period] = br.Curve.from_scores(np.arange(rows) < n_pos, score)
    return curves


alarms = partial(br.monitoring.model_alarms, reference=REFERENCE, false_alarm=FALSE_ALARM)

ASKED: dict[str, Callable[..., br.results.Alarms]] = {
    "average_precision": partial(alarms, br.average_precision),
    "average_precision, both sides": partial(alarms, br.average_precision, side="both"),
    "roc_auc": partial(alarms, br.roc_auc),
    "precision at a threshold": partial(alarms, br.precision, at=THRESHOLD),
    "brier_score": partial(alarms, br.brier_score),
}


def has_naive(setting: Setting) -> bool:
    """Whether the metric at each period's own prevalence is looked at as well."""
    return setting.metric == "average_precision" and setting.read_at == COMMON


def naive(curves: dict[int, br.Curve]) -> bool:
    """Whether the metric as it is printed every month leaves the reference, with Bonferroni for the looks."""
    level = 1 - 2 * FALSE_ALARM / LOOKS
    pooled = br.Curve.pool(list(curves.values())[:REFERENCE])
    before, *later = (
        br.estimate(br.average_precision, curve, method="influence", confidence_level=level)
        for curve in [pooled, *list(curves.values())[REFERENCE:]]
    )
    down = before.value - before.low
    return any(before.value - found.value > np.hypot(down, found.high - found.value) for found in later)


class Line(NamedTuple):
    """What was found in streams of one kind."""

    setting: Setting
    n: int
    any_alarm: float
    naive_alarm: float  # of the metric at the own prevalences
    before: float  # alarms before the model changed
    delays: tuple[int, ...]  # looks until an alarm, 1 for the look at which the model changed; 0 if there was none

    @property
    def soon(self) -> float:
        """The share of streams without an early alarm in which the change was seen soon."""
        return float(np.mean([0 < delay <= SOON for delay in self.delays])) if self.delays else float("nan")

    @property
    def error(self) -> float:
        """The standard error of the share of alarms."""
        return float(np.sqrt(self.any_alarm * (1 - self.any_alarm) / self.n))


def simulate(setting: Setting, n: int, seed: int, start: int = 0, **asked: int) -> Line:
    """Many streams of one kind, from one number on; `asked` is for `model_alarms`, such as fewer deals."""
    raised, naively, early = 0, 0, 0
    delays = []
    for number in range(start, start + n):
        curves = stream(setting, np.random.default_rng([seed, number]))
        found = ASKED[setting.metric](curves, prevalence=setting.read_at, **asked)
        first = int(np.argmax(found.alarm)) + 1 if found.alarm.any() else 0
        raised += first > 0
        if setting.decay:
            early += 0 < first < CHANGED_AT
            if not 0 < first < CHANGED_AT:
                delays.append(first - CHANGED_AT + 1 if first else 0)
        elif has_naive(setting):
            naively += naive(curves)
    return Line(setting, n, raised / n, naively / n, early / n, tuple(delays))


def quiet_settings(*, quick: bool = False) -> list[Setting]:
    """Streams whose model stays as it is."""
    kinds = ["falling", "rising", "steady", "seasonal", "a step up"]
    found = [Setting(f"prevalence {kind}", 200, kind) for kind in (kinds[:1] if quick else kinds)]
    if quick:
        return found
    found.append(Setting("prevalence falling", 50, "falling"))
    others = [metric for metric in ASKED if metric != "average_precision"]
    return found + [Setting("prevalence falling", 200, "falling", metric=metric) for metric in others] + hard_settings()


def hard_settings() -> list[Setting]:
    """Streams whose model stays as it is, where a metric is far from normal."""
    steady = partial(Setting, "prevalence steady")
    return [
        steady(20),
        steady(20, read_at=RARE),
        steady(200, read_at=RARE),
        steady(20, metric="roc_auc"),
        steady(20, metric="roc_auc", average_precision=NEARLY_PERFECT),
        steady(20, metric="precision at a threshold"),
        steady(20, metric="precision at a threshold", read_at=RARE),
        steady(20, metric="brier_score"),
    ]


def decay_settings(*, quick: bool = False) -> list[Setting]:
    """Streams whose model becomes worse."""
    named = [Setting("prevalence steady", 200, "steady", DECAY)]
    if quick:
        return named
    named += [Setting(f"prevalence {kind}", 200, kind, DECAY) for kind in ("falling", "rising")]
    named += [Setting("prevalence steady", 200, "steady", size) for size in (0.05, 0.2)]
    return [*named, Setting("prevalence steady", 50, "steady", DECAY)]


def together(lines: Sequence[Line]) -> Line:
    """Streams of one kind that were simulated in parts."""
    n = sum(line.n for line in lines)
    return Line(
        lines[0].setting,
        n,
        any_alarm=sum(line.any_alarm * line.n for line in lines) / n,
        naive_alarm=sum(line.naive_alarm * line.n for line in lines) / n,
        before=sum(line.before * line.n for line in lines) / n,
        delays=tuple(delay for line in lines for delay in line.delays),
    )


def run(settings: Sequence[Setting], n: int, workers: int | None, done: dict[Setting, Line]) -> Iterator[Line]:
    """Line after line, each shared out among the workers, unless it is done already."""
    with ProcessPoolExecutor(workers) as pool:
        parts = {
            setting: [pool.submit(simulate, setting, min(PART, n - start), seed, start) for start in range(0, n, PART)]
            for seed, setting in enumerate(settings)
            if setting not in done
        }
        for setting in settings:
            yield done[setting] if setting in done else together([one.result() for one in parts[setting]])


def made_by() -> str:
    """The code of the study and of what it asks."""
    return fingerprint([Path(__file__)])


def kept(path: Path | None, n: int) -> dict[Setting, Line]:
    """Lines of an earlier run of the same code with as many streams."""
    if path is None or not path.exists():
        return {}
    made = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    found = [Line(**{**line, "setting": Setting(**line["setting"])}) for by, line in made if by == [made_by(), n]]
    lines = [line._replace(delays=tuple(line.delays)) for line in found]
    return {line.setting: line for line in lines}


def keep(path: Path, lines: Sequence[Line], n: int) -> None:
    rows = [line._asdict() | {"setting": line.setting._asdict()} for line in lines]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps([[made_by(), n], row]) + "\n" for row in rows), encoding="utf-8")


def page(lines: Sequence[Line], n: int, missing: int = 0) -> str:
    stopped = f"\n\nThe run was stopped early: {missing} more kinds of streams are not here." if missing else ""
    quiet = [line for line in lines if not line.setting.decay]
    worse = [line for line in lines if line.setting.decay]
    return f"""# How often monitoring raises false alarms

Made by `make monitor-study` with baserate {br.__version__}, numpy {version("numpy")} and Python \
{platform.python_version()}. `model_alarms` was run on {n:,} simulated streams of each kind. Each stream has \
{REFERENCE} reference periods and {LOOKS} looks (comparisons with the reference). The nominal false-alarm rate is \
{100 * FALSE_ALARM:g} % over all {LOOKS} looks together. Scores are normal in both classes, and the average precision \
of the model is {AP:g} at the common prevalence of {COMMON:g}.

Each look compares windows of 1, 2, 3 and 6 periods with the reference. Its limit comes from a permutation test: rows \
are permuted at random among the reference and the periods so far. Each look uses the same share of the false-alarm \
rate, if there was no alarm before.{stopped}

## Only the prevalence moves

The prevalence moves between 1 in 250 and 1 in 40, and the number of positives with it. The model does not change, so \
every alarm is false. The last column shows how often the average precision at each period's own prevalence would have \
raised an alarm, with intervals corrected for the number of looks. In some streams with a steady prevalence the metric \
is far from normally distributed: positives are few, or the metric is read at a prevalence where it depends on few \
negatives, or the model is nearly perfect (an average precision of {NEARLY_PERFECT:g}).

{table(("stream", "metric", "positives", "read at", "false alarms", "at own prevalences"), _quiet(quiet))}

## The model becomes worse

From look {CHANGED_AT} on, the average precision at the common prevalence is lower. The delay is a number of looks; it \
is 1 for the look at which the model changed. Streams with a false alarm before the change are left out.

{
        table(
            ("stream", "positives", "lower by", f"seen within {SOON}", "by delay 1, 2, 3", "median delay", "never"),
            _worse(worse),
        )
    }
"""


def _quiet(lines: Sequence[Line]) -> Iterable[tuple[str, ...]]:
    for line in lines:
        setting = line.setting
        naively = f"{100 * line.naive_alarm:.1f} %" if has_naive(setting) else ""
        name = setting.name + ", nearly perfect" * (setting.average_precision == NEARLY_PERFECT)
        rate = f"{100 * line.any_alarm:.1f} % ± {100 * line.error:.1f}"
        yield name, setting.metric, f"{setting.n_pos:,}", f"{setting.read_at:g}", rate, naively


def _worse(lines: Sequence[Line]) -> Iterable[tuple[str, ...]]:
    for line in lines:
        setting, delays = line.setting, np.array(line.delays)
        by = ", ".join(f"{100 * np.mean((delays > 0) & (delays <= k)):.0f} %" for k in (1, 2, 3))
        median = np.median(np.where(delays > 0, delays, np.inf))
        never = f"{100 * np.mean(delays == 0):.1f} %"
        shown = "never" if np.isinf(median) else f"{median:.0f}"
        soon = f"{100 * line.soon:.1f} %"
        yield setting.name, f"{setting.n_pos:,}", f"{setting.decay:g}", soon, by, shown, never


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--n", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    n = 50 if options.quick else options.n
    quiet, worse = quiet_settings(quick=options.quick), decay_settings(quick=options.quick)
    wanted = [quiet[0], worse[0], *quiet[1:], *worse[1:]]  # what is asked most, first
    lines: list[Line] = []
    for line in run(wanted, n, options.workers, kept(options.keep, n)):
        lines.append(line)
        print(line.setting, f"{100 * line.any_alarm:.1f} % alarms, {100 * line.soon:.1f} % seen soon", flush=True)
        if options.keep:
            keep(options.keep, lines, n)
        if options.write:
            options.write.write_text(page(lines, n, len(wanted) - len(lines)), encoding="utf-8")
    print(page(lines, n))


if __name__ == "__main__":
    main()
