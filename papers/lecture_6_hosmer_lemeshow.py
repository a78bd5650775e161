"""The test of Hosmer and Lemeshow: two models of four observations, and the degrees of freedom.

Applied Machine Learning, Performance Evaluation: Calibration versus Discrimination (lecture slides, LMU Munich):
hypothesis test for calibration and its example. On degrees of freedom: Hosmer & Lemeshow, Goodness of fit tests for the
multiple logistic regression model, Communications in Statistics 1980 (doi:10.1080/03610928008827941).
"""

import drawing
import numpy as np
import scipy
from experiment import Experiment, Number, Setup, Shape
from matplotlib.figure import Figure
from numpy.typing import NDArray

import baserate as br

TRUTH = (1, 1, 0, 0)
MODELS = {"f1": (0.9, 0.9, 0.1, 0.1), "f2": (0.9, 0.9, 0.7, 0.7)}
# As printed, by score: positives observed and expected, negatives observed and expected.
KINDS = ("observed positives", "expected positives", "observed negatives", "expected negatives")
PRINTED = {
    "f1": {0.1: (0, 0.2, 2, 1.8), 0.9: (2, 1.8, 0, 0.2)},
    "f2": {0.7: (0, 1.4, 2, 0.6), 0.9: (2, 1.8, 0, 0.2)},
}
TWO = br.calibration.equal_frequency(2)
N_BINS = 10
N_ROWS = 1_000


def simulated(runs: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """H of calibrated models: fitted to the same rows, and known beforehand; one column each."""
    from sklearn.linear_model import LogisticRegression

    made = np.empty((runs, 2))
    for row in made:
        x = rng.normal(size=(N_ROWS, 1))
        true = scipy.special.expit(0.3 + x[:, 0])
        happened = rng.random(N_ROWS) < true
        fitted = (
            LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-8).fit(x, happened).predict_proba(x)[:, 1]
        )
        for place, (score, in_sample) in enumerate(((fitted, True), (true, False))):
            curve = br.Curve.from_scores(happened, score)
            row[place] = br.calibration.hosmer_lemeshow(
                curve, in_sample=in_sample, bins=br.calibration.equal_frequency(N_BINS)
            ).statistic
    return made


def cells(name: str, curve: br.Curve) -> list[Number]:
    """The eight printed cells of a model: observed and expected positives and negatives of both bins."""
    bins = br.reliability(curve, bins=TWO)
    expected = bins.n * bins.mean_score
    ours = np.column_stack([bins.pos, expected, bins.n - bins.pos, bins.n - expected])
    return [
        Number(f"{name}, score {score:g}: {kind}", printed, float(found), 0.05)
        for score, row, found_row in zip(PRINTED[name], PRINTED[name].values(), ours, strict=True)
        for kind, printed, found in zip(KINDS, row, found_row, strict=True)
    ]


def run(setup: Setup) -> Experiment:
    curves = {name: br.Curve.from_scores(TRUTH, score) for name, score in MODELS.items()}
    tests = {name: br.calibration.hosmer_lemeshow(curve, in_sample=False, bins=TWO) for name, curve in curves.items()}
    runs = 500 if setup.quick else 4_000
    drawn = simulated(runs, np.random.default_rng(6))
    return Experiment(
        title="Hosmer–Lemeshow: the example, and its degrees of freedom",
        source="LMU lecture, hypothesis test for calibration",
        story=(
            "The example has four observations in two bins. To the right of it: H of calibrated models, simulated. The "
            "M − 2 degrees of freedom of the lecture are right for a model fitted to the rows it is tested on; scores "
            f"of new rows have M. `hosmer_lemeshow` therefore asks which it is ({runs:,} runs of {N_ROWS:,} rows)."
        ),
        findings=(*of_example(curves, tests), *of_simulation(drawn)),
        figure=picture(tests, drawn),
    )


def of_example(curves: dict[str, br.Curve], tests: dict[str, br.results.HosmerLemeshow]) -> list[Number | Shape]:
    fitted = br.calibration.hosmer_lemeshow(curves["f2"], in_sample=True, bins=TWO)
    return [
        Number("H of f1", 0.44, tests["f1"].statistic, 0.005),
        Number("H of f2", 4.89, tests["f2"].statistic, 0.005),
        *(cell for name, curve in curves.items() for cell in cells(name, curve)),
        Shape(
            "H of f2 is more than ten times as large",
            f"{tests['f2'].statistic / tests['f1'].statistic:.1f} times",
            tests["f2"].statistic > 10 * tests["f1"].statistic,
        ),
        Shape(
            "two bins leave M − 2 = 0 degrees of freedom: for scores fitted on these rows there is no test",
            f"p = {fitted.p_value} ({fitted.reason}); for scores of new rows there are {tests['f2'].df}: "
            f"p = {tests['f1'].p_value:.2f} and {tests['f2'].p_value:.3f}",
            fitted.df == 0 and bool(np.isnan(fitted.p_value)) and tests["f2"].df == 2,
            "the lecture prints no p",
        ),
    ]


def of_simulation(drawn: NDArray[np.float64]) -> list[Number]:
    mean = drawn.mean(axis=0)
    margin = 4 * drawn.std(axis=0, ddof=1) / np.sqrt(len(drawn))
    return [
        Number(
            f"mean of H in {N_BINS} bins, model fitted to the rows",
            N_BINS - 2,
            mean[0],
            round(float(margin[0]) + 0.15, 3),
            "M − 2 degrees of freedom, as the lecture says, are an approximation: 4 errors of the simulation + 0.15",
            printed=False,
        ),
        Number(
            f"mean of H in {N_BINS} bins, scores of new rows",
            N_BINS,
            mean[1],
            round(float(margin[1]), 3),
            "M degrees of freedom: no parameter was fitted, so nothing is lost; 4 errors of the simulation",
            printed=False,
        ),
    ]


def picture(tests: dict[str, br.results.HosmerLemeshow], drawn: NDArray[np.float64]) -> Figure:
    from scipy.stats import chi2

    figure, axes = drawing.panels(3, width=4.1, height=3.6)
    names, values = list(tests), [test.statistic for test in tests.values()]
    axes[0].bar(names, values, color=[drawing.BLUE, drawing.ORANGE], width=0.55)
    for place, value in enumerate(values):
        drawing.label(axes[0], place, value, f"{value:.2f}", drawing.INK, side="above")
    axes[0].set_ylim(0, 5.6)
    axes[0].grid(visible=False, axis="x")
    drawing.describe(axes[0], "H of the two models", "", "H")
    grid = np.linspace(0, 30, 300)
    for ax, values_drawn, title in zip(axes[1:], drawn.T, ("Fitted to the rows", "Scores of new rows"), strict=True):
        ax.hist(values_drawn, bins=list(np.arange(0, 31, 1.5)), density=True, color=drawing.SKY, edgecolor="white")
        for df, colour in ((N_BINS - 2, drawing.BLUE), (N_BINS, drawing.ORANGE)):
            ax.plot(grid, chi2.pdf(grid, df), color=colour, linewidth=1.8, label=f"chi-squared, {df} df")
        ax.set_yticks([])
        drawing.describe(ax, title, "H of a calibrated model, 10 bins", "")
        drawing.legend(ax, "upper right")
    return figure
