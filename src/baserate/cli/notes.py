"""Notes on stderr, each printed once, and not with --quiet."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

from baserate.errors import (
    FewerBinsWarning,
    PrecisionWarning,
    UndefinedMetricWarning,
    UnlabelledWarning,
    printable,
)
from baserate.progress import silenced

F = TypeVar("F", bound=Callable[..., object])


class Note(UserWarning):
    """A note to the user of a command."""


def note(text: str) -> None:
    """Print a note on stderr, unless --quiet is given."""
    warnings.warn(Note(text), stacklevel=2)


@contextmanager
def noted() -> Iterator[None]:
    """Print warnings of this library as notes, and ignore those of other libraries."""
    said: set[str] = set()

    def say(message: object, *_: object, **__: object) -> None:
        if str(message) not in said:  # such as the rows without a label, which each score meets again
            said.add(str(message))
            click.echo(f"Note: {printable(str(message))}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for category in (Note, FewerBinsWarning, PrecisionWarning, UndefinedMetricWarning, UnlabelledWarning):
            warnings.simplefilter("always", category)
        warnings.showwarning = say
        yield


def quiet_option(command: F) -> F:
    """The option that silences notes and progress."""
    option = click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=_silence, help="Suppress notes and progress."
    )
    return option(command)


def _silence(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        context.with_resource(silenced())
        context.with_resource(warnings.catch_warnings())
        warnings.simplefilter("ignore")
