"""Hints for options and commands that do not exist."""

from importlib import import_module

import click

# A command with as few options says which it has.
_FEW = 10

# The line that the list of commands has for each. Its module is loaded when it is asked for: help comes at once.
COMMANDS = {
    "audit": "Check whether published numbers can be true together.",
    "calibration": "Check whether scores are calibrated probabilities.",
    "check": "Check claims about metrics against data.",
    "compare": "Compare models, and find where one overtakes another.",
    "demo": "Compare two bundled fraud models at four prevalences.",
    "evaluate": "Compute metrics of scores at any prevalence.",
    "monitor": "Store a curve per period, and detect changes of the model.",
    "plan": "Plan the size of a test set.",
    "report": "Write an interactive HTML page about scores.",
    "store": "Inspect, prune and copy a store of curves.",
    "sweep": "Compute a metric over a range of prevalences.",
}


def no_such_option(error: click.NoSuchOption) -> click.UsageError:
    """Add a hint to an error: the option by synonym, by a rule or metric of that name, or by spelling."""
    hint = (
        "" if error.ctx is None else _option_meant(error.option_name.lstrip("-").replace("-", "_"), error.ctx.command)
    )
    return click.UsageError(f"No such option {error.option_name!r}{'; ' + hint if hint else ''}.", error.ctx)


def _option_meant(name: str, command: click.Command) -> str:
    from baserate import checks
    from baserate.curves.rules import RULES
    from baserate.metrics import METRICS

    flags = {_name(flag): flag for option in command.params for flag in option.opts if flag.startswith("--")}
    told = _told_to("at", list(RULES), name, flags)
    called, remark = ("", "") if told else checks.called_here(name, list(flags))
    if not called:
        told = told or _told_to("metric", list(METRICS), name, flags)
        if told:
            return told
        called, remark = checks.meant(name, list(flags))
    if called:
        return f"did you mean {flags[called]}{remark}"
    return f"the options are {', '.join(flags.values())}" if len(flags) <= _FEW else ""


def _told_to(option: str, known: list[str], name: str, flags: dict[str, str]) -> str:
    """The right option for a rule or a metric that was written as an option."""
    from baserate import checks

    called, remark = checks.called_here(name, known) if option in flags else ("", "")
    return f"did you mean {flags[option]} {called}{'=VALUE' if option == 'at' else ''}{remark}" if called else ""


def _name(flag: str) -> str:
    return flag[2:].replace("-", "_")


class Commands(click.Group):
    """A group of commands with hints for unknown names."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of this name, or a usage error with a hint."""
        if args and args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            from baserate import checks

            names = self.list_commands(ctx)
            hint = checks.did_you_mean(args[0], names) or f"the commands are {', '.join(names)}"
            raise click.UsageError(f"No such command {args[0]!r}; {hint}.", ctx)
        return super().resolve_command(ctx, args)


class AllCommands(Commands):
    """All commands of the program, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a command."""
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"baserate.cli.{name}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
