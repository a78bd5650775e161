"""The page about the coverage study: a table for each kind of question, and what falls short."""

import math
import platform
from collections.abc import Callable, Iterable
from importlib.metadata import version
from typing import TypeVar

from coverage_estimates import own_prevalence
from coverage_least import least_width
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
    "blame": "Whether calibrated scores are called wrong",
}
WORDS = {
    "areas": """Average precision, AUC-PR, AUC-PRG, AUC-ROC and the best F1, at the test set's own prevalence and at
        0.9, 0.5, 0.01, 0.001, 1e-4 and 1e-5. Small test sets also have intervals at 80 and 99 %.""",
    "given": """Thresholds whose recall is 0.6, or 0.05, or that have one false positive in every sixth test set.""",
    "chosen": """For "the threshold", the true value is that of the chosen threshold in the population (the default of
        `estimate`). For "the rule", it is that of the threshold which the rule chooses in the population.""",
    "differences": """Normal scores, correlated row by row: equally good with equal shapes, equally good at one
        prevalence with unequal or very unequal shapes, or one better. A test falls short if it finds a difference
        where there is none in more than 5 % of cases.""",
    "clusters": """Three tenths of the variance of a score is variance between clusters. Chosen thresholds are judged
        as they are shipped.""",
    "slices": "Four equally good slices at different prevalences; adjusted p-values should find none that differs.",
    "changes": "The later period has half as many positives, and the same model or a worse one.",
    "alarms": "Nine looks after three reference periods, while the number of positives falls to a third.",
    "claims": """The bound is the value that the rule gives in the population. The verdict "met" is wrong if the chosen
        threshold does not meet the claim in the population; "broken" is wrong if it does.""",
    "blame": """Each row is positive with a probability equal to its score, so `reliability` should find no bin that is
        too high or too low.""",
}


def page(study: Study, *, whole: bool) -> str:
    lines = [line for line in study.lines if line.answers >= FEWEST_ANSWERS]
    sections = [_section(part, [line for line in lines if line.setting.part == part]) for part in PARTS]
    packages = ", ".join(f"{name} {version(name)}" for name in ("baserate", "numpy", "scipy"))
    command = "make coverage WHOLE=yes" if whole else "make coverage"
    shortest = f"{100 * WANTED['coverage', 0.95]:.0f} % of test sets; at 80 % the limit is 78 %, at 99 % it is 98 %"
    words = f"""
Made by `{command}`: {study.n:,} simulated test sets for each of {_settings(lines)} settings, {DRAWS} draws for each
interval. Python {platform.python_version()}, {packages}.{_missing(study)}

The study calls the public functions of the library. Scores are normal, with positives higher by one standard deviation
(weak) or three (strong). Other settings: classes fully separated (perfect); scores rounded so that most rows are tied;
scores of three levels; scores with the tails of Student's t distribution with two degrees of freedom (t2); Beta scores;
scores that are zero for many rows (zero-inflated); some positives that score like negatives (unreachable); a few
positives or negatives far above all others; weights that rise or fall with the score. True values
are computed by integration.

An interval at 95 % falls short if it contains the true value in less than {shortest}. A test or a verdict falls short
if more than 5 % are wrong. In each case the difference has to be more than two standard errors of the simulation. If a
default falls short, {TIMES_AGAIN} times as many fresh test sets decide. Cases without an answer of a method are not
counted; fewer than {FEWEST_ANSWERS} answers are not shown.

In each table the default is in bold. A cell is one question in one setting at one prevalence. "width / narrowest" is
the width divided by that of the narrowest method that does not fall short in the same cell. "width / spread" is the
width divided by {SPREADS} standard deviations of the value over test sets, the width of a normal interval. Both are
geometric means over the cells.
"""
    return "\n".join(
        ["# How often the intervals contain the true value", "", wrapped(words)]
        + ["", "## What falls short", "", _shortcomings(lines), ""]
        + [section for section in sections if section]
    )


def _settings(lines: Iterable[Line]) -> int:
    return len({line.setting for line in lines})


def _missing(study: Study) -> str:
    text = ""
    if study.missing:
        text += f" The run was stopped early: {study.missing} more settings are not here."
    if study.undecided:
        text += f" For {study.undecided} settings that fell short at first, the fresh test sets are not complete."
    return text


def _section(part: str, lines: list[Line]) -> str:
    if not lines:
        return ""
    head, words = PARTS[part], " ".join(WORDS[part].split())
    text = f"## {head}\n\n{wrapped(words)}\n\n{_summary(lines)}\n"
    words, rows = {"areas": (_WIDTH_WORDS, _widths), "differences": (_CASES_WORDS, _cases)}.get(
        part, (_POWER_WORDS, _power)
    )
    more = rows(lines)
    return f"{text}\n{wrapped(words)}\n\n{more}\n" if more else text


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


# --- widths beside what is wanted of them ---------------------------------------------------------

FEWEST_POSITIVES = 20  # for a bound on the width
BOUNDS = {"own prevalence": 1.25, "down to a hundredth of it": 1.6}
_WIDTH_WORDS = f"""
The widths of the default of areas for test sets with {FEWEST_POSITIVES} positives or more. The first ratio is to the
narrowest method that does not fall short in the same cell. That method may well fall short in another cell whose test
sets look the same: a group of positives above all other rows is often missing from a test set. The second ratio is
to the width that is needed: that of the narrowest method, but not less than the least median width of any method that
holds both with and without such groups (`benchmarks/coverage_least.py` says why). It should be at most
{BOUNDS["own prevalence"]} at the own prevalence, and at most {BOUNDS["down to a hundredth of it"]} down to a hundredth
of it.
"""


def _regime(line: Line) -> str | None:
    n_pos = line.setting.n_pos
    if n_pos < FEWEST_POSITIVES or line.level != 0.95:
        return None
    if line.where == "own":
        return "own prevalence"
    below = _prevalence(line) / own_prevalence(line.setting)
    return "down to a hundredth of it" if 0.01 <= below < 1 else None


def _prevalence(line: Line) -> float:
    return own_prevalence(line.setting) if line.where == "own" else float(line.where)


def _widths(lines: list[Line]) -> str:
    narrowest, rows = _narrowest(lines), []
    defaults = [line for line in lines if line.default and line.place in narrowest and line.width > COLLAPSED]
    for (question, regime), some in _grouped(defaults, lambda line: (line.question, _regime(line))).items():
        if regime is None:
            continue
        plain = sorted(line.width / narrowest[line.place] for line in some)
        needed = sorted((line.width / _needed(line, narrowest), str(line.setting), line.where) for line in some)
        worst, setting, where = needed[-1]
        beyond = sum(ratio > BOUNDS[regime] for ratio, _, _ in needed)
        ratios = (plain[len(plain) // 2], plain[-1], needed[len(needed) // 2][0], worst)
        rows.append(
            [question, regime, *(f"{ratio:.2f}" for ratio in ratios), f"{setting}, {where}", f"{beyond} of {len(some)}"]
        )
    columns = [f"{which}, / {width}" for width in ("narrowest", "needed") for which in ("median", "largest")]
    head = ["question", "read at", *columns, "where", "beyond the bound"]
    return table(head, sorted(rows), words=2) if rows else ""


def _needed(line: Line, narrowest: dict[tuple[object, ...], float]) -> float:
    """The width of the narrowest method that holds here, but not less than any must have which holds everywhere."""
    return max(narrowest[line.place], least_width(line.setting, line.question, _prevalence(line)))


# --- power ----------------------------------------------------------------------------------------

# What a comparison is mostly asked for: the metric, the size and correlation, and the prevalence it is read at.
CASES = (
    ("difference of average_precision", 30, 1_000, 0.5, "0.05"),
    ("difference of average_precision", 30, 1_000, 0.9, "0.05"),
    ("difference of average_precision", 100, 1_000, 0.5, "0.05"),
    ("difference of roc_auc", 30, 1_000, 0.5, "0.05"),
    ("difference of average_precision", 30, 1_000, 0.5, "0.001"),
    ("difference of average_precision", 30, 1_000, 0.9, "0.001"),
    ("difference of precision at recall", 100, 2_000, 0.5, "0.05"),
)
_CASES_WORDS = """
Cases that people compare models in. "false" is how often a difference is found between equal models. "best" is the
most powerful of the methods whose rate of false findings does not fall short in the same case. The power of the default
should be at least 0.9 times that of the best.
"""


def _cases(lines: list[Line]) -> str:
    rows = []
    for question, n_pos, n_neg, correlation, where in CASES:
        detail = f"correlation {correlation:g}"
        here = [
            line
            for line in lines
            if line.question == f"{question}: test"
            and (line.setting.n_pos, line.setting.n_neg, line.setting.detail, line.where)
            == (n_pos, n_neg, detail, where)
        ]
        sizes = {line.method: line for line in here if line.setting.model == "equal" and line.kind == "error"}
        powers = {line.method: line for line in here if line.setting.model == "better" and line.kind == "power"}
        default = next((line for line in powers.values() if line.default), None)
        fair = [line for line in powers.values() if line.method in sizes and not sizes[line.method].falls_short]
        if default is None or not fair:
            continue
        best = max(fair, key=lambda line: line.share)
        false = 1 - sizes[default.method].share
        case = f"{question.removeprefix('difference of ')}, {n_pos}:{n_neg:,}, {detail}, read at {where}"
        ratio = f"{default.share / best.share:.2f}" if best.share else "–"
        found = [f"{100 * share:.1f} %" for share in (false, default.share, best.share)]
        rows.append([case, default.method, *found, best.method, ratio])
    head = ["case", "default", "false", "found", "found by the best", "best", "ratio"]
    return table(head, rows, words=2) if rows else ""


_POWER_WORDS = """
"found" is how often a difference, a change or a decay that exists is found, on average over the cells.
"""


def _power(lines: list[Line]) -> str:
    able = _grouped((line for line in lines if line.kind == "power"), lambda line: (line.question, line.method))
    rows = [[*asked, f"{100 * sum(line.share for line in some) / len(some):.1f} %"] for asked, some in able.items()]
    return table(["question", "method", "found"], rows, words=2) if rows else ""


# --- what falls short -----------------------------------------------------------------------------


def fell_short(lines: Iterable[Line]) -> list[str]:
    """Methods of `estimate` that are no default where they fall short."""
    of_estimates = ("areas", "given", "chosen")
    short = (line for line in lines if line.falls_short and not line.default and line.setting.part in of_estimates)
    return sorted({line.method for line in short})


def _shortcomings(lines: list[Line]) -> str:
    names = ", ".join(f"`{name}`" for name in fell_short(lines))
    said = f"Methods of `estimate` that fell short somewhere, and warn where they are asked for: {names or 'none'}."
    short = [line for line in lines if line.default and line.falls_short]
    judged = sum(line.default and line.kind != "power" for line in lines)
    told = f"Of {judged:,} cells of the defaults, {len(short):,} fall short" + ("; the worst are:" if short else ".")
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
