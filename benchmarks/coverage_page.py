"""The page about the coverage study: a table for each kind of question, and what falls short."""

import math
import platform
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from typing import TypeVar

from coverage_lines import DRAWS, FEWEST_ANSWERS, WANTED, Line
from coverage_running import TIMES_AGAIN, Study
from sections import wrapped
from tables import table

K = TypeVar("K")

COLLAPSED = 1e-9  # a width that says that everything is known
SPREADS = 3.92  # standard deviations are as wide as a normal interval at 95 %

PARTS = {
    "areas": "Areas",
    "given": "Thresholds that were given",
    "chosen": "Thresholds that a rule chose on the data",
    "differences": "Two models on the same rows",
    "clusters": "Clusters",
    "slices": "Slices",
    "changes": "Changes",
    "alarms": "Alarms",
    "claims": "Claims",
    "blame": "Whether scores are blamed",
}
WORDS = {
    "areas": """Average precision, AUC-PR, AUC-PRG, AUC-ROC and the best F1, at the own prevalence of the test set, at
        0.9, 0.5, 0.01, 0.001, 1e-4 and 1e-5, and for small test sets at 80 and 99 %, too.""",
    "given": """Thresholds whose recall is 0.6, or 0.05, or that have one false positive in every sixth test set.""",
    "chosen": """"The threshold" is what the chosen threshold does in the population, the default of `estimate`; "the
        rule" is what the rule chooses there.""",
    "differences": """Normal scores, correlated row by row: equally good with equal shapes, equally good at one
        prevalence with unequal shapes, or one better. A test falls short where it finds a difference that is none in
        more than 5 % of cases.""",
    "clusters": "Three tenths of the variance of a score is that of its cluster.",
    "slices": "Four slices of one model at different prevalences; adjusted p-values are to find none that differs.",
    "changes": "Half as many positives later on, and the same model or a worse one.",
    "alarms": "Nine looks after three periods of reference, while the number of positives falls to a third.",
    "claims": """The bound is what the rule gives in the population. A claim called met is a mistake where the threshold
        that was chosen does not keep it, one called broken where it does.""",
    "blame": """Each row is positive with the probability that it has as a score; `reliability` is to find no bin that
        is off.""",
}


def page(study: Study, *, whole: bool) -> str:
    lines = [line for line in study.lines if line.answers >= FEWEST_ANSWERS]
    sections = [_section(part, [line for line in lines if line.setting.part == part]) for part in PARTS]
    packages = ", ".join(f"{name} {version(name)}" for name in ("baserate", "numpy", "scipy"))
    command = "make coverage WHOLE=yes" if whole else "make coverage"
    shortest = f"{100 * WANTED['coverage', 0.95]:.0f} % where 95 % is promised, 78 % for 80 %, 98 % for 99 %"
    words = f"""
Made by `{command}`: {study.n:,} simulated test sets for each of {_settings(lines)} settings, {DRAWS} draws for each
interval. Python {platform.python_version()}, {packages}.{_missing(study)}

The library is judged as it is called. Scores are normal, positives higher by one standard deviation (weak) or three
(strong); wholly apart (perfect); rounded so that most rows are tied; of three levels; with the tails of Student's law
with two degrees of freedom (t2); Beta; zero for many rows (zero-inflated); with positives that score like negatives
(unreachable); with a few positives or negatives far above all others; or weighted, with weights that rise with the
score. The truth is known by integration.

An interval falls short where it holds in less than {shortest}, a test or a verdict where more than 5 % are wrong: by
more than two standard errors of the simulation. Where a default falls short, {TIMES_AGAIN} times as many fresh test
sets decide. Where a method declines to answer, it is not counted; fewer than {FEWEST_ANSWERS} answers are not shown.

In each table the default is in bold. A cell is one question in one setting at one prevalence. Width is compared with
that of the narrowest method that holds in the same cell, and with the spread of the value over test sets, {SPREADS}
standard deviations; both are typical ratios (geometric means).
"""
    return "\n".join(
        ["# How often the intervals hold", "", wrapped(words), "", "## What falls short", "", _shortcomings(lines), ""]
        + [section for section in sections if section]
    )


def _settings(lines: Iterable[Line]) -> int:
    return len({line.setting for line in lines})


def _missing(study: Study) -> str:
    text = ""
    if study.missing:
        text += f" The run was stopped early: {study.missing} more settings are not here."
    if study.undecided:
        text += f" Of {study.undecided} settings that fell short at first the fresh test sets are not complete."
    return text


def _section(part: str, lines: list[Line]) -> str:
    if not lines:
        return ""
    head, words = PARTS[part], " ".join(WORDS[part].split())
    power = _power(lines)
    found = f"## {head}\n\n{wrapped(words)}\n\n{_summary(lines)}\n"
    return f"{found}\n{wrapped(_POWER_WORDS)}\n\n{power}\n" if power else found


# --- coverage and width ---------------------------------------------------------------------------


def _summary(lines: list[Line]) -> str:
    narrowest = _narrowest(lines)
    rows = []
    judged = [line for line in lines if line.kind != "power"]
    for (question, level), some in _grouped(judged, lambda line: (line.question, line.level)).items():
        by_method = _grouped(some, lambda line: line.method)
        ordered = sorted(by_method.items(), key=lambda item: not item[1][0].default)
        for i, (method, found) in enumerate(ordered):
            worst = min(found, key=lambda line: line.share)
            told = question if level == 0.95 else f"{question}, {_percent(level)}"
            rows.append(
                [
                    "" if i else told,
                    f"**{method}**" if found[0].default else method,
                    f"{100 * worst.share:.1f} %",
                    f"{worst.setting}, {worst.where}",
                    f"{sum(line.falls_short for line in found)} of {len(found)}",
                    _ratio((line.width, narrowest.get(line.place, math.nan)) for line in found),
                    _ratio((line.width, SPREADS * line.spread) for line in found),
                ]
            )
    head = ["question", "method", "worst", "where", "short", "width / narrowest", "width / spread"]
    return table(head, rows, words=2)


def _narrowest(lines: Iterable[Line]) -> dict[tuple[object, ...], float]:
    """The width of the narrowest method that holds, in each place."""
    found: dict[tuple[object, ...], float] = {}
    for line in lines:
        if not line.falls_short and line.width > COLLAPSED:
            found[line.place] = min(line.width, found.get(line.place, math.inf))
    return found


def _ratio(pairs: Iterable[tuple[float, float]]) -> str:
    """The geometric mean of ratios, where both sides are known."""
    logs = [math.log(a / b) for a, b in pairs if COLLAPSED < a < math.inf and COLLAPSED < b < math.inf]
    return f"{math.exp(sum(logs) / len(logs)):.2f}" if logs else "–"


def _grouped(lines: Iterable[Line], key: Callable[[Line], K]) -> dict[K, list[Line]]:
    found: dict[K, list[Line]] = {}
    for line in lines:
        found.setdefault(key(line), []).append(line)
    return found


# --- power ----------------------------------------------------------------------------------------

_POWER_WORDS = """
How often something is found that is there, on average over the cells in which every method was asked; beside it, over
that of the best method that holds its size everywhere.
"""


def _power(lines: list[Line]) -> str:
    able = [line for line in lines if line.kind == "power"]
    short = {(line.question, line.method) for line in lines if line.kind == "error" and line.falls_short}
    rows = []
    for question, some in _grouped(able, lambda line: line.question).items():
        by_method = _grouped(some, lambda line: line.method)
        common = set.intersection(*({line.place for line in found} for found in by_method.values()))
        shares = {method: _mean([x for x in found if x.place in common]) for method, found in by_method.items()}
        best = max((share for method, share in shares.items() if (question, method) not in short), default=math.nan)
        for i, (method, share) in enumerate(shares.items()):
            default = any(line.default for line in some if line.method == method)
            size = "falls short" if (question, method) in short else "holds"
            told = f"**{method}**" if default else method
            rows.append(
                ["" if i else question, told, size, f"{100 * share:.1f} %", f"{share / best:.2f}" if best > 0 else "–"]
            )
    return table(["question", "method", "size", "found", "over the best"], rows, words=3) if rows else ""


def _mean(lines: Sequence[Line]) -> float:
    return sum(line.share for line in lines) / len(lines) if lines else math.nan


# --- what falls short -----------------------------------------------------------------------------


def fell_short(lines: Iterable[Line]) -> list[str]:
    """Methods of `estimate` that are no default where they fall short."""
    of_estimates = ("areas", "given", "chosen")
    short = (line for line in lines if line.falls_short and not line.default and line.setting.part in of_estimates)
    return sorted({line.method for line in short})


def _shortcomings(lines: list[Line]) -> str:
    names = ", ".join(f"`{name}`" for name in fell_short(lines))
    said = f"Methods of `estimate` that fell short somewhere, and say so where they are asked for: {names or 'none'}."
    short = [line for line in lines if line.default and line.falls_short]
    judged = sum(line.default and line.kind != "power" for line in lines)
    told = f"Of {judged:,} cells of the defaults {len(short):,} fall short" + (", at worst here:" if short else ".")
    together = _grouped(sorted(short, key=_missed, reverse=True), lambda line: (line.question, line.setting))
    rows = [
        [worst.question, worst.method, f"{worst.setting}", worst.where, _percent(worst.level), _share(worst), f"{n}"]
        for worst, n in ((some[0], len(some)) for some in together.values())
    ]
    head = ["question", "method", "setting", "where", "promised", "held", "cells"]
    listed = "\n\n" + table(head, rows, words=4) if rows else ""
    return f"{wrapped(said)}\n\n{told}{listed}"


def _missed(line: Line) -> float:
    """How far from what was promised."""
    return line.level - line.share


def _percent(level: float) -> str:
    return f"{100 * level:g} %"


def _share(line: Line) -> str:
    return f"{100 * line.share:.1f} % of {line.answers:,}"
