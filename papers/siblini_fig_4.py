"""The same model on test sets of ever fewer positives: precision-based metrics move, calibrated ones do not.

Siblini, Fréry, He-Guelton, Oblé & Wang, Master Your Metrics with Calibration, IDA 2020, figure 4.
doi:10.1007/978-3-030-44584-3_36.
"""

from typing import NamedTuple

import drawing
import gaussians
import noise
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure

NEGATIVE_MEAN = 1.8
REFERENCE = 0.5
RATIOS = (*np.arange(1, 10) / 1000, 0.019, 0.029, 0.039, 0.049, 0.149, 0.249, 0.349, 0.449, 0.5)

# The figure prints no numbers: these are the values of the population, by quadrature.
POPULATION = {
    "AUC-PR": {0.5: 0.5478344425, 0.1: 0.1193859296, 0.05: 0.0604010653, 0.01: 0.0121971976, 0.001: 0.0012223992},
    "AUC-PR gain": {0.5: 0.1041916639, 0.1: 0.2432164359, 0.01: 0.3772815315, 0.001: 0.4670721089},
    "F1": {0.5: 0.6666708590},
}
BY_QUADRATURE = "the population's, by quadrature; ours is of a curve through 400,000 of its points, good to 1e-10"


class Runs(NamedTuple):
    """Values by metric, run and ratio: at the ratio of the test set, and all at the reference."""

    own: dict[str, gaussians.Floats]
    calibrated: dict[str, gaussians.Floats]
    n_rows: int
    ratios: tuple[float, ...]


def simulate(setup: Setup) -> Runs:
    n_rows, n_runs, ratios = (300_000, 8, RATIOS[::-3][::-1]) if setup.quick else (1_000_000, 30, RATIOS)
    rng = np.random.default_rng(4)
    shape = (n_runs, len(ratios))
    own = {name: np.zeros(shape) for name in gaussians.METRICS}
    calibrated = {name: np.zeros(shape) for name in gaussians.METRICS}
    for place in np.ndindex(shape):
        curve = gaussians.sample(n_rows, ratios[place[1]], NEGATIVE_MEAN, rng)
        for name, metric in gaussians.METRICS.items():
            own[name][place] = metric(curve)
            calibrated[name][place] = metric(curve.at_prevalence(REFERENCE))
    return Runs(own, calibrated, n_rows, ratios)


def run(setup: Setup) -> Experiment:
    population = gaussians.population(NEGATIVE_MEAN)
    truth = {ratio: gaussians.of_population(population, NEGATIVE_MEAN, ratio) for ratio in (*RATIOS, 0.1, 0.05, 0.01)}
    runs = simulate(setup)
    findings = [
        Number(f"{name} at prevalence {ratio}", value, truth[ratio][name], 1e-10, BY_QUADRATURE, printed=False)
        for name, values in POPULATION.items()
        for ratio, value in values.items()
    ]
    same = max(np.abs(runs.own[name][:, -1] - runs.calibrated[name][:, -1]).max() for name in gaussians.METRICS)
    meet = Shape("all meet where the ratio is the reference", f"largest difference {same:.0e}", bool(same < 1e-12))
    of_runs = [shape for name in gaussians.METRICS for shape in shapes(name, runs, truth)]
    return Experiment(
        title="Metrics that follow the base rate, and the same metrics read at one",
        source="Siblini et al. 2020, Fig. 4",
        story=(
            "Scores of positives are N(2, 1) and of negatives N(1.8, 1); the model is the best possible one and never "
            f"changes. For each of {len(runs.ratios)} ratios, {runs.own['F1'].shape[0]} test sets of "
            f"{runs.n_rows:,} rows are drawn. "
            "Read at the ratio of the test set (orange) all three metrics move with it; AUC-PR gain even rises as "
            "positives get rare, though at the rarest ratios the mean of so few runs is too noisy to show it. Read at "
            "one prevalence of 0.5 (blue) they stay where the population is (thin lines), with more noise where there "
            "are few positives, because the noise is in the data."
        ),
        findings=(*findings, *of_runs, meet),
        figure=picture(runs, truth),
    )


def shapes(name: str, runs: Runs, truth: dict[float, dict[str, float]]) -> list[Shape]:
    """Whether both lines of a panel are where the population is, and how far each moves."""
    own, calibrated = runs.own[name].mean(0), runs.calibrated[name].mean(0)
    expected = np.array([truth[ratio][name] for ratio in runs.ratios])
    at_own = distances(name, runs, runs.own[name], expected, np.array(runs.ratios))
    at_reference = distances(name, runs, runs.calibrated[name], truth[REFERENCE][name], REFERENCE)
    moved, flat = np.ptp(own), np.ptp(calibrated)
    return [
        Shape(f"{name}: at the test set's ratio it is the population's", *at_own),
        Shape(f"{name}: calibrated to 0.5 it is flat, at {truth[REFERENCE][name]:.4f}", *at_reference),
        Shape(
            f"{name}: it moves far more at the test set's ratio than calibrated",
            f"by {moved:.4f}, calibrated by {flat:.4f}",
            bool(moved > 3 * flat),
        ),
    ]


def distances(
    name: str,
    runs: Runs,
    values: gaussians.Floats,
    expected: gaussians.Floats | float,
    read_at: gaussians.Floats | float,
) -> tuple[str, bool, str]:
    """How far means over runs are from what they should be, whether that is near enough, and why."""
    if name == "F1":  # nearly every row is called positive: few runs can all be the same, so the error is worked out
        n_pos = runs.n_rows * np.array(runs.ratios)
        error = gaussians.f1_error(NEGATIVE_MEAN, read_at, n_pos, runs.n_rows - n_pos)
    else:
        error = values.std(0, ddof=1)
    away = float((np.abs(values.mean(0) - expected) / error).max() * np.sqrt(len(values)))
    limit = noise.limit(len(values))
    return (
        f"at most {away:.1f} standard errors away",
        away < limit,
        f"limit {limit:.1f}, for a mean of {len(values)} runs",
    )


def picture(runs: Runs, truth: dict[float, dict[str, float]]) -> Figure:
    figure, axes = drawing.panels(3, width=4.2, height=3.7)
    for ax, name in zip(axes, gaussians.METRICS, strict=True):
        ax.plot(RATIOS, [truth[ratio][name] for ratio in RATIOS], color=drawing.INK, linewidth=0.8, zorder=4)
        ax.axhline(truth[REFERENCE][name], color=drawing.INK, linewidth=0.8, zorder=4)
        for values, colour, words in (
            (runs.own[name], drawing.ORANGE, "at the test set's ratio"),
            (runs.calibrated[name], drawing.BLUE, "read at 0.5"),
        ):
            mean, spread = values.mean(0), values.std(0, ddof=1)
            ax.plot(runs.ratios, mean, "o-", color=colour, linewidth=2, markersize=4, label=words)
            ax.fill_between(runs.ratios, mean - 2 * spread, mean + 2 * spread, color=colour, alpha=0.2, linewidth=0)
        drawing.prevalence_axis(ax, name="share of positives in the test set")
        drawing.describe(ax, name, "share of positives in the test set")
        ax.set_ylim(-0.02, 0.75)
    drawing.legend(axes[0], "upper left")
    drawing.say(axes[2], "band: two standard deviations\nof one test set", 0.0011, 0.3, drawing.GREY)
    return figure
