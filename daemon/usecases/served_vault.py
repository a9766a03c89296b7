"""Open a vault for a server, which leaves the work on it to the daemon or to another process."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

from daemon.model.clock import now
from daemon.model.errors import StoreError
from daemon.store.events import EventLog
from daemon.store.permissions import close_to_others, is_open
from daemon.store.private import make_folder
from daemon.usecases.confining import confine_command
from daemon.usecases.place import Place, settings_file, settings_of, state_in
from daemon.usecases.state_places import remember
from daemon.vault_state import VaultState
from vault_adapters.folder import require_folder

ServedVault: TypeAlias = VaultState
"""A vault that others work on. A face passes it to use cases and reads nothing from it."""


@contextmanager
def served_vault(
    place: Place, *, confined: bool = False, writes_settings: bool = False
) -> Iterator[ServedVault]:
    """Yield what is known of a vault, without its parts: they take 20 MB.

    With `confined`, this process can from then on write only to the inbox and the state; with
    `writes_settings` also to the folder of the settings file. Raises SettingsError, VaultError,
    StoreError.
    """
    settings = settings_of(place)
    state = state_in(settings)
    if settings.vault is not None:
        require_folder(settings.vault)
    try:
        make_folder(state)
    except OSError as error:
        raise StoreError(f"cannot make {state}: {error.strerror}") from None
    if is_open(state):
        close_to_others(state)
    remember(state, place.vault, place.config, place.state, os.environ)
    if confined:
        also = (settings_file(place).parent,) if writes_settings else ()
        confine_command(settings, makes_notes=True, also=also)
    vault = VaultState(settings, state, EventLog(state, (state / "runs").joinpath, now))
    try:
        yield vault
    finally:
        vault.events.close()
