"""Groups of commands: in order of use, imported on demand, with suggestions for typos."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

import click

from daemon.cli.examples import with_example


class Group(click.Group):
    """Lists commands in order of use, and suggests what was meant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)
        return found and with_example(found, ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        is_typo = name not in known and not name.startswith("-")
        if is_typo and not ctx.resilient_parsing:  # which completes words, in silence
            near = things_of("difflib")["get_close_matches"](name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise click.UsageError(f"no such command {name}: {hint}", ctx)
        return super().resolve_command(ctx, args)


class LazyGroup(Group):
    """Knows each command's module and line; imports the module when the command is called.

    Importing a command's dependencies takes nearly a second, which neither a list of commands nor a
    typo should wait for.
    """

    places: ClassVar[Mapping[str, tuple[str, str]]] = {}  # name -> module, one line for the list

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.places:
            return None
        things = things_of(self.places[cmd_name][0]).values()
        commands = (thing for thing in things if isinstance(thing, click.Command))
        found = next(command for command in commands if command.name == cmd_name)
        return with_example(found, ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.places.items()])


def things_of(module: str) -> dict[str, Any]:
    """Import a module that only some calls need, and return what it has."""
    return vars(import_module(module))
