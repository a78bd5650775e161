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
        fitted = LogisticRegression(C=np.inf, tol=1e-8).fit(x, happened).predict_proba(x)[:, 1]
        for place, (score, in_sample) in enumerate(((fitted, True), (true, False))):
            curve = br.Curve.from_scores(happened, score)
            row[place] = br.hosmer_lemeshow(curve, in_sample=in_sample, bins=br.equal_frequency(N_BINS)).statistic
    return made


def run(setup: Setup) -> Experiment:
    curves = {name: br.Curve.from_scores(TRUTH, score) for name, score in MODELS.items()}
    two = br.equal_frequency(2)
    tests = {name: br.hosmer_lemeshow(curve, in_sample=False, bins=two) for name, curve in curves.items()}
    fitted = br.hosmer_lemeshow(curves["f2"], in_sample=True, bins=two)
    low = br.reliability(curves["f2"], bins=two)
    runs = 100 if setup.quick else 4_000
    drawn = simulated(runs, np.random.default_rng(6))
    mean = drawn.mean(axis=0)
    margin = 4 * drawn.std(axis=0, ddof=1) / np.sqrt(runs)
    findings = (
        Number("H of f1", 0.44, tests["f1"].statistic, 0.005),
        Number("H of f2", 4.89, tests["f2"].statistic, 0.005),
        Number("f2, score 0.7: expected positives", 1.4, float(low.n[0] * low.mean_score[0]), 0.05),
        Number("f2, score 0.7: observed positives", 0, float(low.pos[0]), 0.05),
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
        Number(
            f"mean of H in {N_BINS} bins, model fitted to the rows",
            N_BINS - 2,
            mean[0],
            round(float(margin[0]) + 0.15, 3),
            "chi-squared with M − 2, as the lecture says, is an approximation: 4 errors of the simulation + 0.15",
        ),
        Number(
            f"mean of H in {N_BINS} bins, scores of new rows",
            N_BINS,
            mean[1],
            round(float(margin[1]), 3),
            "no parameter was fitted, so nothing is lost; 4 errors of the simulation",
        ),
    )
    return Experiment(
        title="Hosmer–Lemeshow: the example, and its degrees of freedom",
        source="LMU lecture, hypothesis test for calibration",
        story=(
            "The example has four observations in two bins. Below it: H of calibrated models, simulated. The M − 2 "
            "degrees of freedom of the lecture are right for a model fitted to the rows it is tested on; scores of "
            f"new rows have M. `hosmer_lemeshow` therefore asks which it is ({runs:,} runs of {N_ROWS:,} rows)."
        ),
        findings=findings,
        figure=picture(tests, drawn),
    )


def picture(tests: dict[str, br.HosmerLemeshow], drawn: NDArray[np.float64]) -> Figure:
    from scipy.stats import chi2

    figure, axes = drawing.panels(3, width=4.1, height=3.6)
    names, values = list(tests), [test.statistic for test in tests.values()]
    axes[0].bar(names, values, color=[drawing.BLUE, drawing.ORANGE], width=0.55)
    for place, value in enumerate(values):
        axes[0].annotate(
            f"{value:.2f}", (place, value), xytext=(0, 4), textcoords="offset points", ha="center", fontsize=9
        )
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
