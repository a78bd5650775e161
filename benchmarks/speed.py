"""Speed and memory beside scikit-learn, in one run: ratios are what counts, milliseconds belong to a machine.

``python benchmarks/speed.py`` prints the tables; ``--write docs/speed.md`` puts them into the documentation;
``--quick`` uses a tenth of the rows. Areas at a thousand prevalences take scikit-learn minutes, so its time is
measured for a few prevalences and multiplied.
"""

import argparse
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import auc, average_precision_score, precision_recall_curve
from tables import table

import baserate as br

AREAS = (
    br.roc_auc,
    br.average_precision,
    br.auc_pr,
    br.auc_prg,
    br.best_f1,
    br.normalized_auc_pr,
    br.normalized_average_precision,
)
N_PREVALENCES = 1000
N_REPLICATES = 1000
MEASURED_PREVALENCES = 3

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]


def rows_of(n: int, prevalence: float, *, ties: bool) -> tuple[Labels, Floats]:
    rng = np.random.default_rng(0)
    label = (rng.random(n) < prevalence).astype(np.int64)
    score: Floats = rng.normal(size=n) + 1.5 * label
    return label, score.round(2) if ties else score


def seconds(job: Callable[[], object], repeats: int = 5) -> list[float]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return times


def peak_bytes(job: Callable[[], object]) -> int:
    tracemalloc.start()
    kept = job()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del kept
    return peak


def curve_and_all_areas(label: Labels, score: Floats) -> tuple[br.Curve, list[float]]:
    curve = br.Curve.from_scores(label, score)
    return curve, [area(curve) for area in AREAS]


def one_curve(n: int) -> list[list[str]]:
    """One curve and seven areas against one average_precision_score."""
    lines = []
    for prevalence in (0.01, 0.5):
        for ties in (False, True):
            label, score = rows_of(n, prevalence, ties=ties)
            their_job = partial(average_precision_score, label, score)
            our_job = partial(curve_and_all_areas, label, score)
            theirs, ours = seconds(their_job), seconds(our_job)
            lines.append(
                [
                    f"{prevalence:g}",
                    "two decimals" if ties else "none",
                    milliseconds(theirs),
                    milliseconds(ours),
                    f"{statistics.median(theirs) / statistics.median(ours):.1f} ×",
                    f"{peak_bytes(their_job) / score.nbytes:.1f} ×",
                    f"{peak_bytes(our_job) / score.nbytes:.1f} ×",
                ]
            )
    return lines


def weighted(label: Labels, prevalence: float) -> Floats:
    own = label.mean()
    return np.where(label == 1, 1.0, own * (1 - prevalence) / (prevalence * (1 - own)))


def sklearn_average_precision(label: Labels, score: Floats, weight: Floats) -> float:
    return float(average_precision_score(label, score, sample_weight=weight))


def sklearn_best_f1(label: Labels, score: Floats, weight: Floats) -> float:
    precision, recall, _ = precision_recall_curve(label, score, sample_weight=weight)
    with np.errstate(invalid="ignore"):
        return float(np.nanmax(2 * precision * recall / (precision + recall)))


def sklearn_auc_pr(label: Labels, score: Floats, weight: Floats) -> float:
    precision, recall, _ = precision_recall_curve(label, score, sample_weight=weight)
    return float(auc(recall, precision))


def sklearn_auc_prg(label: Labels, score: Floats, weight: Floats) -> float:
    precision, recall, _ = precision_recall_curve(label, score, sample_weight=weight)
    eta = weight[label == 1].sum() / weight.sum()
    with np.errstate(divide="ignore"):
        precision_gain = (precision - eta) / ((1 - eta) * precision)
        recall_gain = (recall - eta) / ((1 - eta) * recall)
    inside = (recall_gain >= 0) & np.isfinite(precision_gain)
    return float(auc(recall_gain[inside], precision_gain[inside]))


def many_prevalences(n: int) -> list[list[str]]:
    """Areas at a thousand prevalences against reweighting rows for each of them."""
    jobs = (
        (br.average_precision, sklearn_average_precision),
        (br.auc_pr, sklearn_auc_pr),
        (br.auc_prg, sklearn_auc_prg),
        (br.best_f1, sklearn_best_f1),
    )
    grid = np.geomspace(1e-4, 0.5, N_PREVALENCES)
    lines = []
    for prevalence in (0.01, 0.5):
        label, score = rows_of(n, prevalence, ties=False)
        curve = br.Curve.from_scores(label, score)
        few = grid[:: N_PREVALENCES // MEASURED_PREVALENCES][:MEASURED_PREVALENCES]
        for metric, reweight in jobs:
            theirs = [seconds(partial(reweight, label, score, weighted(label, eta)), 1)[0] for eta in few]
            ours = seconds(partial(br.sweep, metric, curve, grid))
            their_total = statistics.median(theirs) * N_PREVALENCES
            lines.append(
                [
                    f"{prevalence:g}",
                    metric.__name__,
                    f"{their_total:,.0f} s",
                    milliseconds(ours),
                    f"{their_total / statistics.median(ours):,.0f} ×",
                ]
            )
    return lines


def average_precision_of_resampled_rows(label: Labels, score: Floats, rng: np.random.Generator) -> float:
    classes = (np.flatnonzero(label == value) for value in (1, 0))
    rows = np.concatenate([rng.choice(own, len(own)) for own in classes])
    return float(average_precision_score(label[rows], score[rows]))


def bootstraps(n: int) -> list[list[str]]:
    """A thousand replicates of average precision against resampling rows within each class and sorting them anew."""
    lines = []
    for prevalence in (0.01, 0.5):
        for ties in (False, True):
            label, score = rows_of(n, prevalence, ties=ties)
            their_job = partial(average_precision_of_resampled_rows, label, score, np.random.default_rng(0))
            theirs = statistics.median(seconds(their_job, MEASURED_PREVALENCES)) * N_REPLICATES
            curve = br.Curve.from_scores(label, score)
            our_job = partial(br.estimate, br.average_precision, curve, n_resamples=N_REPLICATES, rng=0)
            percentile = statistics.median(seconds(partial(our_job, method="percentile"), 3))
            melded = statistics.median(seconds(partial(our_job, method="melded"), 3))
            lines.append(
                [
                    f"{prevalence:g}",
                    "two decimals" if ties else "none",
                    f"{theirs:,.0f} s",
                    f"{percentile:.2f} s",
                    f"{theirs / percentile:,.0f} ×",
                    f"{melded:.2f} s",
                ]
            )
    return lines


def growth(largest: int) -> list[list[str]]:
    """What a row costs as rows grow."""
    lines = []
    for n in (largest // 1000, largest // 100, largest // 10, largest):
        for prevalence in (0.01, 0.5):
            label, score = rows_of(n, prevalence, ties=False)
            ours = statistics.median(seconds(partial(curve_and_all_areas, label, score), 3))
            sort = statistics.median(seconds(partial(np.sort, score), 3))
            lines.append([f"{n:,}", f"{prevalence:g}", f"{1e9 * ours / n:.0f} ns", f"{1e9 * sort / n:.0f} ns"])
    return lines


def imports() -> list[list[str]]:
    """Wall time of a fresh interpreter with the import, less one without."""

    def run(code: str) -> float:
        return min(seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 7))

    empty = run("pass")
    return [
        [f"`{code}`", f"{run(code) - empty:.2f} s"]
        for code in ("import numpy", "import baserate", "import sklearn.metrics")
    ]


def milliseconds(times: list[float]) -> str:
    median, spread = 1e3 * statistics.median(times), 1e3 * (max(times) - min(times)) / 2
    return f"{median:.3g} ± {spread:.2g} ms"


def report(n: int, largest: int) -> str:
    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    say(f"1/5 one curve from {n:,} rows ...")
    first = table(
        ["prevalence", "ties", "scikit-learn: one AP", "baserate: curve and 7 areas", "faster", "its peak", "our peak"],
        one_curve(n),
        words=1,
    )
    say(f"2/5 {N_PREVALENCES:,} prevalences ...")
    second = table(
        ["prevalence", "metric", "scikit-learn, reweighting", "baserate", "faster"], many_prevalences(n), words=1
    )
    say(f"3/5 {N_REPLICATES:,} bootstrap replicates ...")
    head = ["prevalence", "ties", "scikit-learn, resampling rows", "baserate, bootstrap", "faster", "baserate, melded"]
    intervals = table(head, bootstraps(n), words=1)
    say(f"4/5 growth up to {largest:,} rows ...")
    third = table(
        ["rows", "prevalence", "curve and 7 areas, per row", "numpy's sort, per row"], growth(largest), words=1
    )
    say("5/5 imports ...")
    fourth = table(["fresh interpreter", "time"], imports(), words=1)
    packages = ", ".join(f"{name} {version(name)}" for name in ("baserate", "numpy", "scikit-learn"))
    return f"""# Speed and memory

Made by `make bench`: everything in one run on one machine, so that ratios mean something and milliseconds little.
Python {platform.python_version()}, {packages}.

Times are medians of five runs ± half their spread. Memory is the peak above the input, in multiples of the score
array, the curve included.

## One curve, {n:,} rows

One `Curve` and seven areas (AUC-ROC, average precision, AUC-PR, AUC-PRG, best F1 and the two normalized ones) against
one `average_precision_score`.

{first}

## {N_PREVALENCES:,} prevalences, {n:,} rows

The same area at {N_PREVALENCES:,} prevalences from 0.0001 to 0.5. scikit-learn has to weight and sort the rows for each
of them; its time is measured for {MEASURED_PREVALENCES} and multiplied.

{second}

## Intervals, {n:,} rows

{N_REPLICATES:,} replicates of average precision. scikit-learn has to draw rows within each class and sort them for each
replicate; its time is measured for {MEASURED_PREVALENCES} and multiplied. Here a replicate is a multinomial over the
corners of the curve and the gaps between them, which is the same distribution; beyond 16,384 corners (balanced, without
ties) runs of corners stand as one, which moves an area by less than 1/8,192.

{intervals}

## Growth

{third}

## Import

{fourth}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the tables there, too")
    options = parser.parse_args()
    text = report(*((100_000, 1_000_000) if options.quick else (1_000_000, 10_000_000)))
    print(text)
    if options.write:
        options.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
