"""Open a vault for the use cases that a face calls."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from daemon.app import App
from daemon.composition import open_app, open_reader
from daemon.usecases.confining import confine_command
from daemon.usecases.place import Place, settings_file, settings_of, state_in
from daemon.usecases.state_places import remember
from daemon.usecases.writer import Refreshed

OpenVault: TypeAlias = App
"""An open vault. A face passes it to use cases and reads nothing from it."""


@contextmanager
def opened(
    place: Place,
    *,
    confined: bool = False,
    makes_notes: bool = False,
    writes_settings: bool = False,
    **flags: Any,
) -> Iterator[OpenVault]:
    """Open the vault of a place, and close it again; `flags` override settings.

    With `confined`, this process can from then on write only to the inbox and the state; with
    `writes_settings` also to the folder of the settings file. Raises SettingsError, VaultError,
    StoreError, SourceError.
    """
    settings = settings_of(place, **flags)
    # A confined process cannot write this.
    remember(state_in(settings), place.vault, place.config, place.state, os.environ)
    if confined:
        also = (settings_file(place).parent,) if writes_settings else ()
        confine_command(settings, makes_notes=makes_notes, also=also)
    app = open_app(settings, config=place.config)
    try:
        yield app
    finally:
        app.close()


@contextmanager
def for_query(app: OpenVault, refreshed: Refreshed) -> Iterator[OpenVault]:
    """Yield the vault for a query; while another process writes, a view that never waits for it."""
    if refreshed.is_done:
        yield app
        return
    with open_reader(app) as reader:
        yield reader
