"""The main job: what commands cost on a Parquet file, and questions that take many draws, each with what it may cost.

Costs are processor time, which other programs on the machine disturb little, in units of one average precision of
scikit-learn from rows that are in memory already.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import competitors
import numpy as np
import polars as pl
from further_questions import N_REPLICATES, different_intervals, our_bootstrap
from sections import Section, Sizes, say
from tables import table
from timing import Runner, digits, in_words
from workload import Floats, Labels, Workload

import baserate as br

PROGRAM = [sys.executable, "-c", "from baserate.cli import main; main()"]
_REGIONS, _SECONDS_OF_A_YEAR = 6, 365 * 86_400
_MEASURED_REPLICATES = 3
_BALANCED = 0.5


class Cost(NamedTuple):
    """A line of the table: what it is, seconds of processor time, what that is to be compared by, and the aim."""

    what: str
    seconds: float
    compared: str
    aim: str


def section(sizes: Sizes) -> Section:
    """Everything that has an aim."""
    unit = next(iter(competitors.average_precision(*Workload(sizes.rows, 0.01).rows())))  # of scikit-learn
    with tempfile.TemporaryDirectory(prefix="baserate-bench-") as folder:
        costs = [*_commands(Path(folder), unit, sizes), *_draws(sizes), _difference(sizes)]
    words = f"""Processor time, user and system, of whole commands on a Parquet file of {sizes.rows:,} rows, one in a
hundred positive and no two scores alike, starting Python included. A unit is one `average_precision_score` of such
rows in memory, which was timed before and after each command; printed is the median of {sizes.fewest} ratios, with the
lowest and the highest. The file holds {sizes.models} scores, a time within a year and one of {_REGIONS} regions.

Below them is average precision from rows in memory, counting included, with {N_REPLICATES:,} draws for the default
interval and with as many bootstrap replicates within each class, beside `scipy.stats.bootstrap` of scikit-learn's for
the latter ({_MEASURED_REPLICATES} were drawn and their time multiplied; it says so if the intervals of both
bootstraps, from {sizes.intervals_compared:,} rows and all replicates, are further apart than a tenth of their width).
Last is the difference of two models' precision where each reaches half of the positives, from {sizes.rows:,} balanced
rows."""
    heads = ["what", "processor time", "compared", "aim"]
    rows = [[cost.what, in_words(cost.seconds), cost.compared, cost.aim] for cost in costs]
    return Section(f"The main job, {sizes.rows:,} rows", words, table(heads, rows, words=1))


# --- commands -------------------------------------------------------------------------------------


def make_file(path: Path, sizes: Sizes) -> None:
    """Scores of many models, each a little better than the one before, with times and regions."""
    label, score = Workload(sizes.rows, 0.01).rows()
    rng = np.random.default_rng(1)
    columns: dict[str, object] = {"label": label, _score(0): score}
    for k in range(1, sizes.models):
        margin = rng.normal(size=sizes.rows) + (1.5 + 0.02 * k) * label
        columns[_score(k)] = 1 / (1 + np.exp(1.5 - 2 * margin))
    seconds = rng.integers(0, _SECONDS_OF_A_YEAR, sizes.rows).astype("timedelta64[s]")
    columns["time"] = (np.datetime64("2026-01-01", "s") + seconds).astype("datetime64[us]")
    columns["region"] = np.array([f"region {k}" for k in range(_REGIONS)])[rng.integers(0, _REGIONS, sizes.rows)]
    pl.DataFrame(columns).write_parquet(path)


def _score(k: int) -> str:
    return f"model_{k}"


def _commands(folder: Path, unit: Runner, sizes: Sizes) -> Iterator[Cost]:
    path = folder / "scores.parquet"
    make_file(path, sizes)
    asked = ["--prevalence", "1:10000", "-q"]
    page, by = ["-o", str(folder / "page.html")], ["--by", "region", "--period", "time:month"]
    # The same store twice would have nothing to add; the last period is over.
    store = folder / "curves.store"
    monitoring = ["--store", str(store), "--period", "time:month", "--until", "2027-02-01"]
    jobs: list[tuple[str, list[str], int, int | None]] = [
        ("`baserate evaluate`", ["evaluate"], 1, 10),
        ("`baserate report`", ["report", *page], 1, 20),
        (f"`baserate report`, 2 models, 12 months, {_REGIONS} regions", ["report", *page, *by], 2, 80),
        (f"`baserate report`, {sizes.models} models", ["report", *page], sizes.models, 200),
        ("`baserate monitor`, 12 months, into a new store", ["monitor", *monitoring], 1, None),
    ]
    for what, (command, *options), n_models, most in jobs:
        say(what)
        scores = [word for k in range(n_models) for word in ("--score", _score(k))]
        arguments = [*PROGRAM, command, str(path), "--label", "label", *scores, *asked, *options]
        seconds, ratios = _in_units(partial(_afresh, store, arguments), unit, sizes.fewest)
        low, high = digits(min(ratios)), digits(max(ratios))
        compared = f"{digits(float(np.median(ratios)))} units ({low}–{high})"
        aim = "–" if most is None else f"at most {most} units"
        yield Cost(what, float(np.median(seconds)), compared, aim)


def _afresh(store: Path, command: list[str]) -> float:
    """Processor time of a command that finds no store."""
    for left in store.parent.glob(store.name + "*"):
        left.unlink()
    return child_seconds(command)


def _in_units(cost: Callable[[], float], unit: Runner, rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of each round, and what they are in units, before or after, whichever was disturbed less."""
    cost()  # warm: files in memory, modules compiled
    seconds, ratios = [], []
    for _ in range(rounds):
        before = own_seconds(unit.run)
        seconds.append(cost())
        ratios.append(seconds[-1] / min(before, own_seconds(unit.run)))
    return seconds, ratios


def child_seconds(command: list[str]) -> float:
    """Processor time of a command, user and system."""
    # Compiled modules are kept, as pip keeps those of a package that it installs.
    kept = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=kept)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def own_seconds(job: Callable[[], object]) -> float:
    """Processor time of something in this process."""
    start = time.process_time()
    job()
    return time.process_time() - start


# --- draws ----------------------------------------------------------------------------------------


def _draws(sizes: Sizes) -> Iterator[Cost]:
    for prevalence, least in ((0.01, 2000), (_BALANCED, 1000)):
        workload = Workload(sizes.rows, prevalence)
        say(f"{N_REPLICATES:,} draws: {workload}")
        rows = workload.rows()
        theirs = competitors.bootstrapped_average_precision(*rows, _MEASURED_REPLICATES, N_REPLICATES)
        runners = partial(our_default, *rows), our_bootstrap(*rows).run, theirs.run
        seconds = np.array([[own_seconds(run) for run in runners] for _ in range(1 + 2 * sizes.fewest)])[1:]  # warm
        ratios = np.median(theirs.times * seconds[:, 2:] / seconds[:, :2], axis=0)
        different = different_intervals(replace(workload, n=sizes.intervals_compared))
        for k, (how, note) in enumerate((("draws", ""), ("replicates", f", with {different}" * bool(different)))):
            what, compared = (
                f"{N_REPLICATES:,} {how}, prevalence {prevalence:g}",
                f"scipy: {digits(ratios[k])} × as long",
            )
            yield Cost(what, float(np.median(seconds[:, k])), compared + note, f"at least {least:,} ×")


def our_default(label: Labels, score: Floats) -> br.results.Estimate:
    """The interval that nobody has to ask for by name."""
    return br.estimate(br.average_precision, br.Curve.from_scores(label, score), n_resamples=N_REPLICATES, rng=0)


def _difference(sizes: Sizes) -> Cost:
    say("difference")
    label, score = Workload(sizes.rows, _BALANCED).rows()
    other = score + np.random.default_rng(1).normal(scale=0.1, size=sizes.rows)
    pair = br.Pair.from_scores(label, score, other)
    ask = partial(br.difference, br.precision, pair, at="recall >= 0.5", rng=0)
    seconds = float(np.median([own_seconds(ask) for _ in range(sizes.fewest)]))
    return Cost("`br.difference` at half of the positives, balanced", seconds, "–", "at most 10 s")
