"""What is done once in a process that runs this program and nothing else."""

from contextlib import suppress
from typing import TYPE_CHECKING

from daemon.child_environment import hold_keys

if TYPE_CHECKING:  # `lacuna --help` does without
    from daemon.config import Settings

_done: list[str] = []  # "begun", then "confined"; both hold for good


def begin() -> None:
    """Hold keys in memory. From now on commands may confine this process."""
    hold_keys()
    _done.append("begun")


def confine_command(settings: "Settings", *, makes_notes: bool) -> None:
    """Confine a command as the daemon is: to the inbox, the state and what the settings allow.

    A command that `makes_notes` gets an inbox to write into. Where the kernel cannot confine, the
    command goes on as it is; `lacuna doctor` says so. Raises SettingsError.
    """
    if "begun" not in _done or "confined" in _done or not settings.confinement.enabled:
        return
    if settings.vault is None or not settings.vault.is_dir():
        return  # opening it says what is wrong
    from daemon.cli.run import prepare_folders  # noqa: PLC0415 only commands that open a vault
    from daemon.confinement.confine import confine  # noqa: PLC0415 as above

    places = prepare_folders(settings, makes_inbox=makes_notes)
    if places is not None:
        with suppress(OSError):
            confine(places)
            _done.append("confined")
