"""Set up a process that runs only this program."""

from contextlib import suppress
from typing import TYPE_CHECKING

from daemon.child_environment import hold_keys

if TYPE_CHECKING:  # not needed for `lacuna --help`
    from daemon.config import Settings

_done: list[str] = []  # "begun", then "confined"; both are permanent


def begin() -> None:
    """Hold keys in memory. From now on commands may confine this process."""
    hold_keys()
    _done.append("begun")


def confine_command(settings: "Settings", *, makes_notes: bool) -> None:
    """Confine a command like the daemon: to the inbox, the state and what the settings allow.

    A command that `makes_notes` gets an inbox to write into. If the kernel cannot confine, the
    command continues; `lacuna doctor` reports it. Raises SettingsError.
    """
    if "begun" not in _done or "confined" in _done or not settings.confinement.enabled:
        return
    if settings.vault is None or not settings.vault.is_dir():
        return  # opening it reports the error
    from daemon.cli.run import prepare_folders  # noqa: PLC0415 only commands that open a vault
    from daemon.confinement.confine import confine  # noqa: PLC0415 as above

    places = prepare_folders(settings, makes_inbox=makes_notes)
    if places is not None:
        with suppress(OSError):
            confine(places)
            _done.append("confined")
