"""The vault of a request: as a name or a path, with the settings file and state folder."""

from pathlib import Path
from typing import Any, Protocol

from daemon.config import (
    Settings,
    config_path,
    load_settings,
    own_folder,
    state_folder,
    vault_names,
)
from daemon.model.errors import SettingsError
from vault_adapters.obsidian_registry import known_vaults


class Place(Protocol):
    """The common options of a command line; None is the default of each."""

    @property
    def vault(self) -> Path | None:
        """A name from the settings, or a path."""

    @property
    def config(self) -> Path | None:
        """The settings file."""

    @property
    def state(self) -> Path | None:
        """The state folder."""


def settings_of(place: Place, **flags: Any) -> Settings:
    """Read the settings of a vault; `flags` override them. Raises SettingsError."""
    given = {"vault": place.vault, "state": place.state, **flags}
    return load_settings(place.config, flags=given)


def has_hub(place: Place) -> bool:
    """Return whether the settings name a hub. Raises SettingsError."""
    return bool(settings_of(place).hub.url)


def has_vault(place: Place) -> bool:
    """Return whether a vault is configured or given. Raises SettingsError."""
    return settings_of(place).vault is not None


def state_of(place: Place) -> Path:
    """Return the state folder of a vault. Raises SettingsError, StoreError."""
    return state_in(settings_of(place))


def state_in(settings: Settings) -> Path:
    """Return the state folder that settings name. Raises SettingsError, StoreError."""
    if settings.vault is None:
        raise SettingsError("no vault is configured: run `lacuna init VAULT`, or give --vault")
    return own_folder(settings.state or state_folder(settings.vault), settings.vault)


def name_of(place: Place) -> str:
    """Return the name that a vault's state folder and service have. Raises SettingsError."""
    settings = settings_of(place)
    if settings.vault is None:
        raise SettingsError("no vault is configured: run `lacuna init VAULT`, or give --vault")
    return state_folder(settings.vault).name


def every_vault(place: Place) -> list[str]:
    """Return the names of all vaults in the settings. Raises SettingsError when there is none."""
    names = vault_names(place.config)
    if not names:
        raise SettingsError("no vault is configured: run `lacuna init VAULT`")
    return names


def settings_file(place: Place) -> Path:
    """Return the absolute path of the settings file, which may not exist."""
    return (place.config or config_path()).absolute()


def vaults_of_obsidian() -> list[Path]:
    """Return the vaults that Obsidian knows, most recently used first."""
    return known_vaults(Path.home())
