"""Adding folders and files to the library, in the settings file."""

from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from pydantic import Field
from tomlkit import TOMLDocument

from daemon.config import same, settings_in, vaults_of
from daemon.library.library_files import SUFFIXES, is_document
from daemon.model.errors import LacunaError, NotFoundError
from daemon.usecases.document import Document, Request
from daemon.usecases.place import Place, settings_file
from daemon.usecases.settings_file import edit_settings, set_value, vault_table

_FOLDER, _EXTRA = "library.folder", "library.extra"


class AddRequest(Request):
    """What to add to the library."""

    paths: tuple[Path, ...] = Field(min_length=1, description="Folders and files.")


class Added(Document):
    """What was added to the library."""

    added: tuple[str, ...] = Field(description="Absolute paths.")
    config: str = Field(description="Path of the settings file.")


def add(place: Place, request: AddRequest) -> Added:
    """Add folders or files to the library; they stay where they are.

    Raises LacunaError for a path that does not exist or cannot be read, SettingsError.
    """
    wanted = [path.expanduser().absolute() for path in request.paths]
    for path in wanted:
        _require_readable(path)

    def edit(document: TOMLDocument) -> None:
        target: MutableMapping[str, Any] = document
        if place.vault is not None and str(place.vault) in vaults_of(place.config):
            target = vault_table(document, str(place.vault))
        for path in wanted:
            _put(target, path)

    config = settings_file(place)
    edit_settings(config, edit)
    return Added(added=tuple(map(str, wanted)), config=str(config))


def _put(target: MutableMapping[str, Any], path: Path) -> None:
    """Add a path to the library, the first folder as `library.folder`."""
    values = settings_in(target)
    own, more = values.get(_FOLDER), list(values.get(_EXTRA, ()))
    if any(same(path, other) for other in (own, *more) if other):
        return
    if own is None and path.is_dir():
        set_value(target, _FOLDER, str(path))
    else:
        set_value(target, _EXTRA, [*map(str, more), str(path)])


def _require_readable(path: Path) -> None:
    """Raise LacunaError for a path that does not exist, or is not a readable kind of document."""
    if not path.exists():
        raise NotFoundError(f"{path}: the file or folder does not exist")
    if path.is_file() and not is_document(path):
        kinds = ", ".join(sorted(suffix.lstrip(".") for suffix in SUFFIXES))
        raise LacunaError(f"{path}: this kind of document cannot be read ({kinds})")
