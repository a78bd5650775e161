"""The tables of ``baserate calibration``.

A table always has the same fields, None without a value. The first two are the score and
the prevalence that was read at.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

from baserate.answers.curves import WHOLE, Key, group_name
from baserate.answers.questions import Question
from baserate.answers.reading import Wanted, answers
from baserate.calibration.decomposition import decompose
from baserate.calibration.goodness_of_fit import hosmer_lemeshow, spiegelhalter
from baserate.calibration.large_and_small import in_the_large, in_the_small
from baserate.calibration.line import cox_calibration
from baserate.calibration.prior_effects import prior_effect
from baserate.calibration.reliability import reliability
from baserate.cli.output import OutputRow
from baserate.curves.bins import Bins, equal_frequency, equal_width
from baserate.curves.curve import Curve
from baserate.errors import Reason
from baserate.metrics.calibration_errors import debiased_ece, ece, mce, smooth_ece
from baserate.metrics.over_prevalence import MetricFunction
from baserate.metrics.probabilities import brier_score, log_loss
from baserate.prior.prevalence import estimate_prevalence
from baserate.results import HosmerLemeshow, InTheLarge, Spiegelhalter

_ERROR_FIELDS = ("score", "prevalence", "metric", "value", "at_least", "at_most", "note")
_ONLY_COUNTS = "a test on counted cases, and these have weights"


class CheckedModel(NamedTuple):
    """A score with its curve of all rows, its curves by group, and its curve of unlabelled rows."""

    score: str
    curve: Curve
    subsets: Mapping[Key, Curve]
    unlabelled: Curve | None


class Settings(NamedTuple):
    """The options of the command apart from the data."""

    bins: Bins | None
    in_sample: bool
    confidence_level: float

    @property
    def diagram_bins(self) -> Bins:
        """Bins of the reliability diagram, by default ten of equal width."""
        return equal_width(10) if self.bins is None else self.bins

    @property
    def test_bins(self) -> Bins:
        """Bins of the test of Hosmer and Lemeshow, by default ten of equal frequency."""
        return equal_frequency(10) if self.bins is None else self.bins


class Tables(NamedTuple):
    """All tables, by their names in JSON. Some are at the prevalence of the data, some at others."""

    bins: list[OutputRow]
    verdicts: list[OutputRow]
    in_the_large: list[OutputRow]
    line: list[OutputRow]
    errors: list[OutputRow]
    decompositions: list[OutputRow]
    tests: list[OutputRow]
    in_the_small: list[OutputRow]
    prior_effects: list[OutputRow]
    prior_effect_bins: list[OutputRow]
    prevalence_now: list[OutputRow]


def joined(parts: Iterable[Tables]) -> Tables:
    """Concatenate the tables of several scores and prevalences."""
    together = zip(*parts, strict=True)
    return Tables(*([row for rows in tables for row in rows] for tables in together))


def tables_of(model: CheckedModel, settings: Settings) -> Tables:
    """The tables of a score at the prevalence of its data."""
    score, curve, subsets, unlabelled = model
    drawn = reliability(curve, bins=settings.diagram_bins, confidence_level=settings.confidence_level)
    about = _about(score, curve)
    return _at_any_prevalence(score, curve, settings)._replace(
        bins=[about | row for row in drawn.rows()],
        verdicts=[about | {"bins": drawn.bins, "leaning": drawn.leaning, "verdict": drawn.verdict}],
        tests=_tests(score, curve, settings),
        in_the_small=_in_the_small(score, subsets, settings) if subsets else [],
        prevalence_now=[] if unlabelled is None else [_prevalence_now(score, curve, unlabelled, settings)],
    )


def tables_elsewhere(model: CheckedModel, prevalence: float, settings: Settings) -> Tables:
    """The tables of a score at another prevalence, with the effect of the prior."""
    score, at = model.score, model.curve.at_prevalence(prevalence)
    effect = prior_effect(at, bins=settings.diagram_bins)
    about = _about(score, at)
    names = ("from_prevalence", "ece_before", "ece", "ece_shifted", "prior_part", "shape")
    return _at_any_prevalence(score, at, settings)._replace(
        prior_effects=[about | {name: getattr(effect, name) for name in names} | {"sentence": str(effect)}],
        prior_effect_bins=[about | row for row in effect.rows()],
    )


def _about(score: str, at: Curve) -> OutputRow:
    return {"score": score, "prevalence": at.prevalence}


def _at_any_prevalence(score: str, at: Curve, settings: Settings) -> Tables:
    nothing = Tables(*([] for _ in Tables._fields))
    means = in_the_large(at, confidence_level=settings.confidence_level)
    return nothing._replace(
        in_the_large=[_about(score, at) | _means(means)],
        line=_line(score, at, settings),
        errors=_errors(score, at, settings),
        decompositions=[_decomposition(score, at, metric) for metric in (brier_score, log_loss)],
    )


def _means(means: InTheLarge) -> OutputRow:
    row: OutputRow = {"n": int(means.n) if means.n == int(means.n) else means.n}
    row |= {"mean_score": means.mean_score, "event_rate": means.event_rate, "difference": means.difference}
    row |= {"low": means.low, "high": means.high, "verdict": means.verdict}
    return row | {"note": _note(means.reason, means.caution)}


def _line(score: str, at: Curve, settings: Settings) -> list[OutputRow]:
    line = cox_calibration(at, confidence_level=settings.confidence_level)
    rows = []
    for number in (line.in_the_large, line.intercept, line.slope):
        row: OutputRow = {"metric": number.metric, "value": number.value, "low": number.low, "high": number.high}
        rows.append(_about(score, at) | row | {"note": _note(number.reason, number.caution)})
    return rows


def _errors(score: str, at: Curve, settings: Settings) -> list[OutputRow]:
    bins = settings.diagram_bins
    errors: list[MetricFunction] = [partial(ece, bins=bins), partial(debiased_ece, bins=bins), smooth_ece]
    errors += [partial(mce, bins=bins), brier_score, log_loss]
    rows = []
    for metric in errors:
        (answer,) = answers([Wanted(Question(metric, None), score, WHOLE, at)], None)
        row = answer.row()
        named = {"metric": getattr(metric, "func", metric).__name__}  # without the bins, which all have
        rows.append({name: row[name] for name in _ERROR_FIELDS} | named)
    return rows


def _decomposition(score: str, at: Curve, metric: MetricFunction) -> OutputRow:
    parts = decompose(metric, at)
    row: OutputRow = {"metric": parts.metric, "value": parts.value}
    row |= {name: getattr(parts, name) for name in ("miscalibration", "discrimination", "uncertainty")}
    return _about(score, at) | row | {"note": _note(parts.reason, None)}


def _tests(score: str, curve: Curve, settings: Settings) -> list[OutputRow]:
    """Two tests, which need counts of cases and so are at the data's own prevalence only."""
    about = _about(score, curve)
    names = ("hosmer_lemeshow", "spiegelhalter")
    if curve.weighted:
        unknown: OutputRow = dict.fromkeys(("statistic", "at_least", "at_most", "bins", "df", "p_value"))
        return [about | {"test": name} | unknown | {"note": _ONLY_COUNTS} for name in names]
    by_bins = hosmer_lemeshow(curve, in_sample=settings.in_sample, bins=settings.test_bins)
    without = spiegelhalter(curve)
    cut: OutputRow = {"bins": by_bins.n_bins, "df": by_bins.df}
    return [
        about | {"test": names[0], "statistic": by_bins.statistic} | _test(by_bins, cut, by_bins.caution),
        about | {"test": names[1], "statistic": without.z} | _test(without, {"bins": None, "df": None}, None),
    ]


def _test(result: HosmerLemeshow | Spiegelhalter, cut: OutputRow, caution: str | None) -> OutputRow:
    ends = (result.low, result.high) if result.low < result.high else (None, None)
    row: OutputRow = {"at_least": ends[0], "at_most": ends[1]}
    return row | cut | {"p_value": result.p_value, "note": _note(result.reason, caution)}


def _in_the_small(score: str, subsets: Mapping[Key, Curve], settings: Settings) -> list[OutputRow]:
    result = in_the_small(subsets, confidence_level=settings.confidence_level)
    rows = []
    for key, means in zip(subsets, result.subsets.values(), strict=True):
        about: OutputRow = {"score": score, "prevalence": means.prevalence, "group": group_name(key)}
        rows.append(about | _means(means))
    return rows


def _prevalence_now(score: str, curve: Curve, unlabelled: Curve, settings: Settings) -> OutputRow:
    """The estimated prevalence of unlabelled rows, with that of the labelled rows."""
    estimated = estimate_prevalence(curve, unlabelled, confidence_level=settings.confidence_level)
    row: OutputRow = {
        name: getattr(estimated, name) for name in ("value", "low", "high", "method", "n_unlabelled", "n_bins")
    }
    row |= {name: getattr(estimated, name) for name in ("fit_statistic", "fit_df", "fit_p_value", "fits")}
    note = _note(estimated.reason or estimated.fit_reason, estimated.caution)
    return _about(score, curve) | row | {"note": note, "sentence": str(estimated)}


def _note(reason: Reason | None, caution: str | None) -> str | None:
    return "; ".join(part for part in (reason.sentence if reason else None, caution) if part) or None
