"""Remove the service of a vault, and optionally its state. The vault stays as it is."""

from pathlib import Path

from pydantic import Field

from daemon.config import state_folder, state_root
from daemon.keys import open_keys
from daemon.model.errors import LacunaError
from daemon.service import service_of
from daemon.store.wipe import wipe
from daemon.usecases.document import Document, Request
from daemon.usecases.place import Place, name_of, settings_file, settings_of, state_of


class RemovalRequest(Request):
    """What to remove besides the service."""

    delete_state: bool = Field(default=False, description="Delete index, runs and decisions, too.")


class Removal(Document):
    """What was removed, and what is left."""

    service: bool = Field(description="Whether there was a service.")
    state_deleted: bool = Field(description="Whether the state was deleted.")
    state: str = Field(description="Path of the state folder.")
    left: tuple[str, ...] = Field(description="Files in it that Lacuna did not write.")
    config: str = Field(description="Path of the settings file, which stays.")
    keys: tuple[str, ...] = Field(description="Names of the keys that are still stored.")
    vault: str = Field(description="Path of the vault, which stays as it is.")


def remove(place: Place, request: RemovalRequest) -> Removal:
    """Stop and remove the service, and optionally delete the state."""
    name, state, vault = name_of(place), state_of(place), settings_of(place).vault or Path()
    was_there = service_of(name).uninstall()
    is_whole = state == state_folder(vault) and state.parent == state_root()
    left = wipe(state, whole=is_whole) if request.delete_state else []
    return Removal(
        service=was_there,
        state_deleted=request.delete_state,
        state=str(state),
        left=tuple(left),
        config=str(settings_file(place)),
        keys=_remaining(place),
        vault=str(vault),
    )


def _remaining(place: Place) -> tuple[str, ...]:
    """Return the names of keys in the keyring, or in the key file."""
    try:
        keys = open_keys(place.config)
    except LacunaError:  # invalid settings name no keys
        return ()
    return tuple(name for name in keys.names if keys.secrets.where(name) == keys.place)
