"""Write docs/commands.md and docs/settings.md from the code, so that they cannot lie."""

import json
from collections.abc import Iterator
from enum import EnumMeta
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click
from pydantic import BaseModel

from daemon.cli import cli
from daemon.config import ENVIRONMENT_PREFIX, Settings
from daemon.config.schedules import Schedule

HERE = Path(__file__).parent
WIDTH = 96
_TYPES = {bool: "true or false", int: "whole number", float: "number", str: "text"}

COMMANDS = """\
# Commands

Made by `make docs` from the code.

Everywhere: results go to stdout, progress and logs to stderr. `--json` prints exactly one JSON
document on stdout. The options `--vault`, `--config`, `--state` and `--json` may stand anywhere on
the line. Exit code 0: done; 1: failed, with one line on stderr that says why; 2: wrong use; 130:
interrupted. What writes asks the daemon to do it while one runs.
"""

SETTINGS = f"""\
# Settings

Made by `make docs` from the code.

Each can be set in `config.toml`, in the environment (`{ENVIRONMENT_PREFIX}` and its name in
capitals, so `{ENVIRONMENT_PREFIX}MAX_FINDINGS=3`; lists with commas), or as an option where a
command has one; later wins. The file is in `~/.config/lacuna` (on macOS in
`~/Library/Application Support/lacuna`), unless `--config` or `{ENVIRONMENT_PREFIX}CONFIG` says
otherwise. Paths in it begin at the file's folder. An empty file, or none, means all defaults.

    vault = "~/Notes"
    library = "~/To read"
    approval = "required"
    exclude = ["Archive", "Work/Clients"]

"""

SCHEDULES = """\

## A schedule of your own

Each is a table with a name, and has either `cron` or a `time`:

    [schedules.papers]
    cron = "0 7 * * mon-fri"
    folders = ["Areas/Health"]
    sources = ["arxiv", "pubmed"]

    [schedules.garden]
    day = "sat"
    time = "10:00"
    tags = ["garden"]
    depth = "deep"

| setting | kind | default | meaning |
|---|---|---|---|
"""


def commands(
    command: click.Command, name: str, parent: click.Context | None = None
) -> Iterator[str]:
    """Yield the help of a command and of all below it, as Markdown."""
    settings: dict[str, Any] = {**command.context_settings, "terminal_width": WIDTH}
    context = click.Context(command, parent, name, **settings)
    yield f"\n## {context.command_path}\n\n```\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            if found is not None:
                yield from commands(found, sub, context)


def settings() -> Iterator[str]:
    """Yield the settings table, one row per setting."""
    yield "| setting | kind | default | meaning |\n|---|---|---|---|\n"
    yield from rows(Settings)
    yield SCHEDULES
    yield from rows(Schedule)


def rows(table: type[BaseModel]) -> Iterator[str]:
    """Yield a row per key of a table of settings."""
    for key, info in table.model_fields.items():
        default = info.get_default()
        shown = "" if default in (None, "", (), {}) else f"`{json.dumps(default)}`"
        yield f"| `{key}` | {kind(info.annotation)} | {shown} | {info.description} |\n"


def kind(annotation: Any) -> str:
    """Say in words what a setting can be."""
    if get_origin(annotation) in (Union, UnionType):  # what may be left out
        annotation = get_args(annotation)[0]
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    if isinstance(annotation, EnumMeta):
        return ", ".join(f"`{member}`" for member in list[Any](annotation))
    if get_origin(annotation) is tuple:
        return "list of texts"
    if get_origin(annotation) is dict:
        return "tables"
    return _TYPES.get(annotation, "path")


def pages() -> dict[str, str]:
    """Return file name → text of every generated page."""
    return {
        "commands.md": COMMANDS + "".join(commands(cli, "lacuna")),
        "settings.md": SETTINGS + "".join(settings()),
    }


if __name__ == "__main__":
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
