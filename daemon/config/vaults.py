"""Several vaults in one file: `[vaults.NAME]` contains a `path`, and that vault's own settings.

Settings missing in a table come from the plain settings above it, or are the default.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from daemon.config.error_text import unknown_setting
from daemon.config.renamed import Renamed, current, with_new_names
from daemon.config.setting_names import KEYS
from daemon.model.errors import SettingsError

VAULTS = "vaults"
PATH = "path"  # the key for `vault` in a vault's table
_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")

Tables = Mapping[str, Mapping[str, Any]]


def read_tables(value: object, place: Path) -> tuple[dict[str, dict[str, Any]], list[Renamed]]:
    """Return name → settings of each table, its path as `vault`, and the old names in them.

    Raises SettingsError.
    """
    if not isinstance(value, dict):
        raise SettingsError(f'{place}: {VAULTS} must be tables such as [vaults.work], path = "…"')
    read = {str(name): _table(str(name), table, place) for name, table in value.items()}
    renamed = [each for _, found in read.values() for each in found]
    return {name: values for name, (values, _) in read.items()}, renamed


def find(tables: Tables, vault: object) -> str | None:
    """Return the name of the table with this name, or whose vault is at this path."""
    if str(vault) in tables:
        return str(vault)
    return next((name for name, table in tables.items() if same(vault, table["vault"])), None)


def plain_name(tables: Tables, vault: object) -> str:
    """Return the name of the vault among the plain settings: its folder, as `new_name`."""
    return new_name(tables, Path(str(vault)))


def same(one: object, other: object) -> bool:
    """Return whether two paths, as written, are the same folder."""
    return _real(one) == _real(other)


def require_vault(names: Sequence[str], vault: object, place: Path) -> None:
    """Raise SettingsError if `vault` is neither a folder nor looks like one: a mistyped name.

    `names` are those of the file's vaults.
    """
    text = str(vault)
    if names and _NAME.fullmatch(text) and not Path(text).exists():
        near = get_close_matches(text, names, n=1)
        there = f"there are {in_words(names)}" if len(names) > 1 else f"there is {names[0]}"
        hint = f"did you mean {near[0]}?" if near else there
        raise SettingsError(f"no vault is named {text} in {place}: {hint}")


def several_vaults(tables: Tables, place: Path) -> SettingsError:
    """Return the message that one of several vaults must be named."""
    return SettingsError(
        f"{place} has several vaults, {in_words(tables)}: say which with --vault NAME"
    )


def in_words(names: Iterable[str]) -> str:
    """Format `home, work and club`."""
    *most, last = names
    if not most:
        return last
    return f"{', '.join(most)} and {last}" if most else last


def new_name(tables: Mapping[str, object], vault: Path) -> str:
    """Return a name for a vault's table: the folder's, as typable text, and not taken."""
    letters = unicodedata.normalize("NFKD", vault.name).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^a-z0-9]+", "-", letters.lower()).strip("-")[:50] or "vault"
    taken = (f"{plain}-{number}" for number in range(2, len(tables) + 3))
    return next(name for name in (plain, *taken) if name not in tables)


def split_key(key: str) -> tuple[str, str] | None:
    """Return table and setting of `vaults.NAME.key`, or None for any other key.

    Raises SettingsError for an invalid key with this prefix.
    """
    if key != VAULTS and not key.startswith(f"{VAULTS}."):
        return None
    _, _, rest = key.partition(".")
    name, _, setting = rest.partition(".")
    if not setting or not _NAME.fullmatch(name):
        raise SettingsError(f"{key}: a vault's settings are named {VAULTS}.NAME.key")
    setting = current(setting)
    if setting != PATH and (setting == "vault" or setting not in KEYS):
        raise SettingsError(_unknown(name, setting))
    return name, setting


def _table(name: str, table: object, place: Path) -> tuple[dict[str, Any], list[Renamed]]:
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"{place}: {VAULTS}.{name}: a name may contain letters, digits, - and _"
        )
    if not isinstance(table, dict):
        raise SettingsError(
            f'{place}: {VAULTS}.{name} must be a table: [vaults.{name}], then path = "…"'
        )
    values, renamed = with_new_names(table, f"{VAULTS}.{name}.")
    for key in values:
        if key != PATH and (key == "vault" or key not in KEYS):
            raise SettingsError(f"{place}: {_unknown(name, str(key), values[key])}")
    if PATH not in values:
        raise SettingsError(f"{place}: {VAULTS}.{name} has no path, the folder of its notes")
    if not isinstance(values[PATH], str) or not values[PATH].strip():
        raise SettingsError(
            f"{place}: {VAULTS}.{name}.{PATH} = {values[PATH]!r}: must be a path in quotes"
        )
    return {"vault" if key == PATH else str(key): each for key, each in values.items()}, renamed


def _unknown(name: str, key: str, value: object = None) -> str:
    """Return that a vault's table has no such setting, and which one may have been meant."""
    begin = f"{VAULTS}.{name}."
    if key in ("vault", "folder") or get_close_matches(key, [PATH], n=1, cutoff=0.7):
        return f"unknown setting {begin}{key}; did you mean {begin}{PATH}?"
    return unknown_setting(key, begin, value)


def _real(path: object) -> Path:
    try:
        return Path(str(path)).expanduser().resolve()
    except RuntimeError:  # the home of an unknown user
        return Path(str(path)).resolve()
