"""Remove the service and the state, and leave the vault as it is."""

import sys
from pathlib import Path

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.model.errors import LacunaError
from daemon.usecases.place import state_of
from daemon.usecases.removal import Removal, RemovalRequest, remove


@click.command()
@click.option("--delete-state", is_flag=True, help="Also delete index, runs and decisions.")
@click.option("--yes", is_flag=True, help="Do not prompt.")
@common
def uninstall(options: Options, *, delete_state: bool, yes: bool) -> None:
    """Stop and remove the service. The vault stays as it is, byte for byte.

    The state stays unless --delete-state is given. Settings and keys stay; prints where they
    are.
    """
    if delete_state and not yes:
        _confirm(state_of(options))
    found = remove(options, RemovalRequest(delete_state=delete_state))
    if options.json:
        emit(found.as_json())
        return
    say("The service is stopped and removed." if found.service else "There was no service.")
    say(f"{found.vault}: unchanged, with all findings in it")
    _show_state(found)
    config = Path(found.config)
    if config.is_file():
        say(f"{config.parent}: settings, unchanged")
    for name in found.keys:
        say(f"The key {name} is still stored: `lacuna secrets delete {name}`")
    say("To remove the program itself: `pipx uninstall lacuna-daemon`.")


def _confirm(state: Path) -> None:
    """Ask before anything is deleted. Raises LacunaError if there is no terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise LacunaError(f"nothing was done: add --yes to delete {state}")
    question = f"Delete {state}, with all findings' records and decisions? The vault's notes stay."
    click.confirm(question, abort=True, err=True)


def _show_state(found: Removal) -> None:
    if not found.state_deleted:
        say(f"{found.state}: unchanged; --delete-state deletes it")
    elif found.left:
        say(f"{found.state}: deleted, except {', '.join(found.left)}, which Lacuna did not write")
    else:
        say(f"{found.state}: deleted")
