"""Recalibration: a map from scores to probabilities, fitted to a curve."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy

from baserate import checks
from baserate.arrays import ArrayLike, FloatArray, Prevalence
from baserate.calibration.as_sql import sql_of_line, sql_of_log_odds, sql_of_steps
from baserate.calibration.line import effective_size
from baserate.calibration.reliability import check_calibration_curve
from baserate.curves.bins import BinsLike, as_bins, binned, equal_frequency
from baserate.curves.curve import Curve
from baserate.errors import InputError, MissingInformationError, shown
from baserate.formulas import logistic, recalibrating
from baserate.formulas.prior_shift import shifted
from baserate.formulas.proportions import Share
from baserate.formulas.recalibrating import BetaLogOdds, Knots
from baserate.results import PrevalenceEstimate
from baserate.results.base import Result, Row, Said
from baserate.results.words import cases, plural
from baserate.written import one_in

Method = Literal["none", "logistic", "temperature", "beta", "platt", "isotonic", "bins"]
METHODS: tuple[Method, ...] = ("none", "logistic", "temperature", "beta", "platt", "isotonic", "bins")

_COEFFICIENTS: Mapping[Method, set[str]] = {
    "logistic": {"intercept", "slope"},
    "temperature": {"temperature"},
    "beta": {"a", "b", "c"},
    "platt": {"intercept", "slope"},
}

# Methods that read scores as probabilities, through their log-odds.
OF_LOG_ODDS: tuple[Method, ...] = ("none", "logistic", "temperature", "beta")


@dataclass(frozen=True, eq=False)
class Recalibration(Result):
    """A map from scores to probabilities, as returned by `recalibrate`.

    Attributes
    ----------
    method : str
        How it was fitted.
    coefficients : mapping of str to float
        Of "logistic" and "platt" the intercept and the slope, the temperature, or a, b and c of "beta".
    score, rate : array
        Of "isotonic" and "bins", scores in ascending order and the probability from each on. Isotonic probabilities are
        interpolated between them.
    fitted_prevalence, prevalence : float
        The prevalence that it was fitted at, and the one that its probabilities are for.
    n_pos, n_neg : float
        Positives and negatives that it was fitted to; effective sample sizes of weighted rows.
    smoothing : float
        As it was given to `recalibrate`.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> curve = br.Curve.from_scores(data["fraud"], data["new_model"])
    >>> fitted = br.calibration.recalibrate(curve)
    >>> print(fitted)
    logistic recalibration, intercept -0.02388, slope 0.7328 (prevalence 1 in 40, 300 pos, 11,700 neg)
    >>> fitted.map([0.001, 0.1, 0.9]).round(4)
    array([0.0062, 0.1633, 0.8301])
    >>> fitted.at_prevalence(0.001).map([0.001, 0.1, 0.9]).round(4)
    array([0.0002, 0.0076, 0.1602])
    >>> br.calibration.Recalibration.from_json(fitted.to_json()) == fitted
    True
    """

    method: Method
    coefficients: Mapping[str, float]
    score: FloatArray
    rate: FloatArray
    fitted_prevalence: float
    prevalence: float
    n_pos: float
    n_neg: float
    smoothing: float

    def __post_init__(self) -> None:
        _check_fit(self.method, self.coefficients)
        _check_knots(self.method, self.score, self.rate)

    def map(self, scores: ArrayLike) -> FloatArray:
        """The probability of each score.

        Above the highest score that it was fitted to, and below the lowest, "isotonic" and "bins" stay at the rate of
        the end; the other methods go on.
        """
        read = checks.probabilities if self.method in OF_LOG_ODDS else checks.numbers
        return self.shares(read(scores, "scores")).share

    def shares(self, scores: FloatArray) -> Share:
        """The probabilities of the positive class and of the other, each accurate near 0."""
        if self.method in ("isotonic", "bins"):
            share = self._step(scores) if self.method == "bins" else np.interp(scores, self.score, self.rate)
            moved = share, 1 - share
        else:
            log_odds = self._log_odds(scores)
            moved = scipy.special.expit(log_odds), scipy.special.expit(-log_odds)
        return shifted(*moved, self.fitted_prevalence, self.prevalence)

    def _step(self, scores: FloatArray) -> FloatArray:
        place = np.searchsorted(self.score, scores, side="right") - 1
        return self.rate[np.maximum(place, 0)]

    def _log_odds(self, scores: FloatArray) -> FloatArray:
        if self.method == "platt":
            return self.coefficients["intercept"] + self.coefficients["slope"] * scores
        return self._beta.at(scores)

    @property
    def _beta(self) -> BetaLogOdds:
        """The coefficients of each method of log-odds, as those of the beta family."""
        has = self.coefficients
        if self.method == "beta":
            return BetaLogOdds(has["a"], has["b"], has["c"])
        slope = 1 / has["temperature"] if self.method == "temperature" else has.get("slope", 1.0)
        return BetaLogOdds(slope, slope, has.get("intercept", 0.0))

    @checks.declared
    def curve(self, curve: Curve) -> Curve:
        """The curve with its scores mapped; those that become equal are tied. It is read at the same prevalence."""
        if curve.sampled:
            raise MissingInformationError(
                "a curve of which only some rows were sampled for labelling cannot yet be mapped, got one; map the "
                "scores of its rows, and build a curve of them with Curve.from_sampled."
            )
        check_readable(curve, self.method)
        ends = self.shares(curve.score).share, self.shares(curve.top).share
        squares = {"pos_squares": curve.pos_squares, "neg_squares": curve.neg_squares} if curve.weighted else {}
        low, high = np.minimum(*ends), np.maximum(*ends)
        top = {"top": high} if curve.bucketed else {}
        mapped = Curve.from_counts(low, curve.pos, curve.neg, **top, **squares)
        mapped = replace(mapped, unlabelled=curve.unlabelled, source=curve.source)
        return mapped if curve.given_prevalence is None else mapped.at_prevalence(curve.given_prevalence)

    def at_prevalence(self, prevalence: Prevalence | PrevalenceEstimate) -> "Recalibration":
        """A copy of the map with probabilities for another prevalence, or for an estimated one.

        It is exact under prior shift, see `adjust`.
        """
        if isinstance(prevalence, PrevalenceEstimate):
            if prevalence.reason is not None:
                raise MissingInformationError(
                    f"an estimated prevalence must exist, got none, because {prevalence.reason.sentence}; pass a "
                    f"prevalence."
                )
            prevalence = prevalence.value
        return replace(self, prevalence=checks.prevalence(prevalence))

    @checks.declared
    def sql(self, column: str) -> str:
        """The map as an SQL expression, a double, of a column as your SQL writes it.

        Null stays null, and what `map` refuses is null, too: NaN, and of methods of log-odds scores outside 0 to 1. It
        uses ``CASE``, ``BETWEEN``, ``abs``, ``coalesce``, ``nullif``, ``exp``, ``ln``, ``least`` and ``greatest``, and
        was tried in DuckDB.

        Examples
        --------
        >>> import baserate as br
        >>> curve = br.Curve.from_counts([0.2, 0.7, 0.9], pos=[10, 20, 40], neg=[900, 40, 30])
        >>> fitted = br.calibration.recalibrate(curve, "bins", smoothing=0, bins=[0, 0.5, 1])
        >>> print(fitted.sql("p"))
        CASE WHEN 1 / (1e0 + abs(p)) BETWEEN 0 AND 1 THEN CASE WHEN p < 0.5000000000000001e0 THEN \
0.01098901098901099e0 ELSE 0.46153846153846156e0 END END
        """
        if not column.strip():
            raise InputError("column must be a column as SQL writes it, got nothing; pass such as 'score'.")
        weight = float(np.exp(_log_odds_of(self.fitted_prevalence) - _log_odds_of(self.prevalence)))
        if self.method in ("isotonic", "bins"):
            return sql_of_steps(column, self.score, self.rate, weight, joined=self.method == "isotonic")
        shift = -float(np.log(weight))
        if self.method == "platt":
            return sql_of_line(
                column, intercept=self.coefficients["intercept"] + shift, slope=self.coefficients["slope"]
            )
        ends = (self.shares(np.array([0.0, 1.0])).share).tolist()
        beta = self._beta
        return sql_of_log_odds(column, a=beta.a, b=beta.b, c=beta.c + shift, ends=(ends[0], ends[1]))

    def _rows(self) -> list[Row]:
        about: Row = {"method": self.method, "prevalence": self.prevalence}
        if self.method in ("isotonic", "bins"):
            knots = zip(self.score.tolist(), self.rate.tolist(), strict=True)
            return [about | {"score": score, "rate": rate} for score, rate in knots]
        return [about | dict(self.coefficients)]

    def _said(self) -> Said:
        what = [f"{name} {value:.4g}" for name, value in self.coefficients.items()]
        if len(self.score):
            what.append(plural(len(np.unique(self.rate)), "step"))
        moved = "" if self.prevalence == self.fitted_prevalence else f"fitted at {one_in(self.fitted_prevalence)}, "
        facts = f"prevalence {one_in(self.prevalence)}, {moved}{cases(self.n_pos, self.n_neg)}"
        return Said(f"{', '.join([f'{self.method} recalibration', *what])} ({facts})")


def _log_odds_of(prevalence: float) -> float:
    return float(scipy.special.logit(prevalence))


@checks.declared
def recalibrate(
    curve: Curve, method: Method = "logistic", *, smoothing: float = 1.0, bins: BinsLike | None = None
) -> Recalibration:
    r"""Fit a map from scores to probabilities at the curve's prevalence.

    .. math:: \operatorname{logit} p' = a \log s - b \log (1 - s) + c

    Judge it on other rows, or with `cross_fitted`; `choose_recalibration` compares the methods.

    Parameters
    ----------
    curve : Curve
        The rows to fit to, from any source, weighted or sampled for labelling, too. At a given prevalence negatives are
        weighted.
    method : str
        - "logistic": a line in the log-odds of the scores, a = b.
        - "temperature": the same without an intercept: log-odds are divided by a temperature.
        - "beta": a, b and c, with a and b not negative.
        - "platt": a line in the scores themselves, which may be any finite numbers.
        - "isotonic": the rate that never falls and is nearest to the data. Equal scores have one rate. Between the
          blocks of the fit it is interpolated.
        - "bins": the event rate of each bin (histogram binning).
        - "none": the scores as they are.
    smoothing : float
        What is added against certainty in small samples, in rows. Of the methods of log-odds and of "platt" the targets
        are Platt's: a positive counts as (n + s) / (n + 2 s) of one, for n positives. "bins" adds so many rows of the
        data's own prevalence to each bin; "isotonic" adds their positives below all scores and their negatives above,
        so that no rate is 0 or 1. With 0 it is maximum likelihood, as scikit-learn's IsotonicRegression and
        LogisticRegression without penalty.
    bins : int, Bins, list of edges or text, optional
        The bins of "bins"; by default ten of equal frequency. A score in an empty bin has the rate of the bin below.

    Notes
    -----
    A bucket is one entry: "isotonic" gives it one rate, the other methods read its middle.

    References
    ----------
    Platt, Probabilistic outputs for support vector machines, 1999. Guo et al., On calibration of modern neural
    networks, ICML 2017. Kull, Silva Filho & Flach, Beta calibration, AISTATS 2017. Zadrozny & Elkan, KDD 2002.
    doi:10.1145/775047.775151.

    Examples
    --------
    >>> import baserate as br
    >>> curve = br.Curve.from_counts([0.1, 0.4, 0.6, 0.9], pos=[10, 20, 15, 40], neg=[90, 60, 15, 10])
    >>> fitted = br.calibration.recalibrate(curve, "isotonic", smoothing=0)
    >>> fitted.map([0.0, 0.1, 0.25, 0.9, 1.0])
    array([0.1  , 0.1  , 0.175, 0.8  , 0.8  ])
    """
    checks.one_of(method, METHODS, "method")
    added = checks.not_negative(smoothing, "smoothing")
    if bins is not None and method != "bins":
        raise InputError(f"bins are for the method 'bins', got them for {method!r}; leave them out.")
    _check_both_classes(curve)
    check_readable(curve, method)
    sizes, per_row = _sizes(curve)
    coefficients: Mapping[str, float] = {}
    knots = _NO_KNOTS
    if method == "isotonic":
        knots = _isotonic(curve, added * per_row)
    elif method == "bins":
        knots = _bins(curve, bins, added * per_row)
    elif method != "none":
        coefficients = _coefficients(curve, method, sizes, added)
    return Recalibration(method, coefficients, *knots, curve.prevalence, curve.prevalence, *sizes, added)


_NO_KNOTS = Knots(np.zeros(0), np.zeros(0))


def _coefficients(curve: Curve, method: Method, sizes: tuple[float, float], added: float) -> Mapping[str, float]:
    """The coefficients of a method of log-odds, or of "platt"."""
    score = curve.middle[::-1]
    _check_finite(score, method)
    if added == 0:
        _check_overlap(curve, method)
    targets = recalibrating.platt_targets(
        *_masses(curve), n_pos=sizes[0], n_neg=sizes[1], odds=curve.negative_weight, smoothing=added
    )
    if method == "temperature":
        return {"temperature": recalibrating.temperature(score, targets)}
    if method == "beta":
        return recalibrating.beta(score, targets)._asdict()
    x = score if method == "platt" else scipy.special.logit(score)
    return dict(zip(("intercept", "slope"), recalibrating.line(x, targets), strict=True))


def _masses(curve: Curve) -> tuple[FloatArray, FloatArray]:
    """Positives and negatives as counted, along ascending scores."""
    return np.asarray(curve.pos[::-1], np.float64), np.asarray(curve.neg[::-1], np.float64)


def _sizes(curve: Curve) -> tuple[tuple[float, float], float]:
    """Effective numbers of positives and negatives, and the weight of a row."""
    if curve.sampled:
        return (float(curve.pos.sum()), float(curve.neg.sum())), 1.0
    sizes = effective_size(curve.pos, curve.pos_squares), effective_size(curve.neg, curve.neg_squares)
    return sizes, float(curve.pos.sum() + curve.neg.sum()) / sum(sizes)


def _isotonic(curve: Curve, added: float) -> Knots:
    ends = curve.score[::-1], curve.top[::-1]
    return recalibrating.isotonic(*ends, *_masses(curve), odds=curve.negative_weight, added=added)


def _bins(curve: Curve, bins: BinsLike | None, added: float) -> Knots:
    curve._check_not_sampled("recalibration by bins")
    wanted = equal_frequency(10) if bins is None else as_bins(bins)
    if wanted.kind != "equal_frequency":
        check_calibration_curve(curve, f"bins {wanted}")
    table = binned(curve, wanted)
    pos, neg = (np.asarray(masses, np.float64) for masses in (table.pos, table.neg))
    start = table.low
    if wanted.kind != "equal_frequency" and wanted.closed == "right":
        start = np.where(start > 0, np.nextafter(start, 2), start)  # a score on an edge belongs to the bin below
    return Knots(start, recalibrating.bin_rates(pos, neg, table.odds, added))


def _check_fit(method: Method, coefficients: Mapping[str, float]) -> None:
    """Refuse an unknown method, and coefficients that are not those of the method: a saved map may say anything."""
    checks.one_of(method, METHODS, "method")
    names = _COEFFICIENTS.get(method, set())
    if coefficients.keys() != names:
        raise InputError(
            f"the method {method!r} has {' and '.join(sorted(names)) or 'no coefficients'}, got "
            f"{' and '.join(map(str, coefficients)) or 'none'}; pass what recalibrate returned."
        )
    for name, value in coefficients.items():
        # A temperature is infinite where scores rank no better than chance.
        fits = abs(value) > 0 if name == "temperature" else np.isfinite(value)
        if not fits:
            raise InputError(f"{name} must be a finite number, got {shown(value)}; pass what recalibrate returned.")


def _check_knots(method: Method, score: FloatArray, rate: FloatArray) -> None:
    """Refuse knots of a method without steps, none of one with steps, and those that are no ascending steps."""
    there = bool(len(score)) == (method in ("isotonic", "bins")) and score.ndim == 1 and score.shape == rate.shape
    if not (there and (np.diff(score) > 0).all() and not np.isnan(score).any() and ((rate >= 0) & (rate <= 1)).all()):
        raise InputError(
            f"knots of the method {method!r} must be ascending scores with rates from 0 to 1, got others; pass what "
            f"recalibrate returned."
        )


# --- what a method can read ------------------------------------------------------------------------


def check_readable(curve: Curve, method: Method) -> None:
    """Refuse scores that a method cannot read."""
    if method in OF_LOG_ODDS and len(curve) and not (curve.score[-1] >= 0 and curve.top[0] <= 1):
        raise InputError(
            f"the method {method!r} reads scores as probabilities between 0 and 1, got scores from "
            f"{curve.score[-1]:.4g} to {curve.top[0]:.4g}; use 'platt', 'isotonic' or 'bins'."
        )


def _check_both_classes(curve: Curve) -> None:
    if curve.missing_class:
        raise MissingInformationError(
            f"recalibrate needs rows of both classes, but {curve.missing_class.sentence}; add rows of the other class."
        )


def _check_finite(score: FloatArray, method: Method) -> None:
    """Refuse scores at which a line has no value, and a single one."""
    ends = (-np.inf, np.inf) if method == "platt" else (0.0, 1.0)
    outside = ~((score > ends[0]) & (score < ends[1]))
    if outside.any():
        rule = "finite scores" if method == "platt" else "scores strictly between 0 and 1"
        raise InputError(
            f"the method {method!r} needs {rule}, got {shown(float(score[outside][0]))}; use 'isotonic' or 'bins'."
        )
    if score[0] == score[-1]:
        raise InputError(f"the method {method!r} needs two scores or more, got {score[0]:.4g} alone; use 'bins'.")


def _check_overlap(curve: Curve, method: Method) -> None:
    """Refuse classes that a threshold separates, because then no finite maximum exists."""
    if logistic.is_separated(logistic.LogisticRows(curve.middle[::-1], *_masses(curve))):
        raise InputError(
            f"the method {method!r} without smoothing needs classes that overlap, got classes that a threshold "
            f"separates; leave smoothing at 1."
        )
