"""The options of every command, at any position on the line."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

_PATH = click.Path(path_type=Path)
_KEPT = "daemon.cli.options"  # in the context's `meta`, which a command shares with its groups


@dataclass(frozen=True, slots=True)
class Options:
    """The values of `--vault --config --state --json`."""

    vault: Path | None = None
    config: Path | None = None
    state: Path | None = None
    json: bool = False


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command or a group the common options, passed to it as one `Options`.

    `lacuna --json agenda show` and `lacuna agenda show --json` are the same; the rightmost value
    wins.
    """

    @wraps(command)
    def with_options(*args: Any, **kwargs: Any) -> Any:
        chosen = click.get_current_context().meta.get(_KEPT, {})
        return command(*args, options=Options(**chosen), **kwargs)

    decorated: Callable[..., Any] = with_options
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Store given values; missing ones keep those of a group."""
    kept = context.meta.setdefault(_KEPT, {})
    source = context.get_parameter_source(str(parameter.name))
    by_hand = source is click.core.ParameterSource.COMMANDLINE
    if value and (by_hand or parameter.name not in kept):
        kept[parameter.name] = value
    return value


def _option(*names: str, **how: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(*names, expose_value=False, callback=_keep, **how)


_OPTIONS = (
    _option(
        "--vault",
        type=_PATH,
        metavar="NAME|PATH",
        help="The vault to work on: a name from the settings, or a path.",
    ),
    _option(
        "--config",
        type=_PATH,
        envvar="LACUNA_CONFIG",
        show_envvar=True,
        help="The settings file.  [default: lacuna/config.toml in your configuration folder]",
    ),
    _option("--state", type=_PATH, help="The state folder.  [default: from the settings]"),
    _option("--json", is_flag=True, help="Print one JSON document."),
)


def _split(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    names = (name.strip() for value in values for name in value.split(","))
    return tuple(name for name in names if name)


source_option = click.option(
    "--source",
    "--sources",
    "sources",
    multiple=True,
    callback=_split,
    help="Use only these sources; repeatable, or separated by commas.",
)
