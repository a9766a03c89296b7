"""Start the daemon: confine the process, then load and run the rest."""

import os
from typing import TYPE_CHECKING

from daemon.config import Settings
from daemon.confinement import landlock
from daemon.confinement.guard import guard, is_supervised
from daemon.usecases.confining import confine_daemon, prepare_folders
from daemon.usecases.place import Place, settings_of, state_in
from daemon.usecases.state_places import remember

if TYPE_CHECKING:  # loaded once the process has confined itself
    from daemon.host.serving import Log


def prepare_only(place: Place, log: "Log") -> None:
    """Create the folders that the daemon writes to. Raises SettingsError, StoreError."""
    prepare_folders(_settings(place, log))


def start(place: Place, log: "Log") -> None:
    """Run the daemon of a vault until it is stopped.

    Confines this process first: a thread that an import has started would stay unconfined. Raises
    SettingsError, VaultError, StoreError, SourceError.
    """
    settings = _settings(place, log)
    if (
        settings.confinement.enabled
        and landlock.version() >= landlock.MIN_VERSION
        and not is_supervised()
    ):
        guard()
        settings = _settings(place, log)  # which may differ when the guard restarts it
    # For commands beside it; a confined process cannot write this.
    remember(state_in(settings), place.vault, place.config, place.state, os.environ)
    confinement = confine_daemon(settings)
    from daemon.host.serving import serve  # noqa: PLC0415 after the process has confined itself

    serve(place, confinement, log)


def _settings(place: Place, log: "Log") -> Settings:
    settings = settings_of(place)
    log(settings.log.level, settings.log.format)
    return settings
