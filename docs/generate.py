"""Write the pages that are made from the code, so that they cannot lie."""

import json
import re
import sys
from collections.abc import Iterator
from enum import EnumMeta
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from daemon.adapters.sources import Entry, load_registry
from daemon.adapters.sources.entry import TYPES
from daemon.cli import cli
from daemon.config import ENVIRONMENT_PREFIX, Settings
from daemon.config.schedules import Schedule
from daemon.doctor.faults import FAULTS
from daemon.model.hooks import FILTERING, HookEvent

sys.path.insert(0, str(Path(__file__).parent))
from picture import svg

HERE = Path(__file__).parent
TROUBLES = """\
# Troubleshooting

Made by `make docs` from what `lacuna doctor` looks at. It exits with 1 when something fails, and
says after each line what to type; with `--json` for a script. Here, … stands for names and numbers.

"""
WIDTH = 96
_TYPES = {bool: "true or false", int: "whole number", float: "number", str: "text"}

COMMANDS = """\
# Commands

Made by `make docs` from the code.

Everywhere: results go to stdout, progress and logs to stderr. `--json` prints exactly one JSON
document on stdout. The options `--vault` (a name from the settings, or a path), `--config`,
`--state` and `--json` may stand anywhere on the line. What writes asks the daemon to do it while
one runs.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | failed; one line on stderr says why |
| 2 | wrong use; one line on stderr says what is wrong, and where it is told how to do it right |
| 130 | interrupted with Ctrl-C; what was done so far is kept |
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

OUTSIDE = """\

These variables are no settings:

| variable | meaning |
|---|---|
| `LACUNA_CONFIG` | the settings file, as `--config` |
| `LACUNA_<NAME>_API_KEY` | the key of that name, in capitals, so `LACUNA_BRAVE_API_KEY` |
| `LACUNA_SECRETS_PASSPHRASE` | the passphrase of the file of keys (`secrets_in = "file"`) |
| `LACUNA_SECRETS_PASSPHRASE_FD` | the number of a file descriptor to read it from |
| `CREDENTIALS_DIRECTORY` | set by systemd: keys by their names, and `lacuna-passphrase` |

## Several vaults

Each vault has a table with a name of its own, which `--vault` takes as well as a path. `path` is
the folder of notes; all else is whatever is different for that vault from the settings above:

    max_findings = 5

    [vaults.home]
    path = "~/Notes"

    [vaults.work]
    path = "~/Work/Notes"
    inbox = "Research"
    max_findings = 3

With one table, that vault is meant when none is named. With several, name one, or set `vault` to
the name that is meant: `vault = "home"`.

## Hooks

Your own commands, by event; the [guide](guide.md#hooks) says what each is told. Each command is a
list of arguments; no shell is between:

    [hooks]
    finding_accepted = [["notify-send", "Lacuna"]]

| event | its answer |
|---|---|
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

SOURCES = """\
# Sources

Made by `make docs` from the code.

A `sources.yaml` beside `config.toml` is laid on top of what comes with Lacuna, key by key: name a
source and give only what should be different. A new name makes a new source. The
[guide](guide.md#sources-and-keys) shows how; `lacuna sources list` says which are on and why the
others are not.

## Types

| type | meaning |
|---|---|
"""

ENTRY = """\

## Keys of an entry

| key | kind | default | meaning |
|---|---|---|---|
"""

WITH_IT = """\

## What comes with Lacuna

A source that needs a key is left out without it; some answer without theirs, only less.

| source | type | its documents | as it comes | key | |
|---|---|---|---|---|---|
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
    yield OUTSIDE
    for event in HookEvent:
        answer = "waited for: it may take something out" if event in FILTERING else "not waited for"
        yield f"| `{event}` | {answer} |\n"
    yield SCHEDULES
    yield from rows(Schedule)


def rows(table: type[BaseModel]) -> Iterator[str]:
    """Yield a row per key of a table of settings."""
    for key, info in table.model_fields.items():
        default = info.get_default()
        is_nothing = default in (None, "", (), {}, PydanticUndefined)
        is_table = isinstance(default, BaseModel)
        shown = "" if is_nothing or is_table else f"`{json.dumps(default)}`"
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
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return ", ".join(f"`{key}`" for key in annotation.model_fields)
    return _TYPES.get(annotation, "path")


def sources() -> Iterator[str]:
    """Yield the page of sources: kinds, keys of an entry, and what comes with Lacuna."""
    yield SOURCES
    for name, meaning in TYPES.items():
        yield f"| `{name}` | {meaning} |\n"
    yield ENTRY
    yield from rows(Entry)
    yield WITH_IT
    for name, entry in load_registry().items():
        key = f"`{entry.api_key}`" if entry.api_key else ""
        on = "on" if entry.enabled and not entry.opt_in else "off"
        yield (
            f"| `{name}` | {entry.type} | {entry.source_type} | {on} | {key} |"
            f" {entry.description} |\n"
        )


def troubles() -> Iterator[str]:
    """Yield a row for everything that `lacuna doctor` can find amiss."""
    yield "| it says | meaning | what to type |\n|---|---|---|\n"
    for fault in FAULTS.values():
        says, hint = (text.replace("|", "\\|") for text in (fault.says, fault.hint))
        typed = "what the line says" if hint == "{hint}" else f"`{shown_blanks(hint)}`"
        yield f"| **{fault.name}** {shown_blanks(says)} | {fault.meaning} | {typed} |\n"


def shown_blanks(text: str) -> str:
    """Show what is filled in as …"""
    return re.sub(r"(?<!\{)\{\w+\}", "…", text).replace("{{", "{").replace("}}", "}")


def pages() -> dict[str, str]:
    """Return file name → text of every generated page."""
    return {
        "layers.svg": svg(),
        "commands.md": COMMANDS + "".join(commands(cli, "lacuna")),
        "settings.md": SETTINGS + "".join(settings()),
        "sources.md": "".join(sources()),
        "troubleshooting.md": TROUBLES + "".join(troubles()),
    }


if __name__ == "__main__":
    for name, text in pages().items():
        (HERE / name).write_text(text, encoding="utf-8")
