"""Rewriting a settings file of an older version: new names for its settings."""

import re
import shutil
import tomllib
from collections.abc import MutableMapping
from itertools import count
from pathlib import Path

import tomlkit
from pydantic import Field

from daemon.config import VAULTS, parse_file, read_text
from daemon.model.errors import LacunaError, SettingsError
from daemon.usecases.document import Document
from daemon.usecases.old_names import replace_old_names
from daemon.usecases.place import Place, settings_file
from daemon.usecases.settings_file import write_settings

_BEFORE_SECTION = re.compile(r"(?<=[^\n])(\r?\n)(?=\[[A-Za-z_][\w.-]*\][ \t]*(?:#.*)?\r?$)", re.M)


class RenamedSetting(Document):
    """A setting in the file that had an old name."""

    old: str = Field(description="The old name.")
    new: str = Field(description="The new name.")


class Migrated(Document):
    """A settings file with new names only."""

    config: str = Field(description="Path of the settings file.")
    backup: str | None = Field(description="Path of the file as it was; null: nothing to change.")
    renamed: tuple[RenamedSetting, ...] = Field(
        description="The settings that were renamed; empty: none."
    )


def migrate(place: Place) -> Migrated:
    """Replace old names in the settings file, and keep a copy of the file as it was.

    Comments stay, and so does every value. Raises SettingsError, LacunaError.
    """
    path = settings_file(place)
    if not path.is_file():
        raise SettingsError(f"{path}: no such settings file")
    text = read_text(path)
    *before, renamed = parse_file(text, path)
    if not renamed:
        return Migrated(config=str(path), backup=None, renamed=())
    migrated = _migrated(text)
    *after, _ = parse_file(migrated, path)
    if before != after:
        raise LacunaError(f"{path}: not changed, because a value would be lost. Edit it by hand")
    backup = _backup_of(path)
    try:
        shutil.copy2(path, backup)
        write_settings(path, text, migrated)
    except OSError as error:
        raise LacunaError(f"{path}: {error.strerror}") from None
    names = tuple(RenamedSetting(old=each.old, new=each.new) for each in renamed)
    return Migrated(config=str(path), backup=str(backup), renamed=names)


def _migrated(text: str) -> str:
    document = tomlkit.parse(text)
    replace_old_names(document)
    vaults = document.get(VAULTS, {})
    for table in vaults.values():
        if isinstance(table, MutableMapping):
            replace_old_names(table)
    written = tomlkit.dumps(document)
    spaced = _BEFORE_SECTION.sub(r"\1\1", written)
    return spaced if tomllib.loads(spaced) == tomllib.loads(written) else written


def _backup_of(path: Path) -> Path:
    """Return a path beside a file where nothing is yet."""
    names = (f"{path.name}.old{'' if number == 1 else number}" for number in count(1))
    return next(place for name in names if not (place := path.with_name(name)).exists())
