"""A thousand prevalences, intervals, calibration, files: questions that other programs answer row by row, again."""

import math
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import competitors
import files
import numpy as np
from competitors import INTERVALS, NETCAL, RELPLOT, SCIPY, SKLEARN, TORCH
from rows_to_numbers import OURS
from sections import Races, Section, Sizes, say
from tables import table
from timing import TOLERANCE, Race, Runner, Value, in_words
from workload import Floats, Labels, Workload

import baserate as br

N_PREVALENCES, MEASURED_PREVALENCES = 1000, 3
N_REPLICATES, MEASURED_REPLICATES = 1000, 5
AT_PREVALENCES, REPLICATES = f"at {N_PREVALENCES:,} prevalences", f"{N_REPLICATES:,} replicates"
# Ends of intervals from a thousand replicates differ by chance, by some 3 % of the width; this is three times that.
COMPARED_WITHIN = 0.1  # of the width
# Smooth ECE is the number at which a width and an error meet; programs stop looking when they are near.
SMOOTH_WITHIN = 1e-3
# Straight lines where a PR curve bends take so much from its area; a score on an edge may be in either bin.
STRAIGHT_WITHIN = 1e-4
EDGES_WITHIN = 1e-4
POLARS = "polars and scikit-learn"

Reweighted = Callable[[Labels, Floats, Floats], float]


def prevalences_section(sizes: Sizes) -> Section:
    """Areas at a thousand prevalences against weighting and sorting the rows for each of them."""
    jobs: dict[str, tuple[Callable[[br.Curve], float], Reweighted]] = {
        "average precision": (br.average_precision, competitors.weighted_average_precision),
        "AUC-PR": (br.auc_pr, competitors.weighted_auc_pr),
        "AUC-PRG": (br.auc_prg, competitors.weighted_auc_prg),
        "best F1": (br.best_f1, competitors.weighted_best_f1),
    }
    rows: list[list[str]] = []
    races: Races = {}
    for prevalence in sizes.prevalences[:2]:
        workload = Workload(sizes.rows, prevalence)
        label, score = workload.rows()
        for name, (metric, reweighted) in jobs.items():
            say(f"{AT_PREVALENCES}: {name}, {workload}")
            within = STRAIGHT_WITHIN if metric is br.auc_pr else TOLERANCE
            run = _prevalence_race(label, score, metric, reweighted, sizes, within=within)
            races[f"{name} {AT_PREVALENCES}", workload] = run
            times = in_words(run.others[SKLEARN].median), in_words(run.ours.median)
            rows.append([f"{prevalence:g}", name, *times, run.cell(SKLEARN)])
    words = f"""One area at {N_PREVALENCES:,} prevalences from 0.0001 to 0.5, building the curve included. scikit-learn
has to weight the rows by class (`sample_weight`) and sort them for each prevalence; it did so for
{MEASURED_PREVALENCES} of them, at which the numbers are compared, and its time is multiplied. AUC-PR is there
`auc(recall, precision)`, with straight lines where the curve bends; numbers up to {STRAIGHT_WITHIN:g} apart are
compared, and it says how far apart they are."""
    heads = ["prevalence", "metric", f"{SKLEARN}, weighting", OURS, "ratio"]
    return Section(f"{N_PREVALENCES:,} prevalences, {sizes.rows:,} rows", words, table(heads, rows, words=2), races)


def _prevalence_race(
    label: Labels,
    score: Floats,
    metric: Callable[[br.Curve], float],
    reweighted: Reweighted,
    sizes: Sizes,
    *,
    within: float,
) -> Race:
    grid = np.geomspace(1e-4, 0.5, N_PREVALENCES)
    measured = np.linspace(0, N_PREVALENCES - 1, MEASURED_PREVALENCES).astype(int)

    def ours() -> Value:
        swept = br.sweep(metric, br.Curve.from_scores(label, score), grid)
        return np.asarray(swept.value[measured], np.float64)

    def theirs() -> Value:
        return np.array([reweighted(label, score, competitors.weights(label, grid[k])) for k in measured])

    times = N_PREVALENCES / MEASURED_PREVALENCES
    return sizes.race(Runner(OURS, ours), Runner(SKLEARN, theirs, times=times), tolerance=within)


# --- intervals ------------------------------------------------------------------------------------


def intervals_section(sizes: Sizes) -> Section:
    """A thousand bootstrap replicates of average precision, and DeLong's interval."""
    rows: list[list[str]] = []
    races: Races = {}
    for workload in sizes.workloads(sizes.rows, most=2):
        say(f"intervals: {workload}")
        different = different_intervals(replace(workload, n=sizes.intervals_compared))
        label, score = workload.rows()
        part = competitors.bootstrapped_average_precision(label, score, MEASURED_REPLICATES, N_REPLICATES)
        drawn = sizes.race(our_bootstrap(label, score), part, tolerance=-1.0 if different else math.inf)
        races[REPLICATES, workload] = drawn
        delong = sizes.race(_our_delong(label, score), *competitors.roc_auc_interval(label, score))
        races["DeLong's interval", workload] = delong
        times = in_words(drawn.others[SCIPY].median), in_words(drawn.ours.median)
        ratio = different or drawn.cell(SCIPY)
        rows.append([*workload.cells[1:], *times, ratio, in_words(delong.ours.median), delong.cell(INTERVALS)])
    words = f"""{N_REPLICATES:,} bootstrap replicates of average precision. `scipy.stats.bootstrap` draws rows within
each class, and scikit-learn sorts them for each replicate; {MEASURED_REPLICATES} were drawn and their time multiplied.
Here a replicate is a multinomial over the corners of the curve and the gaps between them, which is the same
distribution; of more than 512 corners runs stand as one, which moves an interval by some hundredths of what so many
replicates leave open ([intervals](intervals.md) has the figures). A ratio is printed if the ends of both intervals,
from {sizes.intervals_compared:,} such rows and all {N_REPLICATES:,} replicates of each, are no further apart than a
tenth of the width; else both intervals.

DeLong's interval of the AUC has a closed form; `{INTERVALS}` gives it as well."""
    heads = ["prevalence", "ties", SCIPY, f"{OURS}, bootstrap", "ratio", f"{OURS}, DeLong", INTERVALS]
    return Section(f"Intervals, {sizes.rows:,} rows", words, table(heads, rows, words=2), races)


def our_bootstrap(label: Labels, score: Floats) -> Runner:
    def run() -> Value:
        curve = br.Curve.from_scores(label, score)
        found = br.estimate(br.average_precision, curve, method="percentile", n_resamples=N_REPLICATES, rng=0)
        return np.array([found.low, found.high])

    return Runner(OURS, run)


def _our_delong(label: Labels, score: Floats) -> Runner:
    def run() -> Value:
        found = br.estimate(br.roc_auc, br.Curve.from_scores(label, score), method="delong_wald")
        return np.array([found.value, found.low, found.high])

    return Runner(OURS, run)


def different_intervals(workload: Workload) -> str:
    """Both intervals, or nothing if they are the same but for chance."""
    rows = workload.rows()
    theirs = np.asarray(competitors.bootstrapped_average_precision(*rows, N_REPLICATES, N_REPLICATES).run())
    ours = np.asarray(our_bootstrap(*rows).run())
    if np.all(np.abs(theirs - ours) <= COMPARED_WITHIN * np.ptp(ours)):
        return ""
    return " and ".join(f"[{low:.4g}, {high:.4g}]" for low, high in (theirs, ours))


# --- calibration ----------------------------------------------------------------------------------


def calibration_section(sizes: Sizes) -> Section:
    """Errors and diagrams from labels and scores."""
    rows: list[list[str]] = []
    races: Races = {}
    for workload in sizes.workloads(sizes.rows, most=2):
        say(f"calibration: {workload}")
        for question, run in _calibration_races(*workload.rows(), sizes).items():
            races[question, workload] = run
            cells = [run.cell(name) for name in (SKLEARN, NETCAL, TORCH, RELPLOT)]
            rows.append([*workload.cells[1:], question, in_words(run.ours.median), *cells])
    words = f"""From labels and scores, building the curve included: the calibration error in ten bins (`br.ece`), the
smooth one (`br.smooth_ece`), and event rates by bin (`br.reliability`), which scikit-learn's `calibration_curve` gives
without intervals and verdicts. Bins need no sorting, so that programs which only count can be faster. Smooth errors
count as the same number within {SMOOTH_WITHIN:g}, and errors in bins within {EDGES_WITHIN:g}: programs put scores on an
edge into different bins. Where numbers are not the same it says how far apart they are."""
    heads = ["prevalence", "ties", "question", OURS, SKLEARN, NETCAL, TORCH, RELPLOT]
    return Section(f"Calibration, {sizes.rows:,} rows", words, table(heads, rows, words=3), races)


def _calibration_races(label: Labels, score: Floats, sizes: Sizes) -> dict[str, Race]:
    def ours(answer: Callable[[br.Curve], Value]) -> Runner:
        return Runner(OURS, lambda: answer(br.Curve.from_scores(label, score)))

    def diagram(curve: br.Curve) -> Value:
        found = br.reliability(curve)
        return np.concatenate([found.event_rate, found.mean_score])

    return {
        "ECE": sizes.race(ours(br.ece), *competitors.ece(label, score), tolerance=EDGES_WITHIN),
        "smooth ECE": sizes.race(ours(br.smooth_ece), *competitors.smooth_ece(label, score), tolerance=SMOOTH_WITHIN),
        "reliability": sizes.race(ours(diagram), competitors.reliability(label, score)),
    }


# --- files ----------------------------------------------------------------------------------------


def files_section(sizes: Sizes) -> Section:
    """A Parquet file, each time read by a fresh process."""
    with tempfile.TemporaryDirectory(prefix="baserate-bench-") as folder:
        path = Path(folder) / "scores.parquet"
        say(f"a Parquet file of {sizes.file:,} rows")
        files.make(path, sizes.file)
        times = []
        for _ in range(sizes.fewest):
            ours, theirs = files.run(files.OURS, path), files.run(files.THEIRS, path)
            times.append((ours["seconds"], theirs["seconds"]))
    value, low, high = ours["found"]["bounds"][0]
    # Curves that keep every score have no room between their bounds; two programs round differently.
    inside = low - 1e-12 <= theirs["found"] <= high + 1e-12
    found = [(OURS, value), (POLARS, theirs["found"])]
    run = Race.of_times(found, np.array(times), tolerance=math.inf if inside else 0.0)
    cells = [f"{sizes.file:,}", in_words(run.others[POLARS].median), in_words(run.ours.median), run.cell(POLARS)]
    words = """`br.curve(path, label=…, score=…)` with the bounds of its average precision at two prevalences, against
`polars.read_parquet` and `average_precision_score`; imports are not timed. The ratio is printed if their value lies
within our bounds. [Files](files-speed.md) has larger ones, and memory."""
    races = {("a Parquet file", Workload(sizes.file, 0.01)): run}
    return Section("A Parquet file", words, table(["rows", POLARS, OURS, "ratio"], [cells], words=1), races)
