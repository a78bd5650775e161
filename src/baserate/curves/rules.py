"""Rules that choose a threshold: on a curve, on many drawn curves, and as text."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from baserate import checks
from baserate.arrays import BoolArray, FloatArray, Indices
from baserate.curves.point import Point, Points
from baserate.curves.reading import Reading
from baserate.errors import InputError, MissingInformationError, NoSuchPointError, UndefinedMetricWarning
from baserate.formulas import choosing, pointwise
from baserate.formulas.choosing import ROUNDING
from baserate.formulas.pointwise import Confusion
from baserate.formulas.steps import Steps
from baserate.registry import METRICS, Family, describe, lower_is_better, named
from baserate.written import one_in, right_form, share_from

if TYPE_CHECKING:
    from baserate.curves.curve import Curve

# The row above all others: nothing is predicted positive.
_ABOVE_ALL = -1


class Chosen(NamedTuple):
    """The point that a rule chooses on each drawn curve."""

    tpr: FloatArray
    fpr: FloatArray
    corner: Indices  # counted from 1; at 0 nothing is predicted positive


class Rule:
    """A rule that chooses a threshold on a curve, by a target or by a limit.

    A rule is written as ``threshold=0.5``, ``recall >= 0.6``, ``fpr <= 0.01``, ``precision >= 0.9``, ``top_k <= 100``,
    ``alert_rate <= 0.01`` or ``best=f1``; ``=`` may be used for all of them. Every parameter `at` takes a rule, its
    text, or a function of a Curve such as ``lambda curve: curve.at_recall(0.6)``.

    Attributes
    ----------
    is_given : bool
        Whether it is a fixed threshold, which does not depend on the data.
    depends_on_prevalence : bool
        Whether its choice depends on the prevalence.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_scores([0, 1, 0, 1, 1], [0.1, 0.4, 0.5, 0.8, 0.9])
    >>> rule = br.Rule.parse("recall=0.6")
    >>> print(rule)
    recall >= 0.6
    >>> rule.on(curve) == curve.at_recall(0.6)
    True
    >>> print(curve.best(br.f1).chosen)
    best=f1
    """

    name: ClassVar[str]
    sign: ClassVar[str]  # between the name and the target
    is_given: ClassVar[bool] = False
    depends_on_prevalence: ClassVar[bool] = False
    within_gaps: ClassVar[bool] = False  # whether it may choose between two corners; otherwise it chooses a corner
    follows_draws: ClassVar[bool] = True  # whether it can choose on many curves at once
    searches: ClassVar[bool] = False  # whether it looks for what is good on the rows, and so flatters
    _of_both_classes: ClassVar[bool] = True

    @classmethod
    def parse(cls, text: str, where: str = "the text") -> "Rule":
        """Parse a rule such as "recall >= 0.6", "recall=0.6" or "best=f1"; errors name `where` it was written."""
        if not isinstance(text, str):
            raise InputError(f"a rule is read from text such as 'recall >= 0.6', got {text!r}; put it in quotes.")
        before, equals, target = text.partition("=")
        name = before.strip().rstrip("<>").rstrip()
        if equals:
            checks.one_of(name, list(RULES), f"the rule of {where}")
        kind = RULES.get(name, Recall)  # what has no equals sign has no target to read, whatever the kind
        value = _metric(target.strip()) if kind is Best else _number(target)
        if value is None:
            wanted = f"{where} must be a rule and a number such as recall=0.6"
            said = "best needs a metric such as best=f1" if kind is Best else wanted
            hint = right_form(target) or (f"write threshold={text.strip()}" if _number(text) is not None else "")
            raise InputError(f"{said}, got {text!r}{'; ' + hint if hint else ''}.")
        rule = kind(value)  # type: ignore[call-arg]  # each kind reads its own
        if before.replace(name, "").strip() not in kind.sign:
            raise InputError(
                f"{where} must be a rule such as recall >= 0.6 or fpr <= 0.01, got {text!r}; write {str(rule)!r}."
            )
        return rule

    def on(self, curve: "Curve") -> Point:
        """The point that it chooses on a curve, at the curve's prevalence."""
        if self._of_both_classes and curve.missing_class:
            raise NoSuchPointError(f"a threshold cannot be chosen on this curve: {curve.missing_class.sentence}.")
        if self.depends_on_prevalence:
            curve.prevalence  # noqa: B018  # says no where there is none
        return self._point(curve, self._row(curve))

    def on_draws(self, curve: "Curve", steps: Steps, atoms: BoolArray, score: FloatArray) -> Chosen:
        """The point that it chooses on each of many drawn curves; `steps` has a row for each curve.

        `score` has the score of each corner, and `atoms` whether scores are discrete there.
        """
        tpr, fpr = steps.tp / steps.n_pos, steps.fp / steps.n_neg
        corner = self._corner(curve, tpr, fpr, score)
        return Chosen(choosing.at_corner(tpr, corner), choosing.at_corner(fpr, corner), corner)

    def corner_on_draws(self, curve: "Curve", steps: Steps, score: FloatArray) -> Indices:
        """The index of the corner that it chooses on each drawn curve; at 0 nothing is predicted positive."""
        return self._corner(curve, steps.tp / steps.n_pos, steps.fp / steps.n_neg, score)

    def limit(self, curve: "Curve") -> tuple[float, float, float]:
        """The rule as a linear constraint on TPR and FPR: the coefficients of both, and the limit."""
        raise NotImplementedError

    def of_copies(self, times: int) -> "Rule":
        """The rule for data with this many copies of each row; only `top_k` changes."""
        return self

    def said_of(self, curve: "Curve") -> str:
        """The rule as text, with the curve's prevalence if the choice depends on it."""
        return f"{self} at prevalence {one_in(curve.prevalence)}" if self.depends_on_prevalence else str(self)

    def __repr__(self) -> str:
        return f"Rule({str(self)!r})"

    def _row(self, curve: "Curve") -> int:
        """The index of the threshold that it chooses on a curve."""
        raise NotImplementedError

    def _corner(self, curve: "Curve", tpr: FloatArray, fpr: FloatArray, score: FloatArray) -> Indices:
        """The index, from 1, of the corner that it chooses on each drawn curve; at 0 nothing is predicted positive."""
        raise NotImplementedError

    def _point(self, curve: "Curve", row: int, threshold: float | None = None) -> Point:
        if threshold is None and curve.has_scores:
            if row == _ABOVE_ALL and len(curve) and curve.top[0] == math.inf:
                raise NoSuchPointError(
                    f"no threshold has {self.said_of(curve)}: the highest score is infinite, none lies above it."
                )
            threshold = float(curve.score[row]) if row != _ABOVE_ALL else math.inf
        return Point(curve.table.confusion_at(row), curve._n, threshold, self, curve, _given=curve.given_prevalence)


def _shares(tpr: FloatArray, fpr: FloatArray, curve: "Curve") -> Points:
    """Points from shares of each class, at the prevalence of the curve."""
    return Points(Confusion(tpr, 1 - tpr, fpr, 1 - fpr), (1 - curve.prevalence) / curve.prevalence)


def _values(metric: Callable[..., object], at: Reading[float] | Reading[FloatArray]) -> FloatArray:
    """The metric at each point; nan without a warning where it is undefined, since such a point is not the best."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        returned = metric(at)
    try:
        return np.asarray(returned, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"a metric must return numbers, got {returned!r} from {describe(metric)}; fix it.") from None


def _number(text: str) -> float | None:
    number = share_from(text)
    return None if math.isnan(number) else number


def _metric(text: str) -> Callable[..., object] | None:
    """A pointwise metric by its name."""
    if not text:
        return None
    metric = named(text)
    if METRICS[text.split(":", maxsplit=1)[0]].family is not Family.POINTWISE:
        raise InputError(f"best needs a pointwise metric such as best=f1, got {text!r}; name another.")
    _values(metric, Points(Confusion(1.0, 1.0, 1.0, 1.0), 1.0))  # says no to a parameter that will not do
    return metric


@dataclass(frozen=True, repr=False)
class _Targeted(Rule):
    """A rule with a target number."""

    target: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", self._checked(self.target))

    @classmethod
    def _checked(cls, target: float) -> float:
        return checks.share(target, cls.name, above=">" in cls.sign)  # to reach 0 is no wish

    def __str__(self) -> str:
        return f"{self.name}{self.sign}{str(self.target).removesuffix('.0')}"


class Threshold(_Targeted):
    """A given threshold."""

    name = "threshold"
    sign = "="
    is_given = True

    @classmethod
    def _checked(cls, target: float) -> float:
        return checks.number(target, cls.name)

    def on(self, curve: "Curve") -> Point:
        """The point that predicts positive at the threshold and above."""
        row = len(curve) - int(np.searchsorted(curve.score[::-1], self.target)) - 1
        return self._point(curve, row, self.target)

    def _corner(self, curve: "Curve", tpr: FloatArray, fpr: FloatArray, score: FloatArray) -> Indices:
        return np.full(len(tpr), np.count_nonzero(score >= self.target))


class Recall(_Targeted):
    """The highest threshold with at least the target recall."""

    name = "recall"
    sign = " >= "

    def limit(self, curve: "Curve") -> tuple[float, float, float]:
        """The recall, as a linear constraint."""
        return 1.0, 0.0, self.target

    def _row(self, curve: "Curve") -> int:
        return choosing.first_reaching(curve.table.cumulative()[0], self.target * curve.table.total_pos)

    def on_draws(self, curve: "Curve", steps: Steps, atoms: BoolArray, score: FloatArray) -> Chosen:
        """The chosen points; where scores are continuous, the recall is reached on the way to the corner."""
        chosen = super().on_draws(curve, steps, atoms, score)
        way = choosing.way_from(chosen.corner - 1, steps, atoms)
        tpr, fpr = way.at(way.until(*self.limit(curve)))
        jumps = way.jumps | (tpr > chosen.tpr)  # a recall of all may be missed by rounding
        return Chosen(np.where(jumps, chosen.tpr, tpr), np.where(jumps, chosen.fpr, fpr), chosen.corner)

    def _corner(self, curve: "Curve", tpr: FloatArray, fpr: FloatArray, score: FloatArray) -> Indices:
        return choosing.corner_reaching(tpr, self.target)


class Precision(_Targeted):
    """The threshold with the largest recall among those that have the target precision at the curve's prevalence."""

    name = "precision"
    sign = " >= "
    depends_on_prevalence = True
    searches = True

    def limit(self, curve: "Curve") -> tuple[float, float, float]:
        """False positives per true positive at the prevalence, as a linear constraint."""
        eta = curve.prevalence
        return (self.target - 1) * eta, self.target * (1 - eta), 0.0

    def _row(self, curve: "Curve") -> int:
        cases = curve.confusion_as_read
        reached = pointwise.precision(cases)
        rows = np.flatnonzero(reached >= self.target * (1 - ROUNDING))
        if len(rows) == 0:
            highest = int(np.nanargmax(reached))
            where = f", at threshold {self._point(curve, highest).threshold_text}" if curve.has_scores else ""
            raise NoSuchPointError(
                f"no threshold has {self.said_of(curve)}; the highest is {reached[highest]:.4g}{where}."
            )
        # Several thresholds may share the largest recall; the highest of them has the best precision.
        return int(rows[cases.tp[rows] == cases.tp[rows[-1]]][0])

    def on_draws(self, curve: "Curve", steps: Steps, atoms: BoolArray, score: FloatArray) -> Chosen:
        """The chosen points; with continuous scores, the precision may hold for part of the way to the next corner."""
        chosen = super().on_draws(curve, steps, atoms, score)
        way = choosing.way_from(chosen.corner, steps, atoms)
        share = way.until(*self.limit(curve))
        tpr, fpr = way.at(share)
        moved = (share > 0) & (share < 1)
        return Chosen(
            np.where(moved, tpr, chosen.tpr), np.where(moved, fpr, chosen.fpr), np.where(moved, 0, chosen.corner)
        )

    def _corner(self, curve: "Curve", tpr: FloatArray, fpr: FloatArray, score: FloatArray) -> Indices:
        precisions = pointwise.precision(_shares(tpr, fpr, curve).confusion_as_read)
        return choosing.corner_of_the_largest(tpr, np.nan_to_num(precisions) >= self.target * (1 - ROUNDING))


class _AtMost(_Targeted):
    """The lowest threshold at which a quantity does not exceed its limit."""

    sign = " <= "
    within_gaps = True

    def on_draws(self, curve: "Curve", steps: Steps, atoms: BoolArray, score: FloatArray) -> Chosen:
        """The chosen points, beyond the last corner within the limit: in the gap or, with continuous scores, above."""
        chosen = super().on_draws(curve, steps, atoms, score)
        for_tpr, for_fpr, limit = self.limit(curve)
        way = choosing.way_from(chosen.corner, steps, atoms)
        share = way.until(for_tpr, for_fpr, limit)
        tpr, fpr = way.at(share)
        in_gap = np.minimum((limit - for_tpr * way.tpr) / for_fpr, way.gap_end)
        return Chosen(tpr, np.where(share > 0, fpr, in_gap), np.where(share > 0, 0, chosen.corner))

    def _corner(self, curve: "Curve", tpr: FloatArray, fpr: FloatArray, score: FloatArray) -> Indices:
        for_tpr, for_fpr, limit = self.limit(curve)
        return choosing.corner_within(for_tpr * tpr + for_fpr * fpr, limit)


class Fpr(_AtMost):
    """The lowest threshold whose false positive rate is at most the target."""

    name = "fpr"

    def limit(self, curve: "Curve") -> tuple[float, float, float]:
        """The false positive rate, as a linear constraint."""
        return 0.0, 1.0, self.target

    def _row(self, curve: "Curve") -> int:
        return choosing.last_within(curve.table.cumulative()[1], self.target * curve.table.total_neg)


class TopK(_AtMost):
    """The lowest threshold with at most the target number of rows at or above it."""

    name = "top_k"
    _of_both_classes = False

    @classmethod
    def _checked(cls, target: float) -> int:
        return checks.whole_number(target, "k")

    def of_copies(self, times: int) -> "TopK":
        """The rule with this many times as many rows."""
        return replace(self, target=self.target * times)

    def limit(self, curve: "Curve") -> tuple[float, float, float]:
        """The number of rows, as a linear constraint."""
        return curve.n_pos, curve.n_neg, self.target

    def _row(self, curve: "Curve") -> int:
        if curve.weighted or not curve.has_scores:
            raise MissingInformationError(
                "at_top_k counts rows, and this curve has weights or rates instead; use at_alert_rate with a share."
            )
        return choosing.last_within(np.cumsum(curve.pos + curve.neg), self.target)


class AlertRate(_AtMost):
    """The lowest threshold whose share of alerts, at the curve's prevalence, is at most the target."""

    name = "alert_rate"
    depends_on_prevalence = True

    def limit(self, curve: "Curve") -> tuple[float, float, float]:
        """The share of alerts, as a linear constraint."""
        return curve.prevalence, 1 - curve.prevalence, self.target

    def _row(self, curve: "Curve") -> int:
        return choosing.last_within(pointwise.alert_rate(curve.confusion_as_read), self.target)


@dataclass(frozen=True, repr=False)
class Best(Rule):
    """The threshold at which a pointwise metric is best, at the curve's prevalence; the highest if several are."""

    metric: Callable[..., object]
    name = "best"
    sign = "="
    depends_on_prevalence = True
    searches = True

    def __post_init__(self) -> None:
        lower_is_better(self.metric)  # says no to a metric without a direction

    def __str__(self) -> str:
        return f"{self.name}{self.sign}{describe(self.metric)}"

    def _gains(self, values: FloatArray) -> FloatArray:
        """Values of which more is better; undefined ones are minus infinity."""
        return np.where(np.isnan(values), -np.inf, -values if lower_is_better(self.metric) else values)

    def _row(self, curve: "Curve") -> int:
        can_be_silent = not curve.has_scores or curve.top[0] < math.inf
        values = _values(self.metric, curve)
        if values.shape != (len(curve),):
            raise InputError(
                f"best needs a pointwise metric, one value per threshold, got shape {values.shape} from "
                f"{describe(self.metric)}; pass one such as br.f1."
            )
        silent = _values(self.metric, self._point(curve, _ABOVE_ALL)) if can_be_silent else math.nan
        gains = self._gains(np.append(silent, values))
        if gains.max() == -np.inf:
            raise NoSuchPointError(f"{describe(self.metric)} is undefined at every threshold of this curve.")
        return choosing.first_of_the_highest(gains) - 1

    def _corner(self, curve: "Curve", tpr: FloatArray, fpr: FloatArray, score: FloatArray) -> Indices:
        points = _shares(choosing.with_silence(tpr), choosing.with_silence(fpr), curve)
        return np.asarray(np.argmax(self._gains(_values(self.metric, points)), axis=1), np.intp)


RULES: dict[str, type[Rule]] = {kind.name: kind for kind in (Threshold, Recall, Fpr, Precision, TopK, AlertRate, Best)}
