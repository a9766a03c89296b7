"""The settings file: its text, read into settings by name."""

import logging
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from daemon.config.renamed import Renamed, with_new_names
from daemon.config.setting_names import PATHS, SECTIONS
from daemon.config.vaults import VAULTS, read_tables
from daemon.model.errors import SettingsError

_log = logging.getLogger(__name__)
_reported: set[str] = set()  # a process reads its settings more than once, and warns once

Values = dict[str, Any]


def read_file(path: Path) -> tuple[Values, dict[str, Values]]:
    """Return the plain settings in a file, and those of each vault's table; none without a file.

    Logs a warning, once per process, for old names in it. Raises SettingsError.
    """
    if not path.is_file():
        return {}, {}
    values, tables, renamed = parse_file(read_text(path), path)
    for line in renamed_lines(renamed, path):
        if line not in _reported:
            _reported.add(line)
            _log.warning("%s", line)
    return values, tables


def read_text(path: Path) -> str:
    """Return the text of a settings file. Raises SettingsError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None


def parse_file(text: str, path: Path) -> tuple[Values, dict[str, Values], list[Renamed]]:
    """Return the plain settings, those of each vault's table, and the old names they use.

    Relative paths start at the file's folder. Raises SettingsError.
    """
    folder = path.absolute().parent
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not valid TOML: {error}{_twice(text)}") from None
    if isinstance(document.get("vault"), dict):
        raise SettingsError(f"{path}: `vault` takes one folder; for several, use [{VAULTS}.NAME]")
    tables, renamed = read_tables(document.pop(VAULTS, {}), path)
    values, plain_renamed = with_new_names(document)
    plain = _placed(folder, values)
    if isinstance(values.get("vault"), str) and values["vault"] in tables:
        plain["vault"] = values["vault"]  # a name: the vault that is meant when none is named
    placed = {name: _placed(folder, table) for name, table in tables.items()}
    return plain, placed, [*plain_renamed, *renamed]


def renamed_lines(renamed: Sequence[Renamed], path: Path) -> list[str]:
    """Return which old names a file uses, in one line, and which of them it also sets by their new
    names.
    """
    if not renamed:
        return []
    names = ", ".join(f"{each.old} is now {each.new}" for each in renamed)
    lines = [f"{path} uses old names: {names}. Update the file: `lacuna config migrate`"]
    return lines + [
        f"{path}: {each.old} is ignored, because {each.new} is set, too"
        for each in renamed
        if each.is_ignored
    ]


def _twice(text: str) -> str:
    """Explain a file that has both an old setting and the section of the same name."""
    for name in SECTIONS:
        old = re.search(rf"^\s*{name}\s*=", text, re.MULTILINE)
        if old and re.search(rf"^\s*(?:\[{name}\]|{name}\.)", text, re.MULTILINE):
            return f"; {name} is a section now: move `{name} = …` into [{name}]"
    return ""


def _placed(folder: Path, values: Mapping[str, Any]) -> Values:
    return {key: _beside(folder, value) if key in PATHS else value for key, value in values.items()}


def _beside(folder: Path, value: object) -> object:
    if isinstance(value, list):
        return [_beside(folder, each) for each in value]
    is_relative = isinstance(value, str) and value.strip() and not value.startswith("~")
    return str(folder / str(value)) if is_relative else value
