"""How often intervals for the prevalence of unlabelled rows hold, and what the check of the mixture sees.

``python benchmarks/prevalence.py`` prints the tables, ``--write docs/prevalence-study.md`` puts them into the
documentation and ``--quick`` simulates less.
"""

import argparse
import itertools
import os
import platform
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from tables import table

import baserate as br
from baserate.formulas.mixture import Histograms, fit_mixture, fit_posteriors
from baserate.prior.bins import middle_cut
from baserate.prior.methods import cuts_of, largest_rise, misfit
from baserate.prior.prevalence import METHODS
from baserate.prior.rows import StretchedRows, side_by_side

Floats = NDArray[np.float64]

LEVEL, WANTED = 0.95, 0.93
RISE = 1.959963984540054**2  # of twice the log-likelihood, for "em"
CHUNK = 250  # fits at once
CHECK_LEVEL, MOST_ALARMS = 0.05, 0.06
WANTED_POWER = 0.8
FINE, TIED = 0.02, 0.5  # to which scores are rounded, in standard deviations
DISTANCES = {"strong": 2.5, "weak": 1.0}
LABELLED = ((50, 500), (200, 2_000), (1_000, 10_000))
UNLABELLED = (1_000, 10_000, 100_000)
PREVALENCES = (0.001, 0.01, 0.1, 0.5)


class Shift(NamedTuple):
    """What has happened to the scores of the unlabelled rows, apart from the prevalence: in standard deviations."""

    name: str
    neg_moved: float = 0.0
    neg_spread: float = 1.0
    pos_moved: float = 0.0


NOTHING = Shift("only the prevalence")
NAMED = Shift("negatives lower by half a standard deviation", neg_moved=-0.5)
SHIFTS = (
    NAMED,
    Shift("all scores lower by half a standard deviation", neg_moved=-0.5, pos_moved=-0.5),
    Shift("negatives spread wider by half", neg_spread=1.5),
    Shift("negatives higher by half a standard deviation", neg_moved=0.5),
    Shift("positives lower by half a standard deviation", pos_moved=-0.5),
)


class Setting(NamedTuple):
    """Rows that are simulated."""

    model: str
    n_pos: int
    n_neg: int
    n_unlabelled: int
    prevalence: float
    tied: bool = False
    shift: Shift = NOTHING

    def __str__(self) -> str:
        kind = f"{self.model}{', tied' * self.tied}"
        return f"{kind}, {self.n_pos:,} : {self.n_neg:,}, {self.n_unlabelled:,} at {self.prevalence:g}"


class Line(NamedTuple):
    """What a method did in a setting."""

    setting: Setting
    method: str
    n: int  # simulations with an answer
    held: float
    too_low: float  # the interval lies below the truth
    width: float
    alarms: float  # of the check, which is the same for all methods

    @property
    def falls_short(self) -> bool:
        """Whether it holds too seldom, by more than the simulation may be off."""
        return self.held < WANTED - 2 * float(np.sqrt(WANTED * (1 - WANTED) / self.n))

    @property
    def alarms_too_often(self) -> bool:
        """Whether the check alarms too often, by more than the simulation may be off."""
        return self.alarms > MOST_ALARMS + 2 * float(np.sqrt(MOST_ALARMS * (1 - MOST_ALARMS) / self.n))


# --- rows -----------------------------------------------------------------------------------------


class Cells(NamedTuple):
    """How likely each rounded score is, and the probability of a positive at it, where the rows were labelled."""

    score: Floats
    pos: Floats
    neg: Floats
    now: Floats


@cache
def cells(setting: Setting) -> Cells:
    """Normal scores, positives higher by the distance, rounded."""
    distance, step = DISTANCES[setting.model], TIED if setting.tied else FINE
    places = np.arange(round(-8 / step), round((8 + distance) / step) + 1, dtype=np.float64) * step
    own = setting.n_pos / (setting.n_pos + setting.n_neg)
    pos, neg = chances(places, step, distance), chances(places, step, 0.0)
    odds = (own * pos) / ((1 - own) * neg)
    shift = setting.shift
    now_pos = chances(places, step, distance + shift.pos_moved)
    now_neg = chances(places, step, shift.neg_moved, shift.neg_spread)
    now = setting.prevalence * now_pos + (1 - setting.prevalence) * now_neg
    return Cells(odds / (1 + odds), pos / pos.sum(), neg / neg.sum(), now / now.sum())


def chances(places: Floats, step: float, mean: float, spread: float = 1.0) -> Floats:
    """Of a normal score to be rounded to each place: from the side on which the difference keeps its digits."""
    low, high = (places - step / 2 - mean) / spread, (places + step / 2 - mean) / spread
    return np.asarray(np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low)))


def drawn(setting: Setting, rng: np.random.Generator) -> tuple[br.Curve, br.Curve]:
    """Labelled rows and unlabelled ones."""
    found = cells(setting)
    pos, neg = rng.multinomial(setting.n_pos, found.pos), rng.multinomial(setting.n_neg, found.neg)
    now = rng.multinomial(setting.n_unlabelled, found.now)
    there = (pos > 0) | (neg > 0)
    labelled = br.Curve.from_counts(found.score[there], pos[there], neg[there])
    return labelled, br.Curve.from_counts(found.score[now > 0], np.zeros(int(np.sum(now > 0)), np.int64), now[now > 0])


# --- the study ------------------------------------------------------------------------------------


class Answers(NamedTuple):
    """Intervals, and the p-values of the check."""

    low: Floats
    high: Floats
    p_value: Floats


def simulate(setting: Setting, n: int, seed: int) -> list[Line]:
    """All methods on the same rows, n times; what is the same for all fits is worked out for many at once."""
    rng = np.random.default_rng(seed)
    many = [side_by_side(*drawn(setting, rng)) for _ in range(n)]
    found = {"mixture": mixtures(many)}
    if setting.shift == NOTHING:
        found["adjusted_count"] = fits([rows.counts(middle_cut(rows.pos, rows.neg)) for rows in many])
        # What "em" answers does not depend on the labelled rows.
        if (setting.n_pos, setting.n_neg) == LABELLED[1]:
            found["em"] = trusting(many, setting)
    return [_line(setting, method, answers) for method, answers in found.items()]


def mixtures(many: Sequence[StretchedRows]) -> Answers:
    """What "mixture" answers."""
    return fits([rows.counts(cuts_of(rows)) for rows in many])


def fits(counts: Sequence[Histograms]) -> Answers:
    """Fits of histograms, together where they have equally many bins."""
    found = Answers(*(np.full(len(counts), np.nan) for _ in range(3)))
    for start in range(0, len(counts), CHUNK):
        part = range(start, min(start + CHUNK, len(counts)))
        for n_bins in {len(counts[k].pos) for k in part} - {1}:
            mine = [k for k in part if len(counts[k].pos) == n_bins]
            stacked = Histograms(*(np.array(column) for column in zip(*(counts[k] for k in mine), strict=True)))
            smaller = float(min(stacked.pos[0].sum(), stacked.neg[0].sum()))
            fit = fit_mixture(stacked, largest_rise(smaller, n_bins, LEVEL))
            found.low[mine], found.high[mine] = fit.low, fit.high
            if n_bins > 2:
                found.p_value[mine] = misfit(fit, smaller, n_bins)[2]
    return found


def trusting(many: Sequence[StretchedRows], setting: Setting) -> Answers:
    """What "em" answers."""
    own = setting.n_pos / (setting.n_pos + setting.n_neg)
    found = [fit_posteriors(rows.now.score, rows.now.neg.astype(np.float64), own, RISE) for rows in many]
    low, high = (np.array([getattr(fit, name) for fit in found], np.float64) for name in ("low", "high"))
    return Answers(low, high, np.full(len(many), np.nan))


def _line(setting: Setting, method: str, answers: Answers) -> Line:
    known = ~np.isnan(answers.low)
    low, high, p_value = (column[known] for column in answers)
    truth = setting.prevalence
    return Line(
        setting,
        method,
        int(known.sum()),
        held=float(np.mean((low <= truth) & (truth <= high))),
        too_low=float(np.mean(high < truth)),
        width=float(np.median(high - low)),
        alarms=float(np.mean(p_value < CHECK_LEVEL)),  # no check is no alarm
    )


def settings(*, quick: bool = False) -> list[Setting]:
    """Where only the prevalence has changed."""
    kinds = itertools.product(DISTANCES, LABELLED, UNLABELLED, PREVALENCES, (False, True))
    found = [Setting(model, *labelled, m, eta, tied) for model, labelled, m, eta, tied in kinds]
    return found[::19] if quick else found


def shifted_settings(*, quick: bool = False) -> list[Setting]:
    """Where something else has changed too."""
    kinds = list(itertools.product(SHIFTS[:1] if quick else SHIFTS, DISTANCES, PREVALENCES))
    found = [Setting(model, 200, 2_000, 10_000, eta, shift=shift) for shift, model, eta in kinds]
    return found[::3] if quick else found


def _work(task: tuple[Setting, int, int]) -> list[Line]:
    return simulate(*task)


def run(tasks: Sequence[tuple[Setting, int, int]], workers: int) -> list[Line]:
    """All of it, with a line for each setting that is done."""
    lines: list[Line] = []
    with ProcessPoolExecutor(workers) as pool:
        for done, found in enumerate(pool.map(_work, tasks), 1):
            lines += found
            print(f"{done} of {len(tasks)}: {found[0].setting}", file=sys.stderr, flush=True)
    return lines


# --- the page -------------------------------------------------------------------------------------

INTRODUCTION = """# How well the prevalence is known

Made by `make prior-study`: {n:,} simulated sets of labelled and unlabelled rows for each setting, intervals at 95 %.
{versions}.

Scores are normal; positives are higher by 2.5 standard deviations (strong) or by one (weak). Scores are rounded to
0.02 standard deviations, or to 0.5 ("tied"). As probabilities they are calibrated at the prevalence of the labelled
rows. There are 50 : 500, 200 : 2,000 or 1,000 : 10,000 labelled positives and negatives, and 1,000, 10,000 or 100,000
unlabelled rows, of which 0.1 %, 1 %, 10 % or 50 % are positive.

## Intervals

A method falls short if its intervals contain the true prevalence in less than {wanted:.0f} % of cases, by more than two
standard errors of the simulation. An interval that begins at 0 cannot lie above the true value, so intervals for a low
prevalence contain it more often than 95 %. The result of "em" does not depend on the labelled rows, so it was studied
with only one number of them. "typical" is the median over the settings. "width" is the median ratio to the width of
"mixture".
"""

CHECK = """
## The check

The table has the rate of false alarms at the 5 % level where only the prevalence has changed. A rate counts as "too
often" if it is above {most:.0f} % by more than two standard errors.
"""

POWER = """
The next table is about settings where something else has changed, too, with 200 : 2,000 labelled rows and 10,000
unlabelled ones. It shows how often the check detects this and, in brackets, how often the interval of "mixture" still
contains the true prevalence. The goal is to detect the first of these changes in at least 80 % of cases.
"""

LIMITS = """
If negatives score *lower* than before, no mix of the old classes fits, and the check detects it. If negatives score
*higher* and the model is weak, this looks like more positives. If positives score lower, this looks like fewer of
them; where positives are rare, it is hardly ever detected. The interval is then wrong without any warning. So a check
that passes does not prove that only the prevalence has changed. Labels for a few hundred rows can show it: see
`prior_shift_check`.
"""


def page(lines: Sequence[Line], n: int) -> str:
    """The tables as a page."""
    kept = [line for line in lines if line.setting.shift == NOTHING]
    versions = f"Python {platform.python_version()}, baserate {br.__version__}, numpy {np.__version__}, scipy "
    parts = [INTRODUCTION.format(n=n, versions=versions + version("scipy"), wanted=100 * WANTED)]
    parts.append(table(("method", "labelled", "worst", "where", "falls short", "typical", "width"), _intervals(kept)))
    parts.append(CHECK.format(most=100 * MOST_ALARMS))
    parts.append(table(("labelled", "most", "where", "too often", "mean"), _alarms(kept)))
    moved = [line for line in lines if line.setting.shift != NOTHING]
    if moved:
        parts.append(POWER)
        heads = [f"at {eta:g}" for eta in sorted({line.setting.prevalence for line in moved})]
        parts.append(table(("what has changed", "model", *heads), _power(moved)))
        parts.append(LIMITS)
    return "\n".join(parts)


def _intervals(lines: Sequence[Line]) -> Iterable[tuple[str, ...]]:
    width = {line.setting: line.width for line in lines if line.method == "mixture"}
    for method in METHODS:
        for labelled in sorted({(line.setting.n_pos, line.setting.n_neg) for line in lines}):
            mine = [s for s in lines if s.method == method and (s.setting.n_pos, s.setting.n_neg) == labelled]
            if not mine:
                continue
            worst = min(mine, key=lambda line: line.held)
            ratio = np.median([line.width / width[line.setting] for line in mine])
            short = f"{sum(line.falls_short for line in mine)} of {len(mine)}"
            typical = f"{100 * np.median([line.held for line in mine]):.1f} %"
            sizes = f"{labelled[0]:,} : {labelled[1]:,}"
            yield method, sizes, f"{100 * worst.held:.1f} %", _where(worst), short, typical, f"{ratio:.2f}"


def _alarms(lines: Sequence[Line]) -> Iterable[tuple[str, ...]]:
    for labelled in sorted({(line.setting.n_pos, line.setting.n_neg) for line in lines}):
        mine = [s for s in lines if s.method == "mixture" and (s.setting.n_pos, s.setting.n_neg) == labelled]
        worst = max(mine, key=lambda line: line.alarms)
        often = f"{sum(line.alarms_too_often for line in mine)} of {len(mine)}"
        mean = f"{100 * np.mean([line.alarms for line in mine]):.1f} %"
        yield f"{labelled[0]:,} : {labelled[1]:,}", f"{100 * worst.alarms:.1f} %", _where(worst), often, mean


def _where(line: Line) -> str:
    setting = line.setting
    return f"{setting.model}{', tied' * setting.tied}, {setting.n_unlabelled:,} at {setting.prevalence:g}"


def _power(lines: Sequence[Line]) -> Iterable[tuple[str, ...]]:
    rows: dict[tuple[str, str], dict[float, str]] = defaultdict(dict)
    for line in lines:
        text = f"{100 * line.alarms:.0f} % ({100 * line.held:.0f} %)"
        rows[line.setting.shift.name, line.setting.model][line.setting.prevalence] = text
    for (shift, model), found in rows.items():
        yield shift, model, *(found[eta] for eta in sorted(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--n", type=int, default=2_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    n = 50 if options.quick else options.n
    wanted = [*settings(quick=options.quick), *shifted_settings(quick=options.quick)]
    tasks = [(setting, n, seed) for seed, setting in enumerate(wanted)]
    text = page(run(tasks, options.workers), n)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
