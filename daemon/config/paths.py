"""Paths of the settings, the state and packaged files."""

import os
import re
import unicodedata
from hashlib import sha256
from pathlib import Path

from platformdirs import user_config_path, user_state_path

from daemon.model.errors import StoreError
from daemon.model.sources import CREDIBILITY_FILE


def config_path() -> Path:
    """Return the default path of the settings file."""
    return user_config_path("lacuna") / "config.toml"


def sources_path(config: Path | None) -> Path:
    """Return the path of the user's sources.yaml, next to the settings file."""
    return (config or config_path()).with_name("sources.yaml")


def credibility_path(config: Path | None) -> Path:
    """Return the path of the user's credibility.toml, next to the settings file."""
    return (config or config_path()).with_name(CREDIBILITY_FILE)


def state_root() -> Path:
    """The folder that holds one state folder per vault."""
    return user_state_path("lacuna")


def state_folder(vault: Path) -> Path:
    """Return the state folder of a vault: named after the vault, distinguished by its real path.

    So a vault has one state and one writer, no matter which link leads to it.
    """
    real = vault.resolve()
    plain = unicodedata.normalize("NFKD", real.name).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "vault"
    return state_root() / f"{name}-{sha256(os.fsencode(real)).hexdigest()[:8]}"


def own_folder(state: Path, vault: Path) -> Path:
    """Return `state`.

    Raises StoreError for a state folder that is none, or that the vault shares a place with.
    """
    if state.exists() and not state.is_dir():
        raise StoreError(f"{state} is a file: state is kept in a folder")
    here, notes = state.resolve(), vault.resolve()
    if here.is_relative_to(notes):
        raise StoreError(f"{state} is in the vault {vault}: state is kept outside of it")
    if notes.is_relative_to(here):
        raise StoreError(f"the vault {vault} is in {state}: state is kept in a folder of its own")
    return state


def packaged(name: str) -> Path:
    """Return the path of a packaged folder: in the package, or in a checkout."""
    here = Path(__file__).parent.parent
    inside = here / "samples" / name
    return inside if inside.is_dir() else here.parent / name
