"""From labels and scores to one number or one curve: time, how it grows, and memory."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import competitors
import fresh
import numpy as np
from competitors import SKLEARN, TORCH, TORCH_BINNED
from sections import HUGE, Races, Section, Sizes, say
from tables import table
from timing import Race, Runner, Value, digits, in_words
from workload import Floats, Labels, Workload

import baserate as br

READING, SORTING = "reading once", "numpy's sort"
LIMITS = (READING, SORTING)
OURS = "baserate"
AVERAGE_PRECISION = "average precision"
CAN_TELL_PEAKS = fresh.CAN_TELL_PEAKS
# Beside its input, another program may need this many times the score array.
_OTHERS_NEED = 12

APRaces = dict[Workload, Race]


def limits(label: Labels, score: Floats) -> Iterator[Runner]:
    """What no program can be faster than, and what one that sorts the scores cannot."""
    yield Runner(READING, lambda: float(score.sum() + label.sum()))
    yield Runner(SORTING, lambda: float(np.sort(score)[-1]))


def average_precision_races(sizes: Sizes, *, huge: bool = False) -> APRaces:
    """Average precision of all rows, of all sizes, by all who can."""
    workloads = [workload for n in sizes.growing for workload in sizes.workloads(n)]
    workloads += [Workload(HUGE, p) for p in sizes.prevalences] * huge
    races = {}
    for workload in workloads:
        say(f"average precision: {workload}")
        label, score = workload.rows()
        others = [runner for runner in competitors.average_precision(label, score) if takes_part(runner.name, workload)]
        own = replace(sizes, fewest=1) if workload.n == HUGE else sizes
        races[workload] = own.race(fresh.ours(label, score), *others, *limits(label, score))
    return races


def takes_part(name: str, workload: Workload) -> bool:
    """Not where the memory is too small, nor torchmetrics where it takes long, but for one case."""
    if name == TORCH_BINNED:
        return workload.n <= 100_000 or workload == Workload(1_000_000, 0.01)
    if workload.n <= 1_000_000:
        return True
    if name == SKLEARN:
        return available_memory() > _OTHERS_NEED * 8 * workload.n
    return workload == Workload(10_000_000, 0.01)


def available_memory() -> float:
    """Bytes that a program may still ask for; if nobody knows, as many as it likes."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return float("inf")
    facts = dict(line.split(":", 1) for line in lines)
    return 1024.0 * int(facts["MemAvailable"].split()[0])


def average_precision_section(races: APRaces) -> Section:
    rows = [
        [
            *workload.cells,
            in_words(run.ours.median),
            run.cell(SKLEARN),
            run.cell(TORCH),
            run.cell(TORCH_BINNED),
        ]
        for workload, run in races.items()
    ]
    words = """`br.average_precision(br.Curve.from_scores(label, score))` against `average_precision_score` and
`BinaryAveragePrecision`, which keeps all scores, or counts them at 200 thresholds, which gives another number."""
    heads = ["rows", "prevalence", "ties", OURS, SKLEARN, TORCH, TORCH_BINNED]
    named = {(AVERAGE_PRECISION, workload): run for workload, run in races.items()}
    return Section("One average precision", words, table(heads, rows, words=3), named)


def growth_section(races: APRaces) -> Section:
    """What a row costs as rows grow, beside the limits."""
    programs = [READING, SORTING, OURS, SKLEARN, TORCH]
    rows = []
    for prevalence in sorted({w.prevalence for w in races}, reverse=True):
        runs = {w.n: results(run) for w, run in races.items() if w.prevalence == prevalence and not w.ties}
        for n, seconds in runs.items():
            cells = [f"{1e9 * seconds[name] / n:,.1f} ns" if name in seconds else "–" for name in programs]
            rows.append([f"{prevalence:g}", f"{n:,}", *cells, digits(seconds[OURS] / seconds[READING])])
        rows.append([f"{prevalence:g}", "exponent", *(exponent(runs, name) for name in programs), "–"])
    words = """Time per row, without ties. Reading once is `score.sum() + label.sum()`: no program can do less. Time
grows with the rows to the power of the exponent, fitted to all sizes but the smallest; 1 is the same time for every
row. The last column is how many times as long as that `baserate` takes."""
    heads = ["prevalence", "rows", *programs, f"{OURS}, {READING} = 1"]
    return Section("Growth, and the limits", words, table(heads, rows, words=2))


def results(run: Race) -> dict[str, float]:
    """Median seconds of all who took part."""
    return {name: result.median for name, result in {OURS: run.ours, **run.others}.items()}


def exponent(runs: dict[int, dict[str, float]], name: str) -> str:
    """The slope of log time over log rows."""
    known = [(n, seconds[name]) for n, seconds in list(runs.items())[1:] if name in seconds]
    if len(known) < 2:
        return "–"
    log_rows, log_seconds = np.log(np.array(known)).T
    return f"{np.polyfit(log_rows, log_seconds, 1)[0]:.2f}"


# --- areas and curves -----------------------------------------------------------------------------


def _curve(label: Labels, score: Floats) -> Value:
    curve = br.Curve.from_scores(label, score)
    return np.concatenate([br.precision(curve), curve.tpr])


def _all_three(label: Labels, score: Floats) -> Value:
    curve = br.Curve.from_scores(label, score)
    areas = br.average_precision(curve), br.roc_auc(curve)
    return np.concatenate([areas, br.precision(curve), curve.tpr])


def curve_section(sizes: Sizes) -> Section:
    """The area under the ROC curve, the precision-recall curve, and both with the average precision."""
    rows: list[list[str]] = []
    races: Races = {}
    for workload in sizes.workloads(sizes.rows):
        say(f"AUC and curves: {workload}")
        rows.append(workload.cells[1:])
        for what, run in _curve_races(*workload.rows(), sizes).items():
            races[what, workload] = run
            rows[-1] += [in_words(run.ours.median), run.cell(SKLEARN)]
    words = """Against `roc_auc_score` and `precision_recall_curve`. scikit-learn sorts the rows for each of them; a
`Curve` has sorted them once, so all three together, average precision included, are the fairer question."""
    head = ["prevalence", "ties", "AUC", SKLEARN, "PR curve", SKLEARN, "all three", SKLEARN]
    return Section(f"AUC and the precision–recall curve, {sizes.rows:,} rows", words, table(head, rows, words=2), races)


def _curve_races(label: Labels, score: Floats, sizes: Sizes) -> dict[str, Race]:
    auc, curve = competitors.roc_auc(label, score), competitors.pr_curve(label, score)
    ap = next(iter(competitors.average_precision(label, score)))
    three = Runner(SKLEARN, lambda: np.concatenate([[ap.run(), auc.run()], curve.run()]))
    return {
        "AUC": sizes.race(Runner(OURS, lambda: br.roc_auc(br.Curve.from_scores(label, score))), auc),
        "PR curve": sizes.race(Runner(OURS, lambda: _curve(label, score)), curve),
        "all three": sizes.race(Runner(OURS, lambda: _all_three(label, score)), three),
    }


# --- memory and imports ---------------------------------------------------------------------------


def memory_section(sizes: Sizes, *, huge: bool = False) -> Section:
    """Peaks of fresh processes."""
    names = [runner.name for runner in fresh.programs(*Workload(1000, 0.5).rows())]
    rows = []
    for workload in sizes.workloads(sizes.growing[-1])[: sizes.peaks] + [Workload(HUGE, 0.01)] * huge:
        say(f"memory: {workload}")
        able = [name for name in names if name == OURS or takes_part(name, workload)]
        peaks = fresh.peaks(workload, able)
        rows.append([*workload.cells, *(f"{peaks[name]:.1f} ×" if name in peaks else "–" for name in names)])
    words = """One average precision, each in a fresh process that has worked on a few rows before: the peak of its
resident memory (`VmHWM`) above what it held when the rows were loaded, in multiples of the score array."""
    return Section("Memory", words, table(["rows", "prevalence", "ties", *names], rows, words=3))


def import_section(sizes: Sizes) -> Section:
    """Of fresh interpreters."""
    say("imports")
    statements = ["import numpy", "import baserate", "import sklearn.metrics"]
    rows = [[f"`{statement}`", in_words(fresh.import_seconds(statement, sizes.fewest))] for statement in statements]
    words = "A fresh interpreter with the import, less one without; the best of a few."
    return Section("Import", words, table(["statement", "time"], rows, words=1))
