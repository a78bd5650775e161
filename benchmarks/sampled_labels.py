"""How often intervals hold where only some rows were sampled for labelling, and how wide they are.

``python benchmarks/sampled_labels.py`` prints the tables, ``--write FILE`` keeps them, as far as they are.
``--simulations`` says how many test sets each setting gets.
"""

import argparse
import itertools
import platform
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats
from tables import table

import baserate as br
from baserate.metrics.over_prevalence import MetricFunction

N, PREVALENCE, RARE = 50_000, 0.02, 1e-3
RATES = (0.001, 0.005, 0.02, 0.1)
WANTED, DRAWS = 0.93, 200
NOISE = 0.5  # standard deviation of what the second model adds to the score of the first


_ROUND = 10  # test sets of each setting between two versions of the page


class Shape(NamedTuple):
    """Scores of each class: how they are drawn, and the share of them at a threshold or above."""

    name: str
    cutoff: float  # from which on all rows are labelled: half the positives
    draw: Callable[[np.random.Generator, np.ndarray], np.ndarray]  # from labels
    above: Callable[[bool, np.ndarray], np.ndarray]
    grid: np.ndarray  # of falling thresholds


def _rounded(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
    return np.asarray(np.round(4 * (rng.normal(size=len(y)) + 2 * y)) / 4, np.float64)


FINE = np.linspace(60, -60, 480_001)
SHAPES = (
    Shape(
        "normal",
        2.0,
        lambda rng, y: rng.normal(size=len(y)) + 2 * y,
        lambda positive, t: stats.norm.sf(t - 2 * positive),
        FINE,
    ),
    Shape(
        "heavy tails",
        3.0,
        lambda rng, y: rng.standard_t(3, size=len(y)) * np.where(y, 2, 1) + 3 * y,
        lambda positive, t: stats.t.sf((t - 3 * positive) / (2 if positive else 1), 3),
        FINE,
    ),
    Shape(
        "rounded",
        2.0,
        _rounded,
        lambda positive, t: stats.norm.sf(t - 0.125 - 2 * positive),
        np.arange(80, -80, -1) / 4,
    ),
)


class Truth(NamedTuple):
    """What holds in the population of one shape."""

    shape: Shape

    def recall(self, threshold: float) -> float:
        """The recall at a threshold."""
        return float(self.shape.above(True, np.asarray(threshold)))

    def precision(self, threshold: float | None, prevalence: float) -> float:
        """The precision at a threshold."""
        assert threshold is not None
        false = (1 - prevalence) * float(self.shape.above(False, np.asarray(threshold)))
        true = prevalence * self.recall(threshold)
        return true / (true + false)

    def best_f1(self, prevalence: float) -> float:
        """The highest F1 of all thresholds."""
        tpr, fpr = (self.shape.above(positive, self.shape.grid) for positive in (True, False))
        return float(np.max(2 * tpr / (tpr + 1 + (1 - prevalence) / prevalence * fpr)))

    def average_precision(self, prevalence: float) -> float:
        """The step sum over all thresholds."""
        tpr, fpr = (self.shape.above(positive, self.shape.grid) for positive in (True, False))
        found = tpr > 0
        precision = prevalence * tpr[found] / (prevalence * tpr[found] + (1 - prevalence) * fpr[found])
        return float(np.diff(tpr[found], prepend=0.0) @ precision)

    def roc_auc(self) -> float:
        """The area under the ROC curve."""
        tpr, fpr = (self.shape.above(positive, self.shape.grid) for positive in (True, False))
        return float(np.trapezoid(tpr, fpr))


Found = dict[tuple[str, float], list[int]]  # positives among the labelled rows of the rest, in each test set


class Answer(NamedTuple):
    """One interval: who gave it, for what, whether it held, and its width."""

    question: str
    who: str
    held: bool
    width: float


def simulate(shape: Shape, rate: float, numbers: range, rivals: int, found: list[int]) -> Iterator[Answer]:
    """Test sets of one shape and rate; rivals answer in the first few of all. Notes positives found in the rest."""
    truth, inside = Truth(shape), shape.cutoff - 0.75
    areas = {eta: truth.average_precision(eta) for eta in (PREVALENCE, RARE)}
    best = {eta: truth.best_f1(eta) for eta in (PREVALENCE, RARE)}
    auc = truth.roc_auc()
    for number in numbers:
        rng = np.random.default_rng([zlib.crc32(f"{shape.name} {rate}".encode()), number])
        y = np.arange(N) < rng.binomial(N, PREVALENCE)
        score = shape.draw(rng, y)
        alert = score >= shape.cutoff
        known = alert | (rng.random(N) < rate)
        if not (known & ~alert).any():
            continue
        found.append(int(np.count_nonzero(y & known & ~alert)))
        label = np.where(known, y.astype(float), np.nan)
        curves = {"sampled": br.Curve.from_sampled(label, score, rule=f"all >= {shape.cutoff}, else {rate!r}")}
        if number < rivals:
            weight = np.where(alert, 1, 1 / rate)[known]
            curves["weights of 1/rate"] = br.Curve.from_scores(y[known], score[known], weight=weight)
            curves["all labelled"] = br.Curve.from_scores(y, score)
        for (who, curve), eta in itertools.product(curves.items(), (None, RARE)):
            at = curve if eta is None else curve.at_prevalence(eta)
            where, read_at = (", own", PREVALENCE) if eta is None else (", 0.001", RARE)
            chosen = at.at_recall(0.6)
            asked: list[tuple[str, MetricFunction, br.Curve | br.Point, float]] = [
                ("recall at the cutoff", br.recall, at.at_threshold(shape.cutoff), truth.recall(shape.cutoff)),
                ("recall below it", br.recall, at.at_threshold(inside), truth.recall(inside)),
            ]
            asked = asked if eta is None else []
            asked += [
                (f"precision at {name}{where}", br.precision, point, truth.precision(point.threshold, read_at))
                for name, point in (
                    ("the cutoff", at.at_threshold(shape.cutoff)),
                    ("a threshold below it", at.at_threshold(inside)),
                    ("recall >= 0.6", chosen),
                )
            ]
            searched = _searched(at, 0.8 * truth.precision(shape.cutoff, read_at))
            if searched is not None and searched.threshold is not None:
                asked.append((f"recall at a precision{where}", br.recall, searched, truth.recall(searched.threshold)))
            asked.append((f"best F1{where}", br.best_f1, at, best[read_at]))
            asked.append((f"average precision{where}", br.average_precision, at, areas[read_at]))
            if eta is None:
                asked.append(("AUC-ROC", br.roc_auc, at, auc))
                if who == "sampled":
                    asked.append(("prevalence", br.chance_precision, at.at_threshold(0.0), PREVALENCE))
            for question, metric, place, true in asked:
                one = br.estimate(metric, place, n_resamples=DRAWS, rng=number)
                yield Answer(question, who, bool(one.low - 1e-9 <= true <= one.high + 1e-9), one.width)
        if shape.name == "normal":
            yield from _differences(rng, label, score, alert, number)


def _searched(curve: br.Curve, precision: float) -> br.Point | None:
    """The point with the largest recall at a precision; None if no threshold has it."""
    try:
        return curve.at_precision(precision)
    except br.BaserateError:
        return None


def _differences(
    rng: np.random.Generator, label: np.ndarray, score: np.ndarray, alert: np.ndarray, number: int
) -> Iterator[Answer]:
    """The model that gives alerts, beside one whose scores have more noise."""
    spread = np.hypot(1, NOISE)
    other = (score + NOISE * rng.normal(size=N)) / spread
    pair = br.Pair.from_sampled(label, score, other, stratum=np.where(alert, "alert", "rest"))
    recalls = [stats.norm.sf(2 - shift) for shift in (2, 2 / spread)]
    aucs = [stats.norm.cdf(shift / np.sqrt(2)) for shift in (2, 2 / spread)]
    for question, metric, at, (first, second) in (
        ("difference of recall", br.recall, "threshold=2", recalls),
        ("difference of AUC-ROC", br.roc_auc, None, aucs),
    ):
        found = br.difference(metric, pair, at=at, n_resamples=DRAWS, rng=number)
        yield Answer(question, "sampled", found.low <= first - second <= found.high, found.high - found.low)


# --- the page -------------------------------------------------------------------------------------

PAGE = """# Intervals where only some rows are labelled

Made by `make sampled-study`: {n} simulated test sets for each of {settings} settings, {draws} draws for each interval.
Python {python}, baserate {baserate}, numpy {numpy}, scipy {scipy}.

Each test set has {rows:,} rows, 2 % of them positive. All rows with a score at or above a cutoff are labelled, which
half the positives reach, and a random share of the rest. There are three shapes of scores: normal, positives two
standard deviations higher; with the tails of Student's t with three degrees of freedom; and normal, rounded to
quarters. True values are computed by integration. A prevalence of "own" is that of the rows, which is estimated.
"Recall at a precision" is that of the threshold found by `at_precision`, for a precision of 0.8 times that at the
cutoff. Differences are between the model whose alerts are labelled and one with more noise, of normal scores.

{found}

## How often they hold

The share of intervals at 95 % that contain the true value: the lowest of the three shapes. A setting falls short if it
is below 93 % by more than two standard errors of the simulation, here below {limit}. {short} of {cells} do.

{coverage}

## How wide they are

Median widths divided by those from all {rows:,} labels, on the same test sets; {rivals} of each setting. In parentheses
how often the intervals of weights of 1/rate hold there, which are those of the library for weighted rows.

{widths}
"""


def page(answers: dict[tuple[str, float], list[Answer]], positives: Found, n: int, rivals: int) -> str:
    """The page."""
    limit = WANTED - 2 * np.sqrt(WANTED * (1 - WANTED) / n)
    held: dict[tuple[str, float], list[float]] = defaultdict(list)
    widths: dict[tuple[str, float, str], list[float]] = defaultdict(list)
    naive: dict[tuple[str, float], list[bool]] = defaultdict(list)
    for (_, rate), several in answers.items():
        by_question: dict[str, list[bool]] = defaultdict(list)
        for one in several:
            widths[one.question, rate, one.who].append(one.width)
            if one.who == "sampled":
                by_question[one.question].append(one.held)
            elif one.who == "weights of 1/rate":
                naive[one.question, rate].append(one.held)
        for question, of_sets in by_question.items():
            held[question, rate].append(float(np.mean(of_sets)))
    questions = list(dict.fromkeys(question for question, _ in held))
    rates = sorted({rate for _, rate in held})
    worst = [[question, *(f"{100 * min(held[question, rate]):.0f} %" for rate in rates)] for question in questions]
    beside = [
        [question, *(_beside(widths, naive, question, rate) for rate in rates)]
        for question in questions
        if (question, rates[0], "all labelled") in widths
    ]
    heads = [f"{100 * rate:g} % of the rest" for rate in rates]
    of_rate = {rate: [one for (_, other), some in positives.items() if other == rate for one in some] for rate in rates}
    spread = [f"{min(one)} to {max(one)} at {100 * rate:g} %" for rate, one in of_rate.items()]
    return PAGE.format(
        found=f"Positives found in the sampled rest: {', '.join(spread)}.",
        n=n,
        settings=len(answers),
        draws=DRAWS,
        python=platform.python_version(),
        baserate=br.__version__,
        numpy=version("numpy"),
        scipy=version("scipy"),
        rows=N,
        limit=f"{100 * limit:.1f} %",
        short=sum(one < limit for of in held.values() for one in of),
        cells=sum(len(of) for of in held.values()),
        coverage=table(["question", *heads], worst),
        widths=table(["question", *heads], beside),
        rivals=rivals,
    )


def _beside(
    widths: dict[tuple[str, float, str], list[float]],
    naive: dict[tuple[str, float], list[bool]],
    question: str,
    rate: float,
) -> str:
    full = np.median(widths[question, rate, "all labelled"])
    sampled = np.median(widths[question, rate, "sampled"]) / full
    weighted = np.median(widths[question, rate, "weights of 1/rate"]) / full
    return f"{sampled:.1f}; weights {weighted:.1f} ({100 * np.mean(naive[question, rate]):.0f} %)"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=100, help="test sets for each setting")
    parser.add_argument("--rivals", type=int, help="of these, how many others answer, too (a quarter)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there, too")
    options = parser.parse_args(arguments)
    n = options.simulations
    rivals = options.rivals or max(1, n // 4)
    answers: dict[tuple[str, float], list[Answer]] = defaultdict(list)
    found: Found = defaultdict(list)
    for start in range(0, n, _ROUND):  # all settings have as many, so that a study that is stopped is a smaller one
        numbers = range(start, min(start + _ROUND, n))
        for shape, rate in itertools.product(SHAPES, RATES):
            answers[shape.name, rate] += simulate(shape, rate, numbers, rivals, found[shape.name, rate])
        print(f"{numbers.stop} of {n}", file=sys.stderr, flush=True)
        text = page(answers, found, numbers.stop, min(rivals, numbers.stop))
        if options.write:
            options.write.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
