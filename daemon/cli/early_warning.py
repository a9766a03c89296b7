"""A suspended daemon is reported before the command is loaded, which takes most of its time."""

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

import click

from daemon.cli.options import Options, common
from daemon.model.errors import LacunaError
from daemon.usecases.state_places import recall
from daemon.usecases.stopped import stopped_daemon

_shown: list[str] = []


def warn_of_stopped_daemon(arguments: Sequence[str]) -> None:
    """Warn on stderr when the daemon that these arguments mean is suspended.

    The place of its state is known once it, or a command, was started with the same options.
    """
    with suppress(click.ClickException, LacunaError, OSError):
        options = cast(Options, _options_of(arguments))
        chosen = (options.vault, options.config, options.state)
        state = recall(*chosen, os.environ, is_current=False)
        if state is not None and (trouble := stopped_daemon(state)):
            _shown.append(trouble)
            click.echo(f"lacuna: {trouble}", err=True)


def _options_of(arguments: Sequence[str]) -> object:
    """Return the common options; completing words of a command line is up to the command."""
    return _common.main(list(arguments), standalone_mode=False, complete_var="")


def was_shown(message: str) -> bool:
    """Return whether the user has read this already."""
    return message in _shown


@click.command(
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
@common
def _common(options: Options) -> Options:
    return options
