"""Options for files and columns, and the curves they select."""

import contextlib
import glob
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from baserate.answers.curves import Key
from baserate.answers.curves import curves_of as curves_in
from baserate.cli.columns import columns_meant
from baserate.cli.direction import note_direction
from baserate.curves.curve import Curve
from baserate.curves.saving import check_output
from baserate.errors import InputError
from baserate.ingest.files import columns_of
from baserate.ingest.labelling import Missing

F = TypeVar("F", bound=Callable[..., object])


def of_a_file(command: F) -> F:
    """Options for the files, and for the meaning of their columns."""
    return click.argument("file", nargs=-1, required=True, type=click.Path())(of_columns(command))


def of_columns(command: F) -> F:
    """Options for the meaning of the columns of files, and for reading them."""
    for decorate in reversed(
        (
            _column("--label", help="Column of labels.  [default: the only candidate]"),
            _column(
                "--score", "scores", multiple=True, help="Column of scores; repeatable.  [default: the only candidate]"
            ),
            _column("--weight", help="Column of sample weights."),
            click.option("--positive", metavar="LABEL", help="Label of the positive class.  [default: 1 or true]"),
            click.option(
                "--sampled", metavar="RULE", help='How rows were sampled for labelling: "all >= 0.9, else 0.5 %".'
            ),
            _column("--stratum", help="Column with the stratum of each row, if rows were sampled for labelling."),
            _column(
                "--inclusion", help="Column with the probability of each row to be labelled, if rows were sampled."
            ),
            click.option(
                "--missing",
                type=click.Choice(["random", "later"]),
                help="Why other rows have no label: at random, whatever their class and score, or it comes later.",
            ),
            _column("--by", "by", multiple=True, help="Evaluate each value of this column separately; repeatable."),
            click.option(
                "--period", metavar="COLUMN:LENGTH", help="Evaluate each day, week, month, quarter or year separately."
            ),
            click.option("--tz", metavar="ZONE", help="Time zone used to split periods, such as Europe/Prague."),
            click.option(
                "--tolerance",
                type=float,
                help="Largest error allowed in average precision when scores are grouped.  [default: 1e-4]",
            ),
            click.option("--memory-limit", metavar="SIZE", help="Memory limit for reading files.  [default: 512MB]"),
            written_as,
        )
    ):
        command = decorate(command)
    return command


def written_as(command: F) -> F:
    """Options for the format of CSV files."""
    delimiter = click.option(
        "--delimiter", metavar="CHAR", help="Field delimiter of CSV files.  [default: from the header]"
    )
    signs = click.Choice([".", ","])
    decimal = click.option("--decimal", type=signs, help="Decimal separator of CSV files.  [default: .]")
    return delimiter(decimal(command))


def reading(data: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a command for reading files."""
    delimiter = data["delimiter"]
    # A shell makes it hard to type a tab.
    signs = {"\\t": "\t", "tab": "\t"}
    options = {"delimiter": signs.get(delimiter, delimiter), "decimal": data["decimal"] or "."}
    return options | {"memory_limit": data["memory_limit"]}


class OutputPath(click.Path):
    """The type of an option that names an output file."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name; a usage error if it is empty."""
        if value == "":
            self.fail("the name of an output file is empty.", param, ctx)
        return super().convert(value, param, ctx)


def check_outputs(outputs: Iterable[str | None], inputs: Iterable[str]) -> None:
    """Refuse, before any work is done, outputs that are inputs, that are equal, or that cannot be files."""
    read = [Path(name).resolve() for given in inputs for name in _named_by(given)]
    written: set[Path] = set()
    for output in outputs:
        if output is None:
            continue
        target = Path(output).resolve()
        if target in written and (target.is_file() or not target.exists()):  # a device takes as much as one likes
            raise InputError(f"two outputs have the same file: {output!r}; name another file.")
        written.add(target)
        check_output(output)
        if target in read or (target.exists() and not {*target.parents}.isdisjoint(read)):
            raise InputError(f"output {output!r} would overwrite an input; name another file.")


def _named_by(given: str) -> list[str]:
    """The path itself and, if it does not exist, the files that match it as a pattern."""
    return [given] if Path(given).exists() else [given, *glob.glob(given, recursive=True)]


def check_clock(tz: str | None, period: str | None) -> None:
    """Refuse a time zone without periods."""
    if tz is not None and period is None:
        raise click.UsageError("--tz needs --period.")


def _column(*names: str, **settings: Any) -> Callable[[F], F]:
    """An option that names a column; the shell completes it if it knows the file already."""
    return click.option(*names, metavar="COLUMN", shell_complete=_columns_beginning_with, **settings)


def _columns_beginning_with(context: click.Context, _: click.Parameter, beginning: str) -> list[CompletionItem]:
    # Whatever is wrong with the file, a shell that completes a line is not the place to say it.
    with contextlib.suppress(Exception):
        # An option that still lacks its value ends click's reading; files that it has seen are left over.
        columns = columns_of(list(context.params.get("file") or context.args))
        return [CompletionItem(column.name) for column in columns if column.name.startswith(beginning)]
    return []


def curves_of(
    file: tuple[str, ...],
    *,
    label: str | None,
    scores: tuple[str, ...],
    weight: str | None,
    by: tuple[str, ...],
    period: str | None,
    tz: str | None,
    positive: str | None,
    tolerance: float | None,
    sampled: str | None = None,
    stratum: str | None = None,
    inclusion: str | None = None,
    missing: Missing | None = None,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    n_scores: int = 1,
) -> dict[tuple[str, Key], Curve]:
    """The curve of each score and group; `n_scores` is how many scores a command needs."""
    check_clock(tz, period)
    meant = period_meant(period)
    others = (weight, stratum, inclusion, *by, meant and meant[0])
    written = reading({"memory_limit": memory_limit, "delimiter": delimiter, "decimal": decimal})
    label, scores = columns_meant(file, label, scores, others=others, n_scores=n_scores, reading=written)
    columns: dict[str, Any] = {"label": label, "score": scores, "weight": weight, "positive": label_meant(positive)}
    columns |= {"by": by, "period": meant, "tz": tz, "tolerance": tolerance}
    columns |= {"sampled": sampled, "stratum": stratum, "inclusion": inclusion, "missing": missing}
    curves = curves_in(list(file), **columns, **written)
    for score in dict.fromkeys(scores):
        note_direction(score, [of_group for (name, _), of_group in curves.items() if name == score])
    return curves


def whole_curves(
    file: tuple[str, ...], data: dict[str, Any], *, by: tuple[str, ...], period: str | None
) -> dict[tuple[str, Key], Curve]:
    """The curve of each score over all rows; `data` then names the label and the scores, for the groups to come."""
    others = (data["weight"], data["stratum"], data["inclusion"], *by, period and period.rpartition(":")[0])
    data["label"], data["scores"] = columns_meant(
        file, data["label"], data["scores"], others=others, n_scores=1, reading=reading(data)
    )
    return curves_of(file, by=(), period=None, tz=None, **data)


def label_meant(text: str | None) -> str | float | None:
    """A label from the command line: a number if it can be parsed as one, because files contain numbers."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def period_meant(text: str | None) -> tuple[str, str] | None:
    """A column and a length, from the command line."""
    if text is None:
        return None
    column, colon, length = text.rpartition(":")
    if not colon:
        raise InputError(f"--period must be a column and a length, got {text!r}; write for example ts:month.")
    return column, length
