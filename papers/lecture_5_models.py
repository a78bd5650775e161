"""Four learners and how their probabilities fit what happens.

Applied Machine Learning, Performance Evaluation: Calibration versus Discrimination (lecture slides, LMU Munich):
calibration plots with groups of equal width. The slides name the learners, not the data; here it is the simulated
data of scikit-learn's comparison of classifiers by calibration: 100 rows to learn from, and then more of them.
"""

from collections.abc import Iterable
from typing import NamedTuple

import drawing
import numpy as np
from experiment import Difference, Experiment, Finding, Setup, Shape
from matplotlib.figure import Figure
from numpy.typing import NDArray

import baserate as br
from baserate.plots import ReliabilityDisplay

SIZES = (100, 1_000, 3_000)  # rows to learn from
LOGISTIC, SVC, FOREST, BAYES = "logistic regression", "linear SVC", "random forest", "naive Bayes"


def scores(n_train: int, *, quick: bool) -> tuple[NDArray[np.int64], dict[str, NDArray[np.float64]]]:
    """What happened, and the scores of each learner; distances of the SVC are stretched onto [0, 1]."""
    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.svm import LinearSVC

    # Always the same rows: a small version judges fewer of them.
    features, label = make_classification(100_000, n_features=20, n_informative=2, n_redundant=2, random_state=42)
    judged = slice(max(SIZES), 15_000 if quick else None)
    train, test, y = features[:n_train], features[judged], label[:n_train]
    made = {
        LOGISTIC: LogisticRegression().fit(train, y).predict_proba(test)[:, 1],
        FOREST: RandomForestClassifier(random_state=42).fit(train, y).predict_proba(test)[:, 1],
        BAYES: GaussianNB().fit(train, y).predict_proba(test)[:, 1],
    }
    svc = LinearSVC(random_state=42).fit(train, y)
    ends, distance = svc.decision_function(train), svc.decision_function(test)
    made[SVC] = np.clip((distance - ends.min()) / np.ptp(ends), 0, 1)
    return label[judged], {name: made[name] for name in (LOGISTIC, SVC, FOREST, BAYES)}


def extreme(score: NDArray[np.float64]) -> float:
    """The share of scores within 0.05 of 0 or 1."""
    return float(np.mean((score < 0.05) | (score > 0.95)))


class Judged(NamedTuple):
    """A learner on new rows: its curve, its calibration plot, and how many of its scores are extreme."""

    curve: br.Curve
    found: br.results.Reliability
    extreme: float

    @property
    def overstates(self) -> bool:
        """Whether it says too little in the lowest bin and too much in the highest."""
        too_much = self.found.mean_score - self.found.event_rate
        return bool(too_much[0] < 0 < too_much[-1])


def judged(n_train: int, *, quick: bool) -> dict[str, Judged]:
    happened, made = scores(n_train, quick=quick)
    curves = {name: br.Curve.from_scores(happened, score) for name, score in made.items()}
    return {name: Judged(curve, br.reliability(curve, bins=10), extreme(made[name])) for name, curve in curves.items()}


def run(setup: Setup) -> Experiment:
    all_sizes = [judged(n_train, quick=setup.quick) for n_train in SIZES]
    return Experiment(
        title="Four learners and their probabilities",
        source="LMU lecture, example of calibration plots",
        story=(
            "The slides name the learners, not the data; here it is simulated, by scikit-learn's `make_classification` "
            "as in its own comparison of classifiers by calibration. Learned from 100 rows; the table also has 1,000 "
            "and 3,000. Above, event rates by scores; below, how the scores are distributed. Rings mark bins that are "
            "significantly miscalibrated. With so many rows most are; the size of the gap is what to look at."
        ),
        findings=findings(all_sizes),
        figure=picture({name: one.curve for name, one in all_sizes[0].items()}),
    )


def findings(all_sizes: list[dict[str, Judged]]) -> tuple[Finding, ...]:
    errors = {name: [one[name].found.ece for one in all_sizes] for name in all_sizes[0]}
    ends = {name: [one[name].extreme for one in all_sizes] for name in all_sizes[0]}
    gap = np.abs(np.subtract(errors[LOGISTIC], errors[FOREST]))
    return (
        Shape(
            "naive Bayes and the linear SVC are biased far more than the other two, at every size",
            "ECE " + "; ".join(f"{name} {_listed(values, '.3f')}" for name, values in errors.items()),
            bool(np.all(np.maximum(errors[LOGISTIC], errors[FOREST]) < np.minimum(errors[SVC], errors[BAYES]))),
        ),
        Difference(
            "logistic regression is not the one exception: the random forest is about as good",
            "“except logistic regression”",
            f"their ECE differ by at most {gap.max():.3f}",
            bool(gap.max() < 0.02),
            "the lecture excepts logistic regression only; on this data neither leads at every size",
        ),
        Shape(
            "the linear SVC is worst: its distances are no probabilities, and too near to the middle",
            _listed([one[SVC].found.leaning for one in all_sizes], ""),
            all(one[SVC].found.leaning == "underconfident" for one in all_sizes)
            and np.array_equal(errors[SVC], np.max(list(errors.values()), axis=0)),
        ),
        Shape(
            "probabilities close to 0 or 1 are rare in the random forest that learns from 100 rows",
            f"{ends[FOREST][0]:.1%} within 0.05 of an end, of naive Bayes {ends[BAYES][0]:.1%}; with more rows "
            f"{_listed(ends[FOREST][1:], '.1%')}",
            ends[FOREST][0] < 0.1 and all(np.less(ends[FOREST], ends[BAYES])),
            "not so rare any more when there is more to learn from",
        ),
        Shape(
            "naive Bayes pushes probabilities to 0 and 1",
            f"{_listed(ends[BAYES], '.1%')} within 0.05 of an end, of logistic regression "
            f"{_listed(ends[LOGISTIC], '.1%')}; too low in the first bin and too high in the last at "
            f"{sum(one[BAYES].overstates for one in all_sizes)} of {len(SIZES)} sizes",
            all(np.greater(ends[BAYES], ends[LOGISTIC])) and all(one[BAYES].overstates for one in all_sizes),
        ),
    )


def _listed(values: Iterable[object], how: str) -> str:
    return ", ".join(format(value, how) for value in values)


def picture(curves: dict[str, br.Curve]) -> Figure:
    figure, axes = drawing.panels(4, 2, width=3.3, height=2.6)
    for number, (name, curve) in enumerate(curves.items()):
        above, below = axes[number], axes[number + 4]
        shown = ReliabilityDisplay.from_curve(curve)
        shown.plot(above, histogram=below, legend="none", color=drawing.PALETTE[number], linestyle="-", linewidth=1.8)
        drawing.describe(above, name, "score", "event rate")
        drawing.say(above, f"ECE {shown.measure:.3f}", 0.55, 0.12)
        drawing.describe(below, "", "score", "share of rows")
    return figure
