"""The commands together, and how they end."""

import io
import os
import re
import sys
from collections.abc import Sequence

import click

import baserate
from baserate.cli.hints import AllCommands, no_such_option
from baserate.cli.notes import noted
from baserate.cli.output import drop_output
from baserate.errors import BaserateError, printable

DONE, REFUSED, NOT_UNDERSTOOD, STOPPED = 0, 1, 2, 130

# Set by the shell scripts that click makes, for completion.
_COMPLETE = "_BASERATE_COMPLETE"

# A keyword in a sentence, its equals sign, and the beginning of its value; what stands in quotes is somebody's own.
# A word in a list of options without values: "one of delta, --half-width and --ap-width".
_AMONG_OPTIONS = re.compile(r"(?<![\w-])[a-z]+(?=(?:,| and| or) --[\w-]++(?:[,;.]| and| or| must))")
_KEYWORD = re.compile(r"(?<![\w'\"/:-])([a-z_]+)\b(?:(=)(?:'([\w.-]+)'|(?=([\w'\"])?)))?")

_END = """\b
Examples:
  baserate demo
  baserate report scores.parquet --prevalence "1 in 10,000"
  baserate COMMAND --help

\b
Exit codes:
  0    done; also if the output was closed early, as by | head
  1    invalid data or arguments; one sentence on stderr says why
  2    invalid command or option
  3    check: a claim is broken; monitor: alarm in the latest period; audit: not possible
  4    check: a claim is undecided, none broken; monitor: only the prevalence moved
  130  interrupted by Ctrl-C
"""


@click.group(
    cls=AllCommands, epilog=_END, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(baserate.__version__, prog_name="baserate")
def commands() -> None:
    """Judge binary classifiers at the prevalence that matters."""


def run(arguments: Sequence[str]) -> int:
    """Run a command; invalid data or arguments are one sentence, never a traceback."""
    try:
        with noted():
            return _carried_out(list(arguments))
    except click.ClickException as error:
        shown = io.StringIO()
        (no_such_option(error) if isinstance(error, click.NoSuchOption) else error).show(shown)
        click.echo("\n".join(map(printable, shown.getvalue().rstrip("\n").split("\n"))), err=True)
        return NOT_UNDERSTOOD
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return STOPPED
    except OSError as error:  # a full disk, no temporary folder, an output that cannot be written
        drop_output()
        click.echo(printable(f"Error: {error}; check free space and permissions."), err=True)
        return REFUSED


def _carried_out(arguments: list[str]) -> int:
    """Run ``commands.main`` without its exit codes, in which a closed pipe is a failure."""
    if _COMPLETE in os.environ:
        commands.main(arguments, prog_name="baserate", complete_var=_COMPLETE)  # ends here
    try:
        with commands.make_context("baserate", arguments) as context:
            try:
                commands.invoke(context)
            except BaserateError as error:
                click.echo(f"Error: {_in_options(str(error), context)}", err=True)
                return REFUSED
            if sys.stdout is not None:
                sys.stdout.flush()  # here, where somebody can say what is wrong with it
    except click.exceptions.Exit as end:  # from --help and --version
        return end.exit_code
    return DONE


def _in_options(sentence: str, context: click.Context) -> str:
    """A message of the library with options instead of parameters: ``--half-width 0.05`` for ``half_width=0.05``."""
    command = commands.get_command(context, context.invoked_subcommand or "")
    assert command is not None  # it has just run
    meant = command.commands.values() if isinstance(command, click.Group) else [command]
    params = [param for each in meant for param in each.params]
    flags = {flag[2:].replace("-", "_"): flag for option in params for flag in option.opts if flag[:2] == "--"}
    flags.setdefault("matures", "--matures")  # other commands than monitor tell of it

    for flag in (option.opts[-1] for option in params if isinstance(option, click.Option) and option.is_flag):
        sentence = sentence.replace(f"{flag[2:].replace('-', '_')}=True", flag)

    def as_option(keyword: re.Match[str]) -> str:
        name, equals, word, value = keyword.groups()
        if name not in flags or not (equals or "_" in name):  # delta alone is a word, and reads well as such
            return keyword[0]
        return flags[name] + (f" {word}" if word else " " if value else "")  # a plain word needs no quotes

    if "by" in flags:
        sentence = sentence.replace("by must be a column", "--by must be a column")
    return _AMONG_OPTIONS.sub(lambda word: flags.get(word[0], word[0]), _KEYWORD.sub(as_option, sentence))
