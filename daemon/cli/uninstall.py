"""Going away again, and leaving the vault as it is."""

import sys
from pathlib import Path

import click

from daemon.cli.options import Options, common
from daemon.cli.output import emit, say
from daemon.config import config_path, own_folder, state_folder, state_root
from daemon.keys import open_keys
from daemon.model.errors import LacunaError, SettingsError
from daemon.service import service_of
from daemon.store.wipe import wipe
from daemon.usecases.place import settings_of


@click.command()
@click.option("--delete-state", is_flag=True, help="Delete index, runs and decisions, too.")
@click.option("--yes", is_flag=True, help="Do not ask before that.")
@common
def uninstall(options: Options, *, delete_state: bool, yes: bool) -> None:
    """Stop and remove the service of a vault. The vault stays as it is, byte for byte.

    The state stays, too, unless --delete-state is given. Settings and keys always stay; it is told
    where they are.
    """
    settings = settings_of(options)
    if settings.vault is None:
        raise SettingsError("no vault is set: run `lacuna init VAULT`, or give --vault")
    usual = state_folder(settings.vault)
    state = own_folder(settings.state or usual, settings.vault)
    if delete_state and not yes:
        _confirm(state)
    was_there = service_of(usual.name).uninstall()
    is_whole = state == usual and state.parent == state_root()
    left = wipe(state, whole=is_whole) if delete_state else []
    config = (options.config or config_path()).absolute()
    kept = _kept(options)
    if options.json:
        document = {"service": was_there, "state_deleted": delete_state, "state": str(state)}
        emit({**document, "left": left, "config": str(config), "keys": kept})
        return
    say("The service is stopped and removed." if was_there else "There was no service.")
    say(f"{settings.vault}: left as it is, with all findings in it")
    _tell_state(state, deleted=delete_state, left=left)
    if config.is_file():
        say(f"{config.parent}: settings, left as they are")
    for name in kept:
        say(f"The key {name} is still kept: `lacuna secrets delete {name}`")
    say("The program itself goes with `pipx uninstall lacuna-daemon`.")


def _confirm(state: Path) -> None:
    """Ask before anything is deleted. Raises LacunaError where nobody can be asked."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise LacunaError(f"nothing was done: say --yes, too, to have {state} deleted")
    question = f"Delete {state}, with what was found and decided? The vault's notes stay."
    click.confirm(question, abort=True, err=True)


def _kept(options: Options) -> list[str]:
    """The names of keys that the keyring, or the file of keys, holds."""
    try:
        keys = open_keys(options.config)
    except LacunaError:  # of settings that are wrong no key can be told
        return []
    return [name for name in keys.names if keys.secrets.where(name) == keys.place]


def _tell_state(state: Path, *, deleted: bool, left: list[str]) -> None:
    if not deleted:
        say(f"{state}: left as it is; --delete-state deletes it")
    elif left:
        say(f"{state}: deleted but for {', '.join(left)}, which Lacuna did not write")
    else:
        say(f"{state}: deleted")
