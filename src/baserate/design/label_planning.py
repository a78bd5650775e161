"""Which rows to label: a budget, or a wanted width, shared among strata of scores."""

import math
from typing import NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import ArrayLike, FloatArray, Prevalence
from baserate.checks import Label
from baserate.curves.curve import Curve
from baserate.curves.sampling import parse
from baserate.design.allocation import Strata, best_edges, strata_from
from baserate.design.label_simulation import Simulated, simulated, simulated_widths
from baserate.design.score_bins import LabelQuestion, ScoreBins, bins_of, slopes
from baserate.errors import InputError, shown
from baserate.formulas.proportions import z_score
from baserate.metrics.over_prevalence import MetricFunction
from baserate.metrics.rates import recall
from baserate.registry import describe, is_pointwise
from baserate.results.labelling import LabellingPlan, PlannedStratum

# Without an earlier curve: the shares of the budget for rows above the threshold, for as many times as many rows below
# them, and for the rest.
_FIRST_ROUND, _BAND = (0.5, 0.25, 0.25), 9

# A plan that just meets its goal fails in every other simulation of it, so it aims at a higher assurance.
_RESERVE = 0.4

# Rounds of the search, which ends when enough labels are at most so many times too few, and of that for random samples.
_ROUNDS, _NEAR, _AT_RANDOM = 8, 1.04, 2

_FEWEST_SIMULATIONS = 10


@checks.declared
def labelling(
    score: ArrayLike,
    like: Curve | None = None,
    *,
    metric: MetricFunction = recall,
    threshold: float | None = None,
    width: float | None = None,
    budget: int | None = None,
    prevalence: Prevalence | None = None,
    label: ArrayLike | None = None,
    rule: str | None = None,
    positive: Label | None = None,
    confidence_level: float = 0.95,
    assurance: float = 0.95,
    simulations: int = 40,
    rng: np.random.Generator | int | None = 0,
) -> LabellingPlan:
    """Which of many scored rows to label, so that a metric is known well enough, or as well as a budget allows.

    There are three strata: the alerts, a band below the threshold, and the rest. A metric of the whole curve has two
    edges of its own. Each stratum gets labels by Neyman's allocation: in proportion to its rows, and to how much they
    differ in what they add to the metric. The number of labels is then found by simulation, with the interval of
    `estimate`.

    Parameters
    ----------
    score : column
        Scores of all rows.
    like : Curve, optional
        An earlier curve of the same model, or that of a pilot. It says how many positives to expect at each score, at
        the prevalence that it is read at. Without it there can be only a first round: half the budget goes to the
        alerts, a quarter to a band of nine times as many rows, a quarter to the rest.
    metric : callable
        A metric such as recall, precision or average precision.
    threshold : float, optional
        Alerts have this score or a higher one; metrics of a threshold need it.
    width, budget : float or int, optional
        One of them: the largest width of the interval, from end to end; or the number of labels.
    prevalence : float or str, optional
        The prevalence to read the metric at; by default that of the rows.
    label, rule, positive : column, str and label, optional
        For a second round: the labels that are known already, missing where they are not, and the rule by which those
        rows were sampled, as for `Curve.from_sampled`. They count, and by default they are the earlier curve.
    confidence_level, assurance : float
        The level of the interval, and the share of test sets in which it should be as narrow as wanted.
    simulations : int
        Test sets to simulate in each round of the search; 0 for a budget without a simulation.
    rng : Generator or int, optional
        The random generator of the simulations, or its seed.

    Returns
    -------
    LabellingPlan
        With `strata`, `rule`, and how many labels a random sample of all rows would need.

    References
    ----------
    Neyman, On the two different aspects of the representative method, Journal of the Royal Statistical Society 1934.
    doi:10.2307/2342192.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> last_year = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> plan = br.design.labelling(data["new_model"], last_year, threshold=0.3, budget=1000, simulations=0)
    >>> plan.n_labels
    1000
    """
    scores = checks.numbers(score, "score")
    at = None if threshold is None else checks.number(threshold, "threshold")
    eta = None if prevalence is None else checks.prevalence(prevalence)
    question = LabelQuestion(metric, at, eta)
    _check(question, width, budget, len(scores))
    known = _KnownLabels.none(len(scores))
    cuts: tuple[float, ...] = () if at is None else (at,)
    if label is not None:
        known = _KnownLabels.of(label, scores, rule, positive)
        cuts += known.edges
        like = known.curve if like is None else like
    if like is None:
        return _first_round(scores, question, budget, checks.confidence_level(confidence_level))
    bins = bins_of(scores, like, cuts)
    wanted = _Wanted(
        question,
        scores,
        bins,
        known,
        checks.confidence_level(confidence_level),
        checks.probability(assurance, "assurance"),
        simulations,
        int(checks.generator(rng).integers(2**31)),
    )
    if budget is not None:
        return wanted.from_budget(float(budget))
    return wanted.from_width(checks.probability(width, "width"))


def _check(question: LabelQuestion, width: float | None, budget: int | None, n_rows: int) -> None:
    if (width is None) == (budget is None):
        raise InputError(
            f"one of width and budget must be given, got {'neither' if width is None else 'both'}; pass width=0.1, or "
            f"budget=1000."
        )
    if budget is not None and not 0 < checks.whole_number(budget, "budget") <= n_rows:
        raise InputError(f"budget must be at most the number of rows, {n_rows:,}, got {budget:,}; pass a smaller one.")
    if is_pointwise(question.metric) and question.threshold is None:
        raise InputError(
            f"{describe(question.metric)} needs a threshold, got none; pass threshold=, or a metric of the whole curve."
        )


class _KnownLabels(NamedTuple):
    """Rows that are labelled already: which, the edges of their strata, and their curve."""

    rows: FloatArray
    edges: tuple[float, ...]
    curve: Curve | None

    @classmethod
    def none(cls, n: int) -> "_KnownLabels":
        return cls(np.zeros(n), (), None)

    @classmethod
    def of(cls, label: ArrayLike, scores: FloatArray, rule: str | None, positive: Label | None) -> "_KnownLabels":
        if rule is None:
            raise InputError(
                "labels that are known need the rule by which their rows were sampled, got none; pass rule='all >= "
                "0.9, else 0.5 %'."
            )
        curve = Curve.from_sampled(label, scores, rule=rule, positive=positive)
        known, _ = checks.present(label, "label")
        return cls(known.astype(np.float64), tuple(one.lowest for one in parse(rule)[:-1]), curve)


def _first_round(scores: FloatArray, question: LabelQuestion, budget: int | None, level: float) -> LabellingPlan:
    """Labels for a pilot, of whose rows nothing is known but their scores."""
    if budget is None or question.threshold is None:
        raise InputError(
            "without an earlier curve there can be only a pilot, which needs a threshold and a budget; pass both, "
            "label its rows, and plan a second round with their labels."
        )
    falling = np.sort(scores)[::-1]
    n_alerts = int((falling >= question.threshold).sum())
    band = falling[min(n_alerts * (1 + _BAND), len(falling) - 1)] if n_alerts else falling[len(falling) // 10]
    edges = [edge for edge in (question.threshold, float(band)) if edge <= question.threshold]
    lowest = [*dict.fromkeys(edges), -np.inf]
    n_rows = np.bincount(np.searchsorted(-np.array(lowest), -scores), minlength=len(lowest))
    labels, left = [], float(budget)
    for k, rows in enumerate(n_rows):
        share = _FIRST_ROUND[k] / sum(_FIRST_ROUND[k : len(n_rows)])
        labels.append(min(int(rows), round(left * share)))
        left -= labels[-1]
    strata = (
        PlannedStratum(float(low), int(rows), n, 0, np.nan)
        for low, rows, n in zip(lowest, n_rows, labels, strict=True)
        if rows
    )
    if 0 in [n for n, rows in zip(labels, n_rows, strict=True) if rows]:
        raise InputError(
            f"budget must leave a label for each stratum, got {budget} for {len(lowest)} strata; pass a larger one."
        )
    return LabellingPlan(
        tuple(strata), describe(question.metric), question.threshold, question.prevalence, np.nan, None, np.nan, np.nan,
        np.nan, np.nan, level,
    )  # fmt: skip


class _Wanted(NamedTuple):
    """A question about rows of which an earlier curve tells something, and how well they are to answer it."""

    question: LabelQuestion
    scores: FloatArray
    bins: ScoreBins
    known: _KnownLabels
    level: float
    assurance: float
    simulations: int
    seed: int

    def strata(self, n: float) -> Strata:
        """The best strata for about n labels."""
        by_bin = slopes(self.question, self.bins)
        edges = best_edges(self.bins, by_bin, self.question.threshold, n)
        known = np.bincount(self.bins.of_row, self.known.rows, len(self.bins.lowest)).astype(np.float64)
        return strata_from(self.bins, by_bin, [*edges, *self.known.edges], known)

    def from_budget(self, n: float) -> LabellingPlan:
        """The best plan for n labels."""
        strata = self.strata(n)
        labels = _whole(strata, n)
        widths = self._simulated(strata, labels) if self.simulations else None
        return self._plan(strata, labels, widths, None)

    def from_width(self, width: float) -> LabellingPlan:
        """The smallest plan whose intervals are narrow enough, found by simulating and correcting it."""
        if checks.repeats(self.simulations, "simulations") < _FEWEST_SIMULATIONS:
            raise InputError(
                f"simulations must be at least {_FEWEST_SIMULATIONS} for a width, got {self.simulations}; pass 40."
            )
        whole, error = float(len(self.scores)), width / 2 / z_score(self.level)
        strata = self.strata(max(0.02 * whole, 100.0))
        strata = self.strata(_labels_for(strata, error**2))
        n, too_few = _labels_for(strata, error**2), float(strata.least.sum())
        enough: tuple[FloatArray, Simulated] | None = None
        for _ in range(_ROUNDS):
            labels = _whole(strata, n)
            found = self._simulated(strata, labels)
            if found.reserve <= width:
                enough = labels, found
            elif n >= whole:
                raise InputError(
                    f"width must be one that {len(self.scores):,} labelled rows can give, got {shown(width)}; with all "
                    f"of them it is about {found.reserve:.3g}."
                )
            else:
                too_few = max(too_few, n)
            most = whole if enough is None else float(enough[0].sum())
            if enough is not None and most <= _NEAR * too_few:
                break
            error *= width / found.reserve
            n = _labels_for(strata, error**2)
            if not too_few < n < most:
                n = most if enough is None and n >= most else math.sqrt(too_few * most)
        if enough is None:
            labels = _whole(strata, whole)
            enough = labels, self._simulated(strata, labels)
        return self._plan(strata, *enough, width)

    def _simulated(self, strata: Strata, labels: FloatArray) -> Simulated:
        more = self.assurance + _RESERVE * (1 - self.assurance)
        settings = (self.simulations, self.level, self.assurance, more)

        def curve(number: int) -> Curve:  # the same random numbers for every plan, so that plans can be compared
            return simulated(self.scores, self.bins, strata, labels, np.random.default_rng([self.seed, number]))

        return simulated_widths(self.question, curve, settings)

    def _plan(
        self, strata: Strata, labels: FloatArray, widths: Simulated | None, wanted: float | None
    ) -> LabellingPlan:
        known = np.bincount(strata.of_bin[self.bins.of_row], self.known.rows, len(labels))
        each = zip(strata.lowest, strata.n_rows, labels, known, strata.pos, strict=True)
        return LabellingPlan(
            strata=tuple(
                PlannedStratum(float(low), int(rows), int(n), int(already), float(pos * n / rows))
                for low, rows, n, already, pos in each
            ),
            metric=describe(self.question.metric),
            threshold=self.question.threshold,
            prevalence=self.question.prevalence,
            value=self.question.expected(self.bins),
            wanted_width=wanted,
            expected_width=np.nan if widths is None else widths.median,
            assured_width=np.nan if widths is None else widths.assured,
            assurance=self.assurance,
            random_labels=self._at_random(strata.variance(labels), widths),
            confidence_level=self.level,
        )

    def _at_random(self, variance: float, widths: Simulated | None) -> float:
        """How many labels a random sample of all rows needs for this variance, or, once simulated, for such widths.

        It is nan if even the fewest that are considered are enough.
        """
        whole = strata_from(self.bins, slopes(self.question, self.bins), [])
        n = _labels_for(whole, variance)
        for _ in range(_AT_RANDOM if widths is not None else 0):
            assert widths is not None
            found = self._simulated(whole, np.array([np.rint(n)]))
            variance *= (widths.median / found.median) ** 2
            n = _labels_for(whole, variance)
        return n if np.rint(n) > whole.least.sum() else np.nan


def _whole(strata: Strata, n: float) -> FloatArray:
    """Whole labels for each stratum, of n in all."""
    exact = strata.allocated(n)
    labels = np.floor(exact + 1e-9)
    short = round(max(n, strata.least.sum()) - labels.sum())
    order = np.argsort(labels - exact)[: max(short, 0)]
    labels[order] += 1
    return np.minimum(labels, strata.n_rows)


def _labels_for(strata: Strata, variance: float) -> float:
    """The smallest number of labels with this variance; all rows if there is none."""
    low, high = float(strata.least.sum()), float(strata.n_rows.sum())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if strata.variance(strata.allocated(middle)) <= variance else (middle, high)
    return high
