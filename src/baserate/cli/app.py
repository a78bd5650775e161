"""The commands together, and how they end."""

import sys
import warnings
from collections.abc import Sequence

import click

import baserate
from baserate.cli.evaluate import evaluate
from baserate.errors import BaserateError

DONE, REFUSED, NOT_UNDERSTOOD, STOPPED = 0, 1, 2, 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(baserate.__version__, prog_name="baserate")
def commands() -> None:
    """Judge binary classifiers at the prevalence that matters.

    Exit codes: 0 done, 1 the data or the question will not do, 2 the command was not understood, 130 stopped.
    """


commands.add_command(evaluate)


def run(arguments: Sequence[str]) -> int:
    """Run a command; whatever goes wrong with the data is one sentence, never a traceback."""
    warnings.showwarning = _say
    try:
        commands.main(list(arguments), prog_name="baserate", standalone_mode=False)
    except BaserateError as error:
        click.echo(f"Error: {error}", err=True)
        return REFUSED
    except click.ClickException as error:
        error.show()
        return NOT_UNDERSTOOD
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return STOPPED
    except BrokenPipeError:  # whoever reads has seen enough
        sys.stderr.close()
        return DONE
    return DONE


def _say(message: object, *_: object, **__: object) -> None:
    click.echo(f"Note: {message}", err=True)
