"""Is it the model or the base rate? Each model over its periods, judged as `baserate monitor` does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from baserate.curves.curve import Curve
from baserate.metrics.areas import average_precision
from baserate.monitoring.judging import judge_periods
from baserate.page.words import FEW_DIGITS, Json, isolated, numbers, short
from baserate.results.changes import ChangePart
from baserate.results.intervals import Estimate
from baserate.results.verdicts import PeriodReading, SeriesVerdict
from baserate.uncertainty.estimate import estimate_all
from baserate.written import one_in

# The probability of any false alarm, over all models together, as in the command.
FALSE_ALARM = 0.05

# Periods with intervals, and with their change explained: the latest ones, so many of all models together, but at
# least a year of months.
_MOST = 120
_FEWEST = 12

# The parts of a change.
PARTS = ("total", "prior", "model", "threshold")


@dataclass(frozen=True)
class JudgedSeries:
    """A model, or a slice of it, over its periods."""

    name: str
    verdict: SeriesVerdict
    before: Estimate | None  # average precision of all periods before the first alarm, and since then
    since: Estimate | None

    @property
    def broken(self) -> bool:
        """Whether the model is judged to have changed."""
        return self.verdict.verdict == "model"

    @property
    def said(self) -> str:
        """The sentence of the command."""
        return f"{isolated(self.name)}: {self.verdict.sentence}."

    @property
    def json(self) -> Json:
        """All that is drawn."""
        found = self.verdict
        return {
            "name": self.name,
            "said": self.said,
            "verdict": found.verdict,
            "first_alarm": None if found.first_alarm is None else str(found.first_alarm),
            "common": found.prevalence,
            "reference": [str(key) for key in found.reference],
            "periods": [_period(one) for one in found.periods],
        }


def judged(
    by_model: Mapping[str, Mapping[str, Curve]],
    asked: float | None,
    n_resamples: int,
    step: Callable[[str], None] = lambda _: None,
) -> list[JudgedSeries]:
    """Judge each model; at the prevalence asked for or, if there is none, at the mean of the reference."""
    made = []
    for name, curves in by_model.items():
        step(name)
        known = {key: curve for key, curve in curves.items() if curve.has_scores}
        if not known:
            continue
        found = judge_periods(
            average_precision,
            known,
            prevalence=asked,
            false_alarm=FALSE_ALARM / len(by_model),
            last=max(_FEWEST, _MOST // len(by_model)),
            n_resamples=n_resamples,
            rng=0,
        )
        before, since = _around(found, known, n_resamples)
        made.append(JudgedSeries(name, found, before, since))
    return made


def _around(
    found: SeriesVerdict, curves: Mapping[str, Curve], n_resamples: int
) -> tuple[Estimate | None, Estimate | None]:
    """Average precision before the first alarm and since then, each at the common prevalence."""
    if found.verdict != "model" or found.first_alarm is None or found.prevalence is None:
        return None, None
    keys = list(curves)
    place = keys.index(str(found.first_alarm))
    sides = [Curve.pool(curves[key] for key in some) for some in (keys[:place], keys[place:])]
    if any(side.missing_class for side in sides):
        return None, None
    wanted = [(average_precision, side.at_prevalence(found.prevalence), "threshold") for side in sides]
    before, since = estimate_all(wanted, n_resamples=n_resamples, rng=0)  # type: ignore[arg-type]  # literals
    return before, since


def breaks(series: list[JudgedSeries]) -> list[str]:
    """Sentences about models that broke, and about a prevalence that has moved without them."""
    said = []
    for one in series:
        if one.broken and one.before is not None and one.since is not None:
            where = one_in(one.before.prevalence)
            said.append(
                f"{isolated(one.name)} has become worse: first alarm in {one.verdict.first_alarm}. At a prevalence of "
                f"{where} its average precision was {short(one.before.value)} before and has been "
                f"{short(one.since.value)} since. Numbers of all periods together average over this break."
            )
        elif one.broken:
            said.append(f"{one.said} Numbers of all periods together average over this break.")
    return [*said, *_moved(series)]


def _moved(series: list[JudgedSeries]) -> list[str]:
    """That the prevalence has moved, which no model is the reason for."""
    if not series or not any(one.verdict.prevalence_moved for one in series):
        return []
    periods = [period for period in series[0].verdict.periods if not np.isnan(period.own.prevalence)]
    first, last = periods[0], periods[-1]
    grown = last.own.prevalence > first.own.prevalence
    steady = [isolated(one.name) for one in series if not one.broken]
    reads = f" For {' and '.join(steady)} no change was detected at a common prevalence." if steady else ""
    return [
        f"The prevalence has {'grown' if grown else 'fallen'} from {one_in(first.own.prevalence)} in {first.key} to "
        f"{one_in(last.own.prevalence)} in {last.key}. That is not the models' doing; the part of each change that is "
        f"due to it is shown apart.{reads}"
    ]


def _period(one: PeriodReading) -> Json:
    parts = {} if one.change is None else {name: _ends(getattr(one.change, name)) for name in PARTS}
    return {
        "key": str(one.key),
        "prevalence": numbers([one.own.prevalence])[0],
        "rows": numbers([one.own.n_pos, one.own.n_neg]),
        "own": _ends(one.own),
        "common": None if one.common is None else _ends(one.common),
        "change": parts or None,
        "alarm": one.alarm,
        "statistic": numbers([one.statistic], FEW_DIGITS)[0],
        "limit": numbers([one.limit], FEW_DIGITS)[0],
    }


def _ends(one: Estimate | ChangePart) -> list[float | None]:
    return numbers([one.value, one.low, one.high], FEW_DIGITS)
