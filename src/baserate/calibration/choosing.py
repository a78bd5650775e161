"""Methods of recalibration compared by their log loss on rows that they were not fitted to."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import checks
from baserate.arrays import FloatArray
from baserate.calibration.cross_fitting import Fold, folds_of
from baserate.calibration.line import FEW_CASES, FEW_CASES_CAUTION, welch_margin
from baserate.calibration.recalibration import METHODS, Method, Recalibration, recalibrate
from baserate.curves.bins import BinsLike
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.metrics.calibration_errors import ece
from baserate.results.base import Result, Said
from baserate.results.words import percent, with_ends, with_notes
from baserate.written import one_in


@dataclass(frozen=True, eq=False)
class RecalibrationChoice(Result):
    """Methods of recalibration on rows that they were not fitted to, as returned by `choose_recalibration`.

    Attributes
    ----------
    chosen : Recalibration
        The method with the lowest log loss, fitted to all rows.
    method : array of str
        The methods, best first; "none" is the scores as they are.
    log_loss : array
        The cross-fitted log loss of each.
    difference, low, high : array
        What each has more than the chosen one, and the interval of that.
    ece : array
        The calibration error of the cross-fitted probabilities, in ten bins of equal width.
    unread : mapping of str to str
        Methods that cannot read these scores, and why.
    folds : int
        The number of folds.
    confidence_level : float
        The nominal coverage of each interval.
    prevalence : float
        The prevalence of the reading.
    caution : str or None
        A caution, if coverage may be below the confidence level.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> print(br.calibration.choose_recalibration(curve, ["none", "logistic", "isotonic"], rng=0))
    method    log loss              more than the chosen  ECE
    isotonic   0.06571                                    0.001776
    logistic   0.07199  +0.006282 [+0.004096, +0.008467]  0.006423
    none       0.07918    +0.01347 [+0.009205, +0.01773]  0.009563
    5 folds, prevalence 1 in 40, 95 % intervals
    """

    chosen: Recalibration
    method: npt.NDArray[np.str_]
    log_loss: FloatArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    ece: FloatArray
    unread: Mapping[str, str]
    folds: int
    confidence_level: float
    prevalence: float
    caution: str | None = None

    @property
    def sure(self) -> bool:
        """Whether the interval says that the chosen method is better than the scores as they are."""
        return bool((self.low[self.method == "none"] > 0).any())

    def _said(self) -> Said:
        heads = ["method", "log loss", "more than the chosen", "ECE"]
        more = map(with_ends, self.difference[1:], self.low[1:], self.high[1:], "+" * (len(self.method) - 1))
        losses, errors = ([f"{value:.4g}" for value in column] for column in (self.log_loss, self.ece))
        cells = list(zip(self.method.tolist(), losses, ["", *more], errors, strict=True))
        facts = f"{self.folds} folds, prevalence {one_in(self.prevalence)}, {percent(self.confidence_level)} intervals"
        reasons = [f"not read by {name}: {why}" for name, why in self.unread.items()]
        return Said("", heads, cells, [with_notes(facts, self.caution), *reasons])


@checks.declared
def choose_recalibration(
    curve: Curve,
    methods: Sequence[Method] | None = None,
    *,
    folds: int = 5,
    smoothing: float = 1.0,
    bins: BinsLike | None = None,
    confidence_level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> RecalibrationChoice:
    """Choose the method of recalibration with the lowest cross-fitted log loss.

    All methods are fitted to the same folds and judged by the same rows, so that differences are paired. An interval
    says how far a difference is due to the rows that judge; it takes the fitted maps as they are.

    Parameters
    ----------
    curve, folds, smoothing, bins, rng
        As for `cross_fitted`.
    methods : sequence of str, optional
        The methods to compare, by default all that can read the scores. If "none" is among them, it is chosen where no
        method does better.
    confidence_level : float
        The nominal coverage of each interval.

    References
    ----------
    Bayle, Bayle, Janson & Mackey, Cross-validation confidence intervals for test error, NeurIPS 2020, for the variance
    of a loss over folds.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> found = br.calibration.choose_recalibration(curve, rng=0)
    >>> found.chosen.method, found.sure
    ('beta', True)
    """
    curve._check_not_sampled("choose_recalibration")
    level = checks.confidence_level(confidence_level)
    asked = METHODS if methods is None else tuple(dict.fromkeys(methods))
    for method in asked:
        checks.one_of(method, METHODS, "each of methods")

    def fit(to: Curve, method: Method) -> Recalibration:
        return recalibrate(to, method, smoothing=smoothing, bins=bins if method == "bins" else None)

    whole: dict[Method, Recalibration] = {}
    unread: dict[str, str] = {}
    for method in asked:
        try:
            whole[method] = fit(curve, method)
        except InputError as error:
            unread[method] = str(error)
    if not whole or (methods is not None and unread):
        raise InputError(next(iter(unread.values()), "methods must name one method or more, got none; leave them out."))
    dealt = folds_of(curve, folds, rng)
    rows = _rows_of(dealt, curve)
    after = {method: [fit(fold.fitted, method) for fold in dealt] for method in whole}
    losses = {method: _losses(maps, dealt) for method, maps in after.items()}
    order = sorted(whole, key=lambda method: (rows.mean(losses[method]), METHODS.index(method)))
    difference, low, high = np.array([_more(rows, losses[method], losses[order[0]], level) for method in order]).T
    pooled = [
        Curve.pool(one.curve(fold.judged) for one, fold in zip(after[method], dealt, strict=True)) for method in order
    ]
    return RecalibrationChoice(
        chosen=whole[order[0]],
        method=np.array(order),
        log_loss=np.array([rows.mean(losses[method]) for method in order]),
        difference=difference,
        low=low,
        high=high,
        ece=np.array([ece(one) for one in pooled]),
        unread=unread,
        folds=len(dealt),
        confidence_level=level,
        prevalence=curve.prevalence,
        caution=FEW_CASES_CAUTION if min(rows.sizes) < FEW_CASES else None,
    )


class _RowsOfClass(NamedTuple):
    """A class at each score of all folds: masses, and sums of squared weights."""

    mass: FloatArray
    squares: FloatArray

    def sum(self, values: FloatArray) -> float:
        """The total of values; where there is no mass, they do not matter even if they are infinite."""
        return float(np.sum(self.mass * np.where(self.mass > 0, values, 0.0)))

    def scatter(self, values: FloatArray, about: float) -> float:
        """The variance of the mean of values over rows, about a number."""
        away = np.where(self.mass > 0, values - about, 0.0)
        return float(np.sum(self.squares * away * away))

    @property
    def size(self) -> float:
        """The effective number of rows."""
        return float(self.mass.sum() ** 2 / self.squares.sum())


class _Losses(NamedTuple):
    """The loss of a positive and of a negative, at each score of all folds."""

    pos: FloatArray
    neg: FloatArray


class _JudgingRows(NamedTuple):
    """The rows that judge, fold after fold."""

    pos: _RowsOfClass
    neg: _RowsOfClass
    prevalence: float
    given: bool  # so that the mix of the classes is known, and not random

    @property
    def sizes(self) -> tuple[float, float]:
        """Effective numbers of rows of the classes."""
        return self.pos.size, self.neg.size

    def mean(self, losses: _Losses) -> float:
        """The mean loss at the prevalence."""
        shares = self.prevalence, 1 - self.prevalence
        means = (
            of_class.sum(loss) / float(of_class.mass.sum()) for of_class, loss in zip(self[:2], losses, strict=True)
        )
        return math.fsum(share * mean for share, mean in zip(shares, means, strict=True))

    def margin(self, losses: _Losses, level: float) -> float:
        """Half the width of the interval of the mean."""
        if min(self.sizes) <= 1:
            return math.nan
        if not self.given:
            n = sum(self.sizes)
            about = self.mean(losses)
            scatter = sum(of_class.scatter(loss, about) for of_class, loss in zip(self[:2], losses, strict=True))
            total = float(self.pos.mass.sum() + self.neg.mass.sum())
            return welch_margin([scatter / total**2 * n / (n - 1)], [n], level)
        variances = []
        for of_class, loss, share in zip(self[:2], losses, (self.prevalence, 1 - self.prevalence), strict=True):
            total = float(of_class.mass.sum())
            scatter = of_class.scatter(loss, of_class.sum(loss) / total)
            variances.append(share**2 * scatter / total**2 * of_class.size / (of_class.size - 1))
        return welch_margin(variances, self.sizes, level)


def _rows_of(dealt: Sequence[Fold], curve: Curve) -> _JudgingRows:
    judged = [fold.judged for fold in dealt]
    columns = (
        np.concatenate([np.asarray(getattr(one, name), np.float64) for one in judged])
        for name in ("pos", "pos_squares", "neg", "neg_squares")
    )
    pos, pos_squares, neg, neg_squares = columns
    return _JudgingRows(
        _RowsOfClass(pos, pos_squares),
        _RowsOfClass(neg, neg_squares),
        curve.prevalence,
        curve.given_prevalence is not None,
    )


def _losses(maps: Sequence[Recalibration], dealt: Sequence[Fold]) -> _Losses:
    """The log loss of each score of each fold, by the map that was fitted without the fold."""
    shares = [one.shares(fold.judged.middle) for one, fold in zip(maps, dealt, strict=True)]
    with np.errstate(divide="ignore"):
        return _Losses(*(-np.log(np.concatenate(side)) for side in zip(*shares, strict=True)))


def _more(rows: _JudgingRows, losses: _Losses, of_chosen: _Losses, level: float) -> tuple[float, float, float]:
    """What a method loses beyond the chosen one, with its interval."""
    if losses is of_chosen:
        return 0.0, 0.0, 0.0
    with np.errstate(invalid="ignore"):
        more = _Losses(*(one - other for one, other in zip(losses, of_chosen, strict=True)))
    difference = rows.mean(more)
    margin = rows.margin(more, level) if math.isfinite(difference) else 0.0
    return difference, difference - margin, difference + margin
