"""Editing the user's settings file: comments and everything else in it stay."""

import os
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from daemon.config import PATH, VAULTS, check_settings, new_name, same
from daemon.model.errors import LacunaError, SettingsError
from daemon.usecases.old_names import replace_old_names, section_in

_FIRST_LINES = (
    "# Lacuna's settings. `docs/settings.md` lists them all; the others have their defaults.\n"
)


def edit_settings(path: Path, edit: Callable[[tomlkit.TOMLDocument], None]) -> None:
    """Change the settings file with `edit`, or create it; it is replaced atomically.

    An invalid result is not written. Raises SettingsError, LacunaError.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig") if path.is_file() else _FIRST_LINES
        document = tomlkit.parse(text)
        edit(document)
        write_settings(path, text, tomlkit.dumps(document))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None
    except OSError as error:
        raise LacunaError(f"{path}: {error.strerror}") from None


def write_settings(path: Path, before: str, text: str) -> None:
    """Replace the settings file, with the line endings of `before`, unless the text is invalid.

    Raises SettingsError, OSError.
    """
    edited = _with_line_ends_of(before, text)
    check_settings(edited, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path.resolve(), edited.encode())  # a link, as dotfiles are kept, stays one


def _with_line_ends_of(text: str, edited: str) -> str:
    """Return the new lines, with Windows line endings if the others have them."""
    if "\r\n" in text and text.count("\r\n") == text.count("\n"):
        return edited.replace("\r\n", "\n").replace("\n", "\r\n")
    return edited


def replace_file(target: Path, data: bytes) -> None:
    """Write the file whole or not at all; who may read it stays as it was."""
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            if target.exists():
                draft.chmod(target.stat().st_mode & 0o777)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def put_vault(
    document: tomlkit.TOMLDocument, values: Mapping[str, Any], folder: Path
) -> str | None:
    """Put a vault, and what was said for it, in a settings file; return its name if it has one.

    The first vault of a file stands among the plain settings, and is the one that is meant when
    none is named. Another one gets a table of its own, named after its folder. One that is there
    by another way of writing its path (`~`, a link, from the file's `folder` on) is no other.
    """

    def is_it(written: object) -> bool:
        text = str(written)
        return same(text if text.startswith("~") else folder / text, vault)

    vault = Path(values["vault"])
    tables: Mapping[str, Any] = document.get(VAULTS, {})
    there = [name for name, table in tables.items() if PATH in table and is_it(table[PATH])]
    named = document.get("vault")
    if not there and ((named is None and not tables) or (named is not None and is_it(named))):
        for key, value in values.items():
            if key != "vault" or not named:
                set_value(document, key, value)
        return None
    name = there[0] if there else new_name(tables, vault)
    table = vault_table(document, name)
    if not there:
        table[PATH] = str(vault)
    for key, value in values.items():
        if key != "vault":
            set_value(table, key, value)
    return name


def set_value(target: MutableMapping[str, Any], key: str, value: Any) -> None:
    """Set a setting by its name in the document, or in the table of a vault; None removes it.

    Replaces an old name of the setting, and one that its section cannot stand beside.
    """
    section, _, name = key.rpartition(".")
    replace_old_names(target, key)
    if value is None:
        table = target.get(section, {}) if section else target
        table.pop(name, None)
        if section and section in target and not table:
            del target[section]
    else:
        (section_in(target, section) if section else target)[name] = value


def vault_table(document: tomlkit.TOMLDocument, name: str) -> MutableMapping[str, Any]:
    """Return the table of one vault, which is begun when there is none."""
    if VAULTS not in document:
        document[VAULTS] = tomlkit.table(is_super_table=True)
    vaults = document[VAULTS]
    if not isinstance(vaults, MutableMapping):
        raise SettingsError(f"{VAULTS} must be tables such as [{VAULTS}.{name}]")
    if name not in vaults:
        vaults[name] = tomlkit.table()
    found: MutableMapping[str, Any] = vaults[name]
    return found
