"""``baserate store``: inspects, prunes and copies the file of ``baserate monitor``."""

from collections.abc import Iterable
from typing import Any

import click

from baserate.cli.hints import Commands
from baserate.cli.notes import note, quiet_option
from baserate.cli.output import F, OutputRow, in_a_format, say, show
from baserate.errors import InputError
from baserate.monitoring.store import CurveStore
from baserate.monitoring.store_rows import CurveKey

_EXAMPLES = """\b
Examples:
  baserate store list monitor.db
  baserate store show monitor.db --model p --slice country=de
  baserate store verify monitor.db
  baserate store delete monitor.db --slice customer=acme
  baserate store prune monitor.db --keep 24 --first 3
  baserate store backup monitor.db copy.db

\b
Exit codes:
  0    done; verify: the store is intact
  1    invalid store or arguments, verify: damaged; one sentence on stderr says why
  2    invalid command or option
"""

_ROUNDING = 1e-9


@click.group(cls=Commands, epilog=_EXAMPLES)
def store() -> None:
    """Inspect, prune and copy a store of curves.

    STORE is the file written by `baserate monitor --store`.
    """


def _of_a_store(command: F) -> F:
    return click.argument("path", metavar="STORE", type=click.Path())(command)


def _model(command: F) -> F:
    return click.option("--model", metavar="NAME", help="Only this model.")(command)


def _dry_run(command: F) -> F:
    return click.option("--dry-run", is_flag=True, help="Show what would be deleted, without deleting.")(command)


# --- looking --------------------------------------------------------------------------------------


@store.command("list")
@_of_a_store
@_model
@in_a_format
def list_(path: str, model: str | None, form: str | None) -> None:
    """List models and slices in a store."""
    with CurveStore(path, read_only=True) as opened:
        keys = _found(opened, model=model) if len(opened) or model else []
        rows = [_series(opened, *one) for one in dict.fromkeys((key.model, key.slice) for key in keys)]
    if rows or form == "json":
        show(rows, form)
    else:
        note("the store is empty")


def _series(opened: CurveStore, model: str, part: str | None) -> OutputRow:
    history = opened.history(model=model, slice=part)
    periods = history["period"].tolist()
    ends: OutputRow = {"periods": len(periods), "first": periods[0], "last": periods[-1]}
    sizes: OutputRow = {"pos": _whole(history["n_pos"].sum()), "neg": _whole(history["n_neg"].sum())}
    return {"model": model, "slice": part, **ends, **sizes, "bytes": int(history["n_bytes"].sum())}


def _whole(size: float) -> float:
    """A number of cases as an integer; a sum of weights unchanged."""
    return int(size) if float(size).is_integer() else float(size)


@store.command("show")
@_of_a_store
@click.option("--model", metavar="NAME", help="Model to show.  [default: the only one]")
@click.option("--slice", "part", metavar="NAME", help="Slice to show.  [default: all rows]")
@in_a_format
def show_(path: str, model: str | None, part: str | None, form: str | None) -> None:
    """The periods of one model.

    With sizes and prevalence; average precision is exact to width, from prevalence 1e-6 to 0.5.
    """
    with CurveStore(path, read_only=True) as opened:
        model = _only(opened, model)
        columns = {name: column.tolist() for name, column in opened.history(model=model, slice=part).items()}
    if not columns["period"]:
        raise InputError(f"not in the store: {part or 'all rows'} of model {model!r}; see baserate store list.")
    names: OutputRow = {"model": model, "slice": part}
    show([names | _facts(*values) for values in zip(*columns.values(), strict=True)], form)


def _facts(*kept: Any) -> OutputRow:
    """The facts about a period; a width within rounding is shown as 0."""
    period, pos, neg, n_bytes, width, source = kept
    sizes: OutputRow = {"pos": _whole(pos), "neg": _whole(neg), "prevalence": pos / (pos + neg) if pos + neg else None}
    known: OutputRow = {"bytes": n_bytes, "width": width if width > _ROUNDING else 0.0, "source": source or None}
    return {"period": period, **sizes, **known}


def _only(opened: CurveStore, model: str | None) -> str:
    models = list(dict.fromkeys(key.model for key in _found(opened, model=model)))
    if len(models) > 1:
        raise InputError(f"the store has several models: {', '.join(models)}; choose one with --model.")
    return models[0]


@store.command()
@_of_a_store
def verify(path: str) -> None:
    """Verify the checksums of a store."""
    with CurveStore(path, read_only=True) as opened:
        opened.verify()
        say(f"{path}: {_counted(len(opened))}, all intact.")


# --- tidying up -----------------------------------------------------------------------------------


@store.command()
@_of_a_store
@_model
@click.option("--slice", "part", metavar="NAME", help="Only this slice, such as country=de.")
@click.option("--period", metavar="NAME", help="Only this period, such as 2026-05.")
@_dry_run
def delete(path: str, model: str | None, part: str | None, period: str | None, dry_run: bool) -> None:
    """Delete curves of a model, slice or period.

    Their bytes are overwritten. Curves of all rows still count the rows of a deleted slice.
    """
    if model is None and part is None and period is None:
        raise click.UsageError("Missing option: --model, --slice or --period.", click.get_current_context())
    with _to_change(path, dry_run) as opened:
        gone = _found(opened, model=model, slice=part, period=period)
        if not dry_run:
            opened.delete(gone)
    _say(gone, dry_run)


@store.command()
@_of_a_store
@click.option("--keep", type=click.IntRange(1), help="Number of latest periods to keep.")
@click.option(
    "--first", type=click.IntRange(0), default=0, show_default=True, help="Number of first periods to keep, too."
)
@click.option(
    "--versions",
    type=click.IntRange(1),
    help="Number of latest periods that keep how their labels came in; of older ones the last version is kept.",
)
@_model
@_dry_run
@quiet_option
def prune(*, path: str, keep: int | None, first: int, versions: int | None, model: str | None, dry_run: bool) -> None:
    """Delete all but the latest periods, or old versions.

    `baserate monitor` uses the first periods in the store as reference: keep them with --first, or later periods
    become the reference.
    """
    if keep is None and versions is None:
        raise click.UsageError("Missing option: --keep or --versions.", click.get_current_context())
    gone: list[CurveKey] = []
    with _to_change(path, dry_run) as opened:
        if keep is not None:
            gone = opened.prune(keep=keep, first=first, model=model, dry_run=dry_run)
            _say(gone, dry_run)
        if versions is not None:
            _say(opened.prune_versions(keep=versions, model=model, dry_run=dry_run), dry_run, "earlier versions of ")
    if gone and not first:
        note("the first remaining periods are now the reference of baserate monitor; --first 3 keeps three of them")


@store.command()
@_of_a_store
@click.argument("copy", type=click.Path())
@click.option("--replace", is_flag=True, help="Overwrite an older COPY.")
def backup(path: str, copy: str, replace: bool) -> None:
    """Copy a store, also while it is written to.

    COPY is a snapshot, and is verified before it gets its name.
    """
    with CurveStore(path, read_only=True) as opened:
        opened.backup(copy, replace=replace)
        say(f"{copy}: {_counted(len(opened))} copied.")


def _to_change(path: str, dry_run: bool) -> CurveStore:
    """Open an existing store; none is created."""
    CurveStore(path, read_only=True).close()
    return CurveStore(path, read_only=dry_run)


def _found(opened: CurveStore, **wanted: str | None) -> list[CurveKey]:
    """Keys with the given names."""
    given = {name: value for name, value in wanted.items() if value is not None}
    matching = [key for key in opened.keys() if all(getattr(key, name) == value for name, value in given.items())]  # noqa: SIM118
    if not matching:
        said = ", ".join(f"{name} {value!r}" for name, value in given.items()) or "nothing"
        raise InputError(f"not in the store {str(opened.path)!r}: {said}; see baserate store list.")
    return matching


def _counted(n: int) -> str:
    return f"{n:,} curve{'s' * (n != 1)}"


def _say(gone: Iterable[CurveKey], dry_run: bool, what: str = "") -> None:
    """Print what was deleted, and of which periods, for each model and slice."""
    periods: dict[str, list[str]] = {}
    for key in gone:
        periods.setdefault(key.model + (f", {key.slice}" if key.slice else ""), []).append(key.period)
    done = "would be deleted" if dry_run else "deleted"
    for name, several in periods.items():
        ends = several[0] if len(several) == 1 else f"{several[0]} to {several[-1]}"
        say(f"{name}: {what}{_counted(len(several))} {done}, {ends}")
    if not periods:
        say(f"no {what}curves {done}" if what else f"no curve {done}")
