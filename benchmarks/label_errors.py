"""How often intervals hold that are corrected for wrong labels, and how wide they are.

``python benchmarks/label_errors.py`` prints the tables, ``--write FILE`` keeps them. ``--simulations`` says how many
test sets each setting gets.
"""

import argparse
import itertools
import math
import platform
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tables import table

import baserate as br
from baserate.formulas.mislabelled import ErrorRates, lang_reiczigel
from baserate.results import CorrectedRates

DRAWS, WANTED, RARE = 2000, 0.93, 1e-3
# The chance of each score: above the threshold 3, and below it.
SCORES = np.array([4.0, 3.0, 2.0, 1.0])
OF_POSITIVES, OF_NEGATIVES = np.array([0.4, 0.2, 0.2, 0.2]), np.array([0.002, 0.008, 0.09, 0.9])
RECALL, FPR = OF_POSITIVES[:2].sum(), OF_NEGATIVES[:2].sum()
NAMES = ("prevalence", "recall", "fpr", "precision")

Judge = tuple[float, float]
LabelErrors = br.labels.LabelErrors


class Setting(NamedTuple):
    """One kind of test set: its rows, its labeller, and the rows that are labelled twice."""

    kind: str
    n: int
    prevalence: float
    judge: Judge
    checked: int | None  # rows of each class; None if the error rates are known

    @property
    def by_score(self) -> tuple[Judge, Judge]:
        """The labeller above the threshold and below it."""
        sensitivity, specificity = self.judge
        if self.kind == "errors by score":
            return self.judge, (sensitivity - 0.1, (1 + specificity) / 2)
        if self.kind == "errors follow the score":  # as often wrong as the judge on average
            missed, false = 1 - sensitivity, 1 - specificity
            above, below = missed * 0.5, false * 3
            return (
                (1 - above, 1 - below),
                (1 - (missed - RECALL * above) / (1 - RECALL), 1 - (false - FPR * below) / (1 - FPR)),
            )
        return self.judge, self.judge


KINDS = ("at random", "checked rows are of the set", "errors by score", "errors follow the score", "sampled labels")


def settings() -> Iterator[Setting]:
    """All settings; the special kinds with some of the numbers."""
    for n, prevalence, judge in itertools.product(
        (2_000, 20_000), (0.3, 0.03), ((0.9, 0.99), (0.7, 0.999), (0.95, 0.9))
    ):
        for checked in (None, 50, 400):
            yield Setting("at random", n, prevalence, judge, checked)
    for kind, prevalence, judge in itertools.product(KINDS[1:], (0.3, 0.03), ((0.9, 0.99), (0.7, 0.999))):
        yield Setting(kind, 20_000, prevalence, judge, 400)


class Answer(NamedTuple):
    """One interval: for what, whether it held, its width, and whether it was there."""

    question: str
    held: bool
    width: float
    given: bool


def simulate(setting: Setting, n: int) -> Iterator[Answer]:
    """Test sets of one setting."""
    rng = np.random.default_rng(zlib.crc32(repr(setting).encode()))
    for number in range(n):
        yield from _answers(setting, rng, number)


def _answers(setting: Setting, rng: np.random.Generator, number: int) -> Iterator[Answer]:
    truth = rng.random(setting.n) < setting.prevalence
    of_class = [rng.choice(SCORES, setting.n, p=shares) for shares in (OF_NEGATIVES, OF_POSITIVES)]
    score = np.where(truth, of_class[1], of_class[0])
    above = score >= 3
    high, low = setting.by_score
    sensitivity, specificity = (np.where(above, one, other) for one, other in zip(high, low, strict=True))
    label = rng.random(setting.n) < np.where(truth, sensitivity, 1 - specificity)
    errors = _errors(setting, rng, truth, label)
    if errors is None:
        return
    if setting.kind == "sampled labels":
        known = above | (rng.random(setting.n) < 0.2)
        curve = br.Curve.from_sampled(np.where(known, label, np.nan), score, rule="all >= 3, else 20 %")
    else:
        curve = br.Curve.from_scores(label, score)
    may_follow = setting.kind == "errors follow the score"
    point = curve.at_threshold(3.0)
    elsewhere = br.Point.from_rates(RECALL, FPR, prevalence=RARE)
    true = dict(zip(NAMES, (setting.prevalence, RECALL, FPR), strict=False))
    true["precision"] = br.precision(elsewhere.at_prevalence(setting.prevalence))
    for where, read, names in (("", point, NAMES), (" at 1 in 1,000", point.at_prevalence(RARE), NAMES[-1:])):
        found = br.labels.corrected(read, errors, may_follow_score=may_follow, n_resamples=DRAWS, rng=number)
        for name in names:
            yield _answer(found, name, where, br.precision(elsewhere) if where else true[name])
    if setting.kind == "at random":
        assert isinstance(errors, LabelErrors)
        rates = ErrorRates(np.array(errors.sensitivity), np.array(errors.specificity))
        ends = lang_reiczigel(float(label.sum()), setting.n, rates, (errors.n_pos, errors.n_neg), 0.95)
        held = bool(ends.low <= setting.prevalence <= ends.high)
        yield Answer("prevalence, Lang and Reiczigel", held, float(ends.high - ends.low), True)


def _answer(found: CorrectedRates, name: str, where: str, true: float) -> Answer:
    one = getattr(found, name)
    return Answer(name + where, bool(one.low <= true <= one.high), one.high - one.low, not math.isnan(one.low))


def _errors(
    setting: Setting, rng: np.random.Generator, truth: np.ndarray, label: np.ndarray
) -> br.labels.LabelErrors | dict[float, br.labels.LabelErrors] | None:
    """What is known of the labeller; None if the rows that were labelled twice are no help."""
    if setting.kind == "errors by score":
        high, low = (_checked(judge, setting.checked, rng) for judge in setting.by_score)
        return None if high is None or low is None else {3.0: high, -math.inf: low}
    if setting.kind == "checked rows are of the set":
        some = rng.choice(setting.n, 1000, replace=False)
        y, seen = truth[some], label[some]
        counts = [int((y & seen).sum()), int((y & ~seen).sum()), int((~y & seen).sum()), int((~y & ~seen).sum())]
        return _from(*counts)
    return _checked(setting.judge, setting.checked, rng)


def _checked(judge: Judge, n: int | None, rng: np.random.Generator) -> br.labels.LabelErrors | None:
    if n is None:
        return LabelErrors(*judge)
    right_pos, right_neg = rng.binomial(n, judge[0]), rng.binomial(n, judge[1])
    return _from(int(right_pos), n - int(right_pos), n - int(right_neg), int(right_neg))


def _from(tp: int, fn: int, fp: int, tn: int) -> br.labels.LabelErrors | None:
    better = tp + fn > 0 and tp / (tp + fn) + tn / (fp + tn) > 1
    return LabelErrors.from_double_labelled(tp=tp, fn=fn, fp=fp, tn=tn) if better else None


# --- the page -------------------------------------------------------------------------------------

PAGE = """# Intervals corrected for wrong labels

Made by `make label-errors-study`: {n} simulated test sets for each of {settings} settings, {draws} draws for each
interval. Python {python}, baserate {baserate}, numpy {numpy}.

Test sets have 2,000 or 20,000 rows, 30 % or 3 % of them positive; 60 % of the positives and 1 % of the negatives are
above the threshold. The labeller has a sensitivity and specificity of 90 % and 99 %, 70 % and 99.9 %, or 95 % and 90 %.
They are known, or come from 50 or 400 rows of each class that were labelled twice. In the other kinds there are 20,000
rows, the third labeller is left out, and 400 rows of each class are labelled twice, or 1,000 random ones of the set.

## How often they hold

The share of intervals at 95 % that contain the true value: lowest of all settings, and mean. A setting falls short if
it is below 93 % by more than two standard errors of the simulation, here below {limit}. {short} of {cells} do. An
interval that is missing, because labels and error rates seemed to contradict each other, counts as one that does not
hold.

{coverage}

## How wide they are

Median widths over test sets, as the median of all settings of a kind.

{widths}
"""


def page(answers: dict[Setting, list[Answer]], n: int) -> str:
    """The page."""
    limit = WANTED - 2 * np.sqrt(WANTED * (1 - WANTED) / n)
    held: dict[tuple[str, str], list[float]] = defaultdict(list)
    widths: dict[tuple[str, str], list[float]] = defaultdict(list)
    for setting, several in answers.items():
        by_question: dict[str, list[Answer]] = defaultdict(list)
        for one in several:
            by_question[one.question].append(one)
        for question, of_sets in by_question.items():
            held[question, setting.kind].append(float(np.mean([one.held for one in of_sets])))
            there = [one.width for one in of_sets if one.given]
            widths[question, setting.kind].append(float(np.median(there)) if there else math.nan)
    questions = list(dict.fromkeys(question for question, _ in held))
    kinds = [kind for kind in KINDS if any(one.kind == kind for one in answers)]
    rows = [[question, *(_least_and_mean(held.get((question, kind), [])) for kind in kinds)] for question in questions]
    wide = [
        [
            question,
            *(f"{np.median(widths[question, kind]):.3g}" if (question, kind) in widths else "" for kind in kinds),
        ]
        for question in questions
    ]
    return PAGE.format(
        n=n,
        settings=len(answers),
        draws=DRAWS,
        python=platform.python_version(),
        baserate=br.__version__,
        numpy=version("numpy"),
        limit=f"{100 * limit:.1f} %",
        short=sum(one < limit for of in held.values() for one in of),
        cells=sum(len(of) for of in held.values()),
        coverage=table(["rate", *kinds], rows),
        widths=table(["rate", *kinds], wide),
    )


def _least_and_mean(shares: list[float]) -> str:
    return f"{100 * min(shares):.1f} % ({100 * np.mean(shares):.1f} %)" if shares else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=300, help="test sets for each setting")
    parser.add_argument("--quick", action="store_true", help="the first setting of each kind only")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page there, too")
    options = parser.parse_args()
    wanted = list(settings())
    if options.quick:
        wanted = list({one.kind: one for one in reversed(wanted)}.values())[::-1]
    answers: dict[Setting, list[Answer]] = {}
    for setting in wanted:
        answers[setting] = list(simulate(setting, options.simulations))
        print(*setting, file=sys.stderr, flush=True)
    text = page(answers, options.simulations)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
