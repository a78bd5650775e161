"""Speed and memory beside other programs, in one run: ratios are what counts, milliseconds belong to a machine.

``python benchmarks/speed.py`` prints the page; ``--write docs/speed.md`` puts it into the documentation, with its
picture; ``--quick`` takes few rows and less than a minute; ``--huge`` adds 1e8 rows; ``--only memory calibration``
measures some sections alone, in minutes, and has them take their places on the page, with the day; ``--cpu`` has their
seconds be processor time, where others use the machine. Programs that are not installed are left out, and the page says
so.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import competitors
import further_questions as further
import main_job
import rows_to_numbers as numbers
import timing
import where_time_goes
from competitors import SCIPY, SKLEARN, TORCH, TORCH_BINNED
from sections import FULL, QUICK, Section, Sizes, say, wrapped
from speed_picture import picture
from timing import TOLERANCE, Race, digits, in_words
from workload import Workload

import baserate as br

PICTURE = "speed.svg"
_DRAWN = (numbers.OURS, SKLEARN, TORCH, TORCH_BINNED, numbers.SORTING, numbers.READING)


def sections(sizes: Sizes, *, huge: bool) -> tuple[numbers.APRaces, list[Section]]:
    """All that is measured."""
    races = numbers.average_precision_races(sizes, huge=huge)
    found = [
        main_job.section(sizes),
        where_time_goes.section(sizes),
        numbers.average_precision_section(races),
        numbers.growth_section(races),
        numbers.curve_section(sizes),
        further.prevalences_section(sizes),
        further.intervals_section(sizes),
        further.calibration_section(sizes),
        further.files_section(sizes),
        *([numbers.memory_section(sizes, huge=huge)] if numbers.CAN_TELL_PEAKS else []),
        numbers.import_section(sizes),
    ]
    return races, found


def _of_average_precision(sizes: Sizes) -> list[Section]:
    races = numbers.average_precision_races(sizes)
    return [numbers.average_precision_section(races), numbers.growth_section(races)]


# What can be measured alone.
ALONE: dict[str, Callable[[Sizes], list[Section]]] = {
    "main-job": lambda sizes: [main_job.section(sizes)],
    "where": lambda sizes: [where_time_goes.section(sizes)],
    "average-precision": _of_average_precision,
    "prevalences": lambda sizes: [further.prevalences_section(sizes)],
    "intervals": lambda sizes: [further.intervals_section(sizes)],
    "calibration": lambda sizes: [further.calibration_section(sizes)],
    "memory": lambda sizes: [numbers.memory_section(sizes)],
}


def learned(found: list[Section], sizes: Sizes) -> str:
    """The three sentences to take away, with the figures of this run."""
    races = {key: run for section in found for key, run in section.races.items()}
    example = races[numbers.AVERAGE_PRECISION, Workload(sizes.rows, 0.01)]
    one = _range([races[key] for key in races if key[0] == numbers.AVERAGE_PRECISION and key[1].n == sizes.rows])
    many = _range([races[key] for key in races if further.AT_PREVALENCES in key[0]])
    drawn = _range([races[key] for key in races if key[0] == further.REPLICATES], SCIPY)
    return f"""One average precision from {sizes.rows:,} labels and scores, one in a hundred positive and no two scores
alike, takes {in_words(example.ours.median)} here and {in_words(example.others[SKLEARN].median)} in scikit-learn; over
all prevalences, with ties and without, scikit-learn takes {one} as long. For an area at {further.N_PREVALENCES:,}
prevalences it takes {many} as long, because it weights and sorts the rows for each, and a curve is sorted once. For
{further.N_REPLICATES:,} bootstrap replicates scipy, which draws and sorts rows, takes {drawn} as long, because only
what the curve can tell apart is drawn."""


def _range(races: list[Race], other: str = SKLEARN) -> str:
    """The smallest and the largest ratio where both gave the same number."""
    ratios = sorted(run.ratio(other).median for run in races if run.agrees(other))
    return f"{digits(ratios[0])} to {digits(ratios[-1])} times" if ratios else "(with other numbers) not comparably"


def faster_others(found: list[Section]) -> str:
    """Where another program won, and how often."""
    by_question: dict[tuple[str, str], list[Race]] = {}
    for section in found:
        for (question, _), run in section.races.items():
            for name in sorted(run.others.keys() - set(numbers.LIMITS)):
                by_question.setdefault((question, name), []).append(run)
    lines = [_won(*key, races) for key, races in sorted(by_question.items())]
    lines = [line for line in lines if line]
    if not lines:
        return "Nowhere in this run was another program faster."
    return "\n\n".join(["Where another program was faster in this run:", "\n".join(lines)])


def _won(question: str, name: str, races: list[Race]) -> str:
    """One line of a list, or none."""
    won = [run for run in races if run.ratio(name).median < 1]
    if not won:
        return ""
    times = sorted(1 / run.ratio(name).median for run in won)
    by = digits(times[0]) if len(won) == 1 else f"{digits(times[0])} to {digits(times[-1])}"
    other = "" if all(run.agrees(name) for run in won) else ", with another number"
    return f"- {question}: {name}, {by} times as fast in {len(won)} of {len(races)} cases{other}."


def method(left_out: list[str], programs: list[str]) -> str:
    """How it was measured, and what that leaves open."""
    missing = f" Not installed, so left out: {', '.join(left_out)}." if left_out else ""
    peaks = "" if numbers.CAN_TELL_PEAKS else " Peaks of memory can be told on Linux only, and are left out."
    return f"""By `make bench`: everything in one run on one machine with {os.cpu_count()} processors, so that ratios
mean something and milliseconds little. Python {platform.python_version()}, {", ".join(programs)}; rows are counted by
`{br.native.status()}` ([the kernel](kernel.md)).{missing}{peaks}

Programs take turns, and each round gives one ratio: the other program's time divided by baserate's. Printed are the
median and, in brackets, the quartiles; above 1 baserate is faster. A ratio is printed only if both gave the same
number, within {TOLERANCE:g} unless said otherwise; else both numbers are. A dash says that it was not run. Programs use
as many processors as they like. Scores are float64, as they come or rounded to three decimals, which makes ties.

Limits: two overlapping normal classes are all there is to rank; the rows are in memory, in random order and without
weights; another machine has other ratios."""


def page(sizes: Sizes, *, huge: bool = False) -> tuple[str, str]:
    """The page and its picture."""
    races, found = sections(sizes, huge=huge)
    programs, left_out = competitors.versions()
    parts = [
        "# Speed and memory",
        wrapped(learned(found, sizes)),
        f"![Seconds that one average precision takes, over rows, at prevalence 0.01 without ties]({PICTURE})",
        faster_others(found),
        "## How it was measured",
        wrapped(method(left_out, programs)),
        *(str(section).rstrip() for section in found),
    ]
    title = "Seconds that one average precision takes, over rows: programs, and two limits"
    return "\n\n".join(parts) + "\n", picture(drawn(races), numbers.LIMITS, title)


def with_section(page: str, found: Section, by: str = "") -> str:
    """A page that was written before with a section measured anew, in its place or in front of all others."""
    own_words = f"{found.words}\n\nThis section was measured by itself{by}, on {date.today():%d %B %Y}."
    head, *others = page.rstrip().split("\n\n## ")
    heads = [other.split("\n")[0].split(",")[0] for other in others]
    new = str(replace(found, words=own_words)).removeprefix("## ").rstrip()
    own_head = found.head.split(",")[0]
    if own_head in heads:
        others[heads.index(own_head)] = new
    else:
        others.insert(1 + next((k for k, other in enumerate(heads) if other == "How it was measured"), -1), new)
    return "\n\n## ".join([head, *others]) + "\n"


def drawn(races: numbers.APRaces) -> dict[str, dict[int, float]]:
    """Seconds by program and rows, at prevalence 0.01 without ties."""
    runs = {w.n: numbers.results(run) for w, run in races.items() if w == Workload(w.n, 0.01)}
    lines = {name: {n: seconds[name] for n, seconds in runs.items() if name in seconds} for name in _DRAWN}
    return {name: line for name, line in lines.items() if line}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rows: less than a minute, and not to be believed")
    parser.add_argument("--huge", action="store_true", help="1e8 rows as well, where the memory allows it")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there, and its picture beside it")
    parser.add_argument("--only", nargs="+", choices=ALONE, help="these sections alone: minutes")
    parser.add_argument("--cpu", action="store_true", help="with --only: processor time, where others use the machine")
    options = parser.parse_args()
    if options.only:
        if options.cpu:
            timing.clock = time.process_time
        for name in options.only:
            for section in ALONE[name](QUICK if options.quick else FULL):
                _alone(section, options.write, by=", by processor time because others used the machine" * options.cpu)
        return
    text, drawing = page(QUICK if options.quick else FULL, huge=options.huge)
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
        options.write.with_name(PICTURE).write_text(drawing, encoding="utf-8")
    say("done")


def _alone(found: Section, target: Path | None, by: str) -> None:
    print(found)
    if target:
        target.write_text(with_section(target.read_text(encoding="utf-8"), found, by), encoding="utf-8")


if __name__ == "__main__":
    main()
