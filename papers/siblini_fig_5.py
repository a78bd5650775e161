"""Ever worse models on test sets whose share of positives jumps about: calibrated metrics fall smoothly.

Siblini, Fréry, He-Guelton, Oblé & Wang, Master Your Metrics with Calibration, IDA 2020, figure 5.
doi:10.1007/978-3-030-44584-3_36.
"""

from typing import NamedTuple

import drawing
import gaussians
import noise
import numpy as np
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure

REFERENCE = 0.5
NEGATIVE_MEANS = np.linspace(0, 1.95, 14)
# The figure prints no numbers: values of the population at 0.5, with the digits that are known.
BY_QUADRATURE = "the population's, by quadrature"
POPULATION = {
    0.0: {"AUC-PR": (0.92177, 5e-6), "AUC-PR gain": (0.8665, 5e-5), "F1": (0.84047, 5e-6)},
    1.0: {"AUC-PR": (0.75300, 5e-6), "AUC-PR gain": (0.52620, 5e-6), "F1": (0.71832, 5e-6)},
    1.95: {"AUC-PR": (0.51147, 5e-6), "AUC-PR gain": (0.02547, 5e-6), "F1": (0.66667, 5e-6)},
}


class Runs(NamedTuple):
    """Values by metric, run and model: at the share that came up, and at the reference."""

    own: dict[str, gaussians.Floats]
    calibrated: dict[str, gaussians.Floats]
    n_rows: int


def simulate(setup: Setup) -> Runs:
    n_rows, n_runs = (40_000, 12) if setup.quick else (1_000_000, 30)
    rng = np.random.default_rng(5)
    shape = (n_runs, len(NEGATIVE_MEANS))
    own, calibrated = ({name: np.zeros(shape) for name in gaussians.METRICS} for _ in range(2))
    for place in np.ndindex(shape):
        curve = gaussians.sample(n_rows, rng.uniform(0.001, 0.5), float(NEGATIVE_MEANS[place[1]]), rng)
        for name, metric in gaussians.METRICS.items():
            own[name][place] = metric(curve)
            calibrated[name][place] = metric(curve.at_prevalence(REFERENCE))
    return Runs(own, calibrated, n_rows)


def run(setup: Setup) -> Experiment:
    truth = [gaussians.of_population(gaussians.population(mean, 20_000), mean, REFERENCE) for mean in NEGATIVE_MEANS]
    runs = simulate(setup)
    findings = [
        Number(f"{name} at 0.5, negatives N({mean:g}, 1)", value, found[name], tolerance, BY_QUADRATURE, printed=False)
        for mean, row in POPULATION.items()
        for found in [gaussians.of_population(gaussians.population(mean), mean, REFERENCE)]
        for name, (value, tolerance) in row.items()
    ]
    return Experiment(
        title="Worse and worse models, at shares that jump about",
        source="Siblini et al. 2020, Fig. 5",
        story=(
            "Negatives move towards the positives, so that even the best model gets worse from left to right; the "
            "distance of the two populations is their Kullback–Leibler divergence. Each test set "
            f"({runs.n_rows:,} rows) has a share of positives drawn between 0.001 and 0.5. At that share (orange: one "
            f"run, and the mean of {len(runs.own['F1'])}) a better model often looks worse than a worse one. Read at "
            "0.5 (blue) every metric falls as the models do, but for noise; F1 hardly moves where nearly all rows are "
            "called positive."
        ),
        findings=(*findings, *(shape for name in gaussians.METRICS for shape in shapes(name, runs, truth))),
        figure=picture(runs),
    )


def rises(values: gaussians.Floats) -> float:
    """How often a worse model has the better value, of all pairs of neighbours."""
    return float(np.mean(np.diff(values, axis=1) > 0))


def shapes(name: str, runs: Runs, truth: list[dict[str, float]]) -> list[Shape]:
    own, calibrated = runs.own[name], runs.calibrated[name]
    expected = np.array([row[name] for row in truth])
    mean, variance = calibrated.mean(0), calibrated.var(0, ddof=1) / len(calibrated)
    limit = noise.limit(len(calibrated))
    rise = np.diff(mean) / np.sqrt(variance[:-1] + variance[1:])
    allowed = limit * np.sqrt(variance) + 1e-5
    worst = int(np.argmax(np.abs(mean - expected) / allowed))
    return [
        Shape(
            f"{name}: in a run, the worse of two neighbours rarely looks better if calibrated, often if not",
            f"in {rises(calibrated):.0%} of pairs calibrated, {rises(own):.0%} at the share that came up",
            bool(rises(calibrated) < 0.5 * rises(own)),
        ),
        Shape(
            f"{name}: the mean of calibrated runs falls from model to model",
            f"from {mean[0]:.3f} to {mean[-1]:.3f}; nearest to a rise is a step of "
            f"{np.diff(mean)[rise.argmax()]:+.5f}, {rise.max():+.1f} standard errors",
            bool(rise.max() < 4 and rise.mean() < -4),
            "a rise of less than 4 standard errors is noise",
        ),
        Shape(
            f"{name}: and is the population's",
            f"{abs(mean - expected)[worst]:.5f} away, where {allowed[worst]:.5f} are allowed; at the other models less",
            bool(np.all(np.abs(mean - expected) < allowed)),
            f"limit {limit:.1f} standard errors and 0.00001",
        ),
    ]


def picture(runs: Runs) -> Figure:
    figure, axes = drawing.panels(3, width=4.2, height=3.7)
    distance = (gaussians.POSITIVE_MEAN - NEGATIVE_MEANS) ** 2 / 2
    for ax, name in zip(axes, gaussians.METRICS, strict=True):
        for values, colour, words in (
            (runs.own[name], drawing.ORANGE, "at the share that came up"),
            (runs.calibrated[name], drawing.BLUE, "read at 0.5"),
        ):
            ax.plot(distance, values[0], "o-", color=colour, linewidth=0.9, markersize=3, alpha=0.75)
            ax.plot(distance, values.mean(0), color=colour, linewidth=2.4, label=words)
        ax.set_xscale("log")
        ax.invert_xaxis()
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_ylim(-0.03, 1.03)
        drawing.describe(ax, name, "divergence of the populations: easy to hard")
    drawing.legend(axes[0], "upper right")
    drawing.say(axes[1], "thin: one run\nbold: mean of all", 1.9, 0.12, drawing.GREY)
    return figure
