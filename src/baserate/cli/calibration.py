"""``baserate calibration``: whether scores are calibrated probabilities."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from baserate import checks
from baserate.cli.arguments import curves_of, of_a_file, reading, whole_curves
from baserate.cli.calibration_tables import CheckedModel, Settings, Tables, joined, tables_elsewhere, tables_of
from baserate.cli.notes import quiet_option
from baserate.cli.output import OutputRow, in_a_format, say, show_csv, show_json, show_table
from baserate.cli.prevalences import PREVALENCE_HELP, prevalence_from
from baserate.cli.questions import confidence_option
from baserate.curves.bins import Bins, as_bins, check_probabilities
from baserate.curves.curve import Curve
from baserate.errors import InputError
from baserate.ingest.tables import curve as read_curve
from baserate.progress import progress
from baserate.results.words import percent
from baserate.written import one_in

_EXAMPLES = """\b
Examples:
  baserate calibration scores.parquet --label fraud --score p
  baserate calibration scores.csv --score old --score new --prevalence "1 in 1,000" --bins "equal_frequency(10)"
  baserate calibration scores.csv --label y --score p --by country --json
"""

# What a table for people leaves out, because the lines around it say it, or because programs alone want it.
_SAID = {"score", "prevalence", "share", "pos", "neg"}


@click.command(epilog=_EXAMPLES)
@of_a_file
@click.option("--prevalence", "prevalences", multiple=True, metavar="PREVALENCE", help=PREVALENCE_HELP)
@click.option(
    "--bins",
    metavar="BINS",
    help="Bins of scores: 10, equal_frequency(10), or edges such as 0,0.1,1.  [default: 10 of equal width]",
)
@click.option("--in-sample", is_flag=True, help="The model was fitted on these rows; changes the degrees of freedom.")
@click.option(
    "--unlabelled",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="File without labels whose prevalence is estimated from its scores; repeatable.",
)
@confidence_option
@in_a_format
@quiet_option
def calibration(
    *,
    file: tuple[str, ...],
    prevalences: tuple[str, ...],
    bins: str | None,
    in_sample: bool,
    unlabelled: tuple[str, ...],
    confidence_level: float,
    form: str | None,
    **data: Any,
) -> None:
    """Check whether scores are calibrated probabilities.

    Scores must lie between 0 and 1. The output has the reliability table (event rate per bin), calibration errors and
    proper scores, the calibration line (Cox), the tests of Hosmer and Lemeshow (deciles, unless --bins) and of
    Spiegelhalter, and the decomposition of the proper scores. At each --prevalence it shows the miscalibration that the
    other prior causes, and what is left after adjusting the scores to it. --by and --period compare mean score and
    event rate within groups. --unlabelled estimates the prevalence of other rows from their scores, and tests whether
    they are a mixture of the labelled classes. --json holds all tables, --csv the bins.
    """
    settings = Settings(bins_from(bins), in_sample, checks.confidence_level(confidence_level))
    elsewhere = list(dict.fromkeys(prevalence_from(text) for text in prevalences))
    models = _models(file, unlabelled, data)
    for model in models:
        check_probabilities(model.curve, f"calibration of {model.score!r}")
    readings = [(model, at) for model in models for at in (None, *elsewhere)]
    parts = [_part(*one, settings) for one in progress(readings, len(readings), "Calibrating")]
    together = joined(tables for _, tables in parts)
    if form == "json":
        show_json(together._asdict())
    elif form == "csv":
        show_csv(together.bins)
    else:
        _show(parts, f"{percent(settings.confidence_level)} intervals")


def _models(file: tuple[str, ...], unlabelled: tuple[str, ...], data: dict[str, Any]) -> list[CheckedModel]:
    """Each score with its curve of all rows, its curves by group, and its curve of unlabelled rows."""
    groups = {name: data.pop(name) for name in ("by", "period", "tz")}
    whole = whole_curves(file, data, by=groups["by"], period=groups["period"])
    by_group = curves_of(file, **groups, **data) if any(groups.values()) else {}
    models = []
    for (score, _), curve in whole.items():
        subsets = {key: subset for (of, key), subset in by_group.items() if of == score}
        models.append(CheckedModel(score, curve, subsets, _without_labels(unlabelled, score, data)))
    return models


def _without_labels(file: tuple[str, ...], score: str, data: Mapping[str, Any]) -> Curve | None:
    if not file:
        return None
    return read_curve(list(file), label=None, score=score, weight=data["weight"], **reading(data))


def _part(model: CheckedModel, prevalence: float | None, settings: Settings) -> tuple[str, Tables]:
    """The tables of a model at a prevalence, or at that of the data, with a heading."""
    if prevalence is not None:
        return f"{model.score} at prevalence {one_in(prevalence)}", tables_elsewhere(model, prevalence, settings)
    curve = model.curve
    cases = f"{curve.n_pos:,.6g} positives, {curve.n_neg:,.6g} negatives"
    heading = f"{model.score}: {cases}, prevalence {one_in(curve.prevalence)}"
    return heading, tables_of(model, settings)


def bins_from(text: str | None) -> Bins | None:
    """Bins from text: ``10``, ``equal_frequency(10)``, ``0,0.1,1``."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    try:
        if len(parts) > 1:
            return as_bins([float(part) for part in parts])
        return as_bins(int(text) if text.strip().lstrip("-").isdigit() else text.strip())
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"invalid --bins {text!r}; write a number such as 10, equal_frequency(10), or edges such as 0,0.1,1."
        ) from None


def _show(parts: Sequence[tuple[str, Tables]], level: str) -> None:
    for number, (heading, tables) in enumerate(parts):
        say(*[""] * (number > 0), f"{heading}, {level}")
        for rows in (tables.bins, tables.prior_effect_bins):
            _table(None, rows)
        say(str(tables.verdicts[0]["verdict"] if tables.verdicts else tables.prior_effects[0]["sentence"]))
        _table("Calibration in the large:", tables.in_the_large)
        _table("Calibration line in log-odds (ideal: 0, 0, 1):", tables.line)
        _table("Calibration errors and proper scores:", tables.errors)
        _table("Decomposition of the proper scores:", tables.decompositions)
        _table("Tests:", tables.tests)
        _table("Calibration in groups (simultaneous intervals):", tables.in_the_small)
        for row in tables.prevalence_now:
            say("", f"Rows without labels: {row['sentence']}")


def _table(heading: str | None, rows: Sequence[OutputRow]) -> None:
    if rows:
        click.echo("" if heading is None else f"\n{heading}\n", nl=False)
        show_table([{name: value for name, value in row.items() if name not in _SAID} for row in rows])
