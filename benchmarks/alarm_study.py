"""How often monitoring raises false alarms, and how soon it sees that a model has become worse.

Several procedures see the same simulated streams. ``python benchmarks/alarm_study.py`` prints the tables, ``--write
docs/monitoring-study.md`` puts them into the documentation, and ``--quick`` simulates less. What is done is kept
(``--keep FILE``), so a study that was stopped goes on: every kind of stream gets a few more, in turn, first the most
important kinds, until all have as many as wanted, or until ``--minutes`` are over.
"""

import argparse
import json
import platform
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from alarm_procedures import (
    FALSE_ALARM,
    FAR,
    LONG,
    N_DEALS,
    NEVER_SKIPPED,
    NEVER_SKIPPED_LONG,
    OTHERS,
    VERY_FAR,
    alarms,
)
from alarm_streams import (
    AP,
    COMMON,
    LOOKS,
    NEARLY_PERFECT,
    RARE,
    REFERENCE,
    Setting,
    long_settings,
    quiet_settings,
    stream,
    worse_settings,
)
from tables import table
from which_code import PACKAGE, fingerprint

import baserate as br

NAMES = ("any number", "planned", *OTHERS)
COMPARED = ("any number", "planned", "CUSUM")
PART = 20  # streams of a kind at a time
SLOW = 40  # streams of a kind that a slow procedure sees
SOON, WANTED = 3, 0.8  # looks within which, and in how many streams, a decay by 0.1 is to be seen with 200 positives

# The first alarm of each stream of a kind, by procedure; 0 if there was none.
Found = dict[str, list[int]]


def simulate(setting: Setting, start: int, n: int) -> Found:
    """The first alarms in streams of a kind, from one number on."""
    kind = zlib.crc32(repr(setting).encode())
    found: Found = {name: [] for name in NAMES}
    for number in range(start, start + n):
        counts = stream(setting, np.random.default_rng([kind, number]))
        for name, first in zip(NAMES[:2], alarms(counts, setting), strict=True):
            found[name].append(first)
        for name, procedure in OTHERS.items():
            if asked(name, setting, number):
                found[name].append(procedure(counts, setting))
    return {name: first for name, first in found.items() if first}


def asked(name: str, setting: Setting, number: int) -> bool:
    """Whether a procedure other than the library's sees a stream."""
    if name == "martingale":
        return number < SLOW and setting.looks <= LOOKS
    return name == "CUSUM" or not setting.decay


# --- going on -------------------------------------------------------------------------------------


def made_by() -> str:
    """The code of the study and of what it asks."""
    here, asked = Path(__file__).parent, PACKAGE / "monitoring"
    files = [here / "alarm_streams.py", here / "alarm_procedures.py", asked / "alarms.py", asked / "looks.py"]
    return fingerprint(files, ("curves", "formulas", "metrics", "uncertainty"))


def kept(path: Path, now: str) -> dict[Setting, Found]:
    """What earlier runs of the same code have found."""
    found: dict[Setting, Found] = defaultdict(lambda: defaultdict(list))
    if path.exists():
        for text in path.read_text(encoding="utf-8").splitlines():
            by, setting, part = json.loads(text)
            if by == now:
                for name, first in part.items():
                    found[Setting(**setting)][name] += first
    return found


def keep(path: Path, by: str, setting: Setting, part: Found) -> None:
    """Add a part that some code has found."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps([by, setting._asdict(), part]) + "\n")


def run(wanted: Mapping[Setting, int], path: Path, by: str, end: float) -> None:
    """Simulate what is missing, a few streams of each kind in turn."""
    there = {setting: len(found["any number"]) for setting, found in kept(path, by).items()}
    while missing := {setting: there.get(setting, 0) for setting, n in wanted.items() if there.get(setting, 0) < n}:
        for setting in (setting for setting, n in missing.items() if n < min(missing.values()) + share(setting)):
            if time.monotonic() > end:
                return
            start = missing[setting]
            n = min(share(setting), wanted[setting] - start)
            keep(path, by, setting, simulate(setting, start, n))
            there[setting] = start + n
            print(f"{there[setting]:5} {setting}", flush=True)


def share(setting: Setting) -> int:
    """Streams at a time: fewer of long ones."""
    return max(1, PART * LOOKS // setting.looks)


# --- in words -------------------------------------------------------------------------------------


class Line(NamedTuple):
    """What one procedure found in streams of one kind."""

    setting: Setting
    procedure: str
    first: Sequence[int]

    @property
    def alarms(self) -> float:
        """The share of streams with an alarm, before the model changes if it does."""
        first = np.array(self.first)
        until = self.setting.changed_at if self.setting.decay else np.inf
        return float(np.mean((first > 0) & (first < until)))

    @property
    def error(self) -> float:
        """Its standard error."""
        return float(np.sqrt(self.alarms * (1 - self.alarms) / len(self.first)))

    @property
    def nominal_error(self) -> float:
        """What it would be at the nominal rate."""
        return float(np.sqrt(FALSE_ALARM * (1 - FALSE_ALARM) / len(self.first)))

    @property
    def delays(self) -> np.ndarray:
        """Looks until the change was seen, 1 for the look at which it came; infinity if it was not."""
        first = np.array([one for one in self.first if not 0 < one < self.setting.changed_at])
        return np.where(first > 0, first - self.setting.changed_at + 1.0, np.inf)

    @property
    def soon(self) -> float:
        """The share of streams in which the change was seen soon."""
        return float(np.mean(self.delays <= SOON))

    @property
    def soon_error(self) -> float:
        """Its standard error."""
        return float(np.sqrt(self.soon * (1 - self.soon) / len(self.delays)))

    @property
    def median(self) -> float:
        """The median delay; infinity if most changes were not seen."""
        return float(np.median(self.delays)) if len(self.delays) else np.nan

    @property
    def median_said(self) -> str:
        """The same in words."""
        return "never" if np.isinf(self.median) else f"{self.median:g}"


def lines(found: Mapping[Setting, Found], settings: Sequence[Setting]) -> list[Line]:
    """A line for each kind of stream and procedure."""
    return [Line(one, name, first) for one in settings if one in found for name, first in found[one].items()]


ABOUT = {
    "any number": f"""`model_alarms` as it is by default, for any number of looks. What looks spend adds up to \
{100 * FALSE_ALARM:g} %.""",
    "planned": """`model_alarms` with `looks=` the number of looks in the stream. Every look spends the same.""",
    "martingale": f"""(the first {SLOW} streams of a kind) each period is compared with all rows before it by a \
permutation test, and bets against these p-values multiply. An alarm is a capital of 20. It needs no planned looks \
either. But a model that stays worse becomes its past, so its evidence fades again.""",
    "CUSUM": """the textbook chart of standardised changes, with the true standard deviations, and a limit for as many \
looks.""",
    "own prevalences": """the metric as it is printed every month, below the reference by more than chance, with the \
true standard deviations, corrected for the number of looks.""",
}


def page(found: Mapping[Setting, Found], n: int = 0, *, quick: bool = False) -> str:
    quiet, worse = quiet_settings(quick=quick), worse_settings(quick=quick)
    long = [] if quick else long_settings()
    fewer = sum(len(found[one]["any number"]) < n if one in found else True for one in (*quiet, *worse, *long))
    stopped = f" The run is not complete: {fewer} kinds of streams have fewer than {n:,} or none." if fewer else ""
    names = {name for one in found.values() for name in one}
    procedures = "\n".join(f"- **{name}**: {about}" for name, about in ABOUT.items() if name in names)
    return f"""# How often monitoring raises false alarms

Made by `make alarm-study` with baserate {br.__version__}, numpy {version("numpy")} and Python \
{platform.python_version()}. Streams of periods were simulated whose truth is known. The model has an average \
precision of {AP:g} at the common prevalence of {COMMON:g}, with scores that are normal in both classes and rounded to \
fifths of a standard deviation. The first {REFERENCE} periods are the reference; each later one is a look. The nominal \
rate is {100 * FALSE_ALARM:g} % for any false alarm in a stream. All procedures saw the same streams; tables say how \
many, and ± is a standard error.{stopped}

{procedures}

Both `model_alarms` compare windows of 1, 2, 3 and 6 periods with the reference, and take their limits from a \
permutation test. Three things save time. It began with {N_DEALS} permutations instead of 300, which makes limits that \
are far from an alarm less precise. It ended with the first alarm. And it left out looks that are far from an alarm: \
where no window is among the worst {FAR:g} times as many of its kind as the level of the look allows (at least the \
worst {100 * NEVER_SKIPPED:g} %, of streams of {LONG} looks or more {100 * NEVER_SKIPPED_LONG:g} %), or where the \
worst one is within the normal quantile of {VERY_FAR:g} times the level. Where few negatives decide (at a prevalence \
of {RARE:g}, or with a nearly perfect model) it took every look. With a factor of 12 instead of {FAR:g}, the first \
alarms of 144 streams that had one were the same, and of 96 streams of 1,000 looks without the second rule. Tests \
compare some with `model_alarms(…, n_resamples={N_DEALS}, min_pos=1)`, which leaves out nothing. Periods with fewer \
than 10 positives, which `model_alarms` skips by default, count here.

## What it shows

{_shows(lines(found, [*quiet, *long]), lines(found, worse))}

## The model stays

The prevalence moves between 1 in 125 and 1 in 20, and the number of positives with it. The model does not change, so \
every alarm is false. The first column of numbers has the positives in a period of the common prevalence. Some streams \
have a metric that is far from normally distributed: positives are few, or the metric is read at a prevalence where \
it depends on few negatives, or the model is nearly perfect (an average precision of {NEARLY_PERFECT:g}).

{_stays(lines(found, quiet))}
{_of_long(lines(found, long))}
## The model becomes worse

In these streams the model becomes worse at some look, and stays so: its average precision at the common prevalence \
falls. The delay is a number of looks; it is 1 for the look at which the model changed. Streams with a false alarm \
before the change are left out.

{_becomes_worse(lines(found, worse))}
"""


def _shows(stays: Sequence[Line], worse: Sequence[Line]) -> str:
    """The answers in sentences: false alarms, and delays."""
    said = [_false_alarms(name, of) for name in COMPARED if (of := [line for line in stays if line.procedure == name])]
    setting = worse_settings()[0]
    soon = [
        f"{line.procedure} {100 * line.soon:.0f} % ± {100 * line.soon_error:.1f}"
        for line in worse
        if line.setting == setting and line.procedure in COMPARED
    ]
    decay = f"A decay by {setting.decay:g} with {setting.n_pos} positives"
    said.append(f"- **{decay}** is seen within {SOON} looks: {', '.join(soon)}.")
    median: dict[str, dict[Setting, str]] = defaultdict(dict)
    for line in worse:
        median[line.procedure][line.setting] = line.median_said
    pairs: dict[int, list[str]] = defaultdict(list)
    for setting, said_of_any in median["any number"].items():
        pairs[setting.changed_at].append(f"{said_of_any}/{median['planned'][setting]}")
    by_look = "; ".join(f"at look {look}: {', '.join(some)}" for look, some in pairs.items())
    said.append(f"- **Median delays** of any number / planned, by when the model becomes worse: {by_look}.")
    return "\n".join(said)


def _false_alarms(name: str, of: Sequence[Line]) -> str:
    """How often a procedure raised a false alarm."""
    rates = [100 * line.alarms for line in of]
    over = [line for line in of if line.alarms > FALSE_ALARM + 2 * line.nominal_error]
    beyond = f"{len(over)} of them" if over else "none of them"
    return (
        f"- **{name}** raised a false alarm in {min(rates):.1f} to {max(rates):.1f} % of the streams, in {len(of)} "
        f"kinds of streams whose model stays; {beyond} above {100 * FALSE_ALARM:g} % by more than two standard errors."
    )


def _stays(found: Sequence[Line]) -> str:
    names = [name for name in NAMES if any(line.procedure == name for line in found)]
    rows = []
    for setting in dict.fromkeys(line.setting for line in found):
        of = {line.procedure: line for line in found if line.setting == setting}
        kind = setting.prevalence, setting.metric + ", nearly perfect" * (setting.average_precision == NEARLY_PERFECT)
        facts = *kind, f"{setting.n_pos:,}", f"{setting.read_at:g}", f"{setting.looks:,}"
        n = f"{len(next(iter(of.values())).first):,}"
        rows.append((*facts, n, *(_rate(of[name]) if name in of else "" for name in names)))
    return table(("prevalence", "metric", "positives", "read at", "looks", "streams", *names), rows)


def _of_long(found: Sequence[Line]) -> str:
    return f"\nLong streams:\n\n{_stays(found)}\n" if found else ""


def _rate(line: Line) -> str:
    return f"{100 * line.alarms:.1f} % ± {100 * line.error:.1f}"


def _becomes_worse(found: Sequence[Line]) -> str:
    rows = []
    for line in found:
        setting, delays = line.setting, line.delays
        of = setting.prevalence, f"{setting.n_pos:,}", f"{setting.decay:g}", f"{setting.changed_at:,}"
        by = ", ".join(f"{100 * np.mean(delays <= k):.0f} %" for k in range(1, SOON + 1))
        rows.append((*of, line.procedure, f"{len(line.first):,}", f"{100 * line.alarms:.1f} %", by, line.median_said))
    heads = ("prevalence", "positives", "lower by", "from look", "procedure", "streams", "early alarms")
    return table((*heads, f"seen by delay {', '.join(map(str, range(1, SOON + 1)))}", "median delay"), rows)


def wanted(n: int, *, quick: bool = False) -> Iterator[dict[Setting, int]]:
    """How many streams of each kind, the most important kinds first."""
    decays, long = worse_settings(quick=quick), [] if quick else long_settings()
    yield dict.fromkeys([*decays[:1], *quiet_settings(quick=quick)], n)
    for looks in sorted({setting.looks for setting in long}):
        yield dict.fromkeys((setting for setting in long if setting.looks == looks), n)
    yield dict.fromkeys(decays[1:], n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--keep", type=Path, default=Path("build/alarm-study.jsonl"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--n", type=int, default=1_000)
    parser.add_argument("--minutes", type=float, default=1e6)
    options = parser.parse_args()
    n = min(options.n, 20) if options.quick else options.n
    by, end = made_by(), time.monotonic() + 60 * options.minutes  # of the code as it was loaded
    for group in wanted(n, quick=options.quick):
        run(group, options.keep, by, end)
    text = page(kept(options.keep, by), n, quick=options.quick)
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
