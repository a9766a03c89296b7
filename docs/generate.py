"""Write docs/commands.md and docs/settings.md from the code, so that they cannot lie."""

import json
from collections.abc import Iterator
from enum import EnumMeta
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

from daemon.cli import cli
from daemon.config import ENVIRONMENT_PREFIX, Settings

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
    for key, info in Settings.model_fields.items():
        default = info.get_default()
        shown = "" if default in (None, "", ()) else f"`{json.dumps(default)}`"
        yield f"| `{key}` | {kind(info.annotation)} | {shown} | {info.description} |\n"


def kind(annotation: Any) -> str:
    """Say in words what a setting can be."""
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    if isinstance(annotation, EnumMeta):
        return ", ".join(f"`{member}`" for member in list[Any](annotation))
    if get_origin(annotation) is tuple:
        return "list of texts"
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
