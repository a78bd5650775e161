"""Options and commands that do not exist: a hint at the one that is meant."""

import click

from baserate import checks
from baserate.curves.rules import RULES
from baserate.registry import METRICS


def no_such_option(error: click.NoSuchOption) -> click.UsageError:
    """The same error, with the option that is meant: by its synonyms, by a rule or a metric, or by its spelling."""
    hint = (
        "" if error.ctx is None else _option_meant(error.option_name.lstrip("-").replace("-", "_"), error.ctx.command)
    )
    return click.UsageError(f"No such option {error.option_name!r}{'; ' + hint if hint else ''}.", error.ctx)


def _option_meant(name: str, command: click.Command) -> str:
    flags = {_name(flag): flag for option in command.params for flag in option.opts if flag.startswith("--")}
    told = _told_to("at", list(RULES), name, flags) or _told_to("metric", list(METRICS), name, flags)
    if told:
        return told
    found, remark = checks.meant(name, list(flags))
    return f"did you mean {flags[found]}{remark}" if found else ""


def _told_to(option: str, known: list[str], name: str, flags: dict[str, str]) -> str:
    """A rule or a metric that was taken for an option."""
    found, remark = checks.called_here(name, known) if option in flags else ("", "")
    return f"did you mean {flags[option]} {found}{'=VALUE' if option == 'at' else ''}{remark}" if found else ""


def _name(flag: str) -> str:
    return flag[2:].replace("-", "_")


class Commands(click.Group):
    """Commands that know what else they may be called."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named, or a usage error with the one that is meant."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            names = self.list_commands(ctx)
            hint = checks.did_you_mean(args[0], names) or f"the commands are {', '.join(names)}"
            raise click.UsageError(f"No such command {args[0]!r}; {hint}.", ctx)
        return super().resolve_command(ctx, args)
