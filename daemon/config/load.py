"""Settings from a file, the environment and flags, read into one typed object."""

import logging
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from daemon.config.error_text import (
    error_line,
    renamed_variables,
    unknown_in_table,
    unknown_setting,
    unknown_variables,
)
from daemon.config.file import parse_file, read_file
from daemon.config.paths import config_path
from daemon.config.renamed import RENAMED
from daemon.config.setting_names import (
    ENVIRONMENT_PREFIX,
    KEYS,
    settings_from,
    value_of,
    variable,
)
from daemon.config.table import Settings
from daemon.config.vaults import (
    PATH,
    VAULTS,
    Tables,
    find,
    plain_name,
    require_vault,
    same,
    several_vaults,
)
from daemon.model.errors import SettingsError

_log = logging.getLogger(__name__)
_USER = re.compile(r"//[^/@\s]*@")  # of an address: it may contain a password, and this is logged


@dataclass(frozen=True, slots=True)
class _Gathered:
    """Key → value, and key → its origin; `table` is the vault's own table for some of them."""

    values: dict[str, Any]
    origin: dict[str, str]
    table: str | None = None


def load_settings(
    path: Path | None,
    *,
    environ: Mapping[str, str] = os.environ,
    flags: Mapping[str, Any] | None = None,
    must_exist: bool = True,
    needs_vault: bool = True,
) -> Settings:
    """Read settings from `path` (or the default one), the environment and flags; later ones win.

    A named file that does not exist is an error unless `must_exist` is false; the default one may
    be missing. `vault` may be the name of one of the file's tables of vaults, or its path; that
    table overrides the plain settings. With several tables and no vault named, `needs_vault` makes
    that an error. Raises SettingsError with the key and its origin. A `state` in the file applies
    only to the vault next to it.
    """
    for odd in unknown_variables(environ):
        _log.warning("no setting is named %s", odd)
    for old, new in renamed_variables(environ):
        _log.warning("environment variable %s is now called %s", old, new)
    source = path or config_path()
    if path is not None and must_exist and not path.is_file():
        raise SettingsError(f"{path}: the settings file does not exist")
    values, tables = read_file(source)
    found = _gathered(source, values, tables, environ, flags or {})
    if needs_vault and found.table is None and "vault" not in found.values and tables:
        raise several_vaults(tables, source)
    return _validated(found, source)


def explain_settings(
    path: Path | None, *, environ: Mapping[str, str] = os.environ, vault: object = None
) -> dict[str, tuple[Any, str]]:
    """Return every setting's value and its origin: a file, the environment or "default".

    `vault` is a name or a path, as for `load_settings`; without it, and with several in the file,
    these are the plain ones. The whole file is checked. Raises SettingsError.
    """
    source = path or config_path()
    values, tables = read_file(source)
    for name in tables:
        _validated(_gathered(source, values, tables, {}, {"vault": name}), source)
    found = _gathered(source, values, tables, environ, {"vault": vault})
    settings = _validated(found, source)
    return {key: (value_of(settings, key), found.origin.get(key, "default")) for key in KEYS}


def vaults_of(path: Path | None) -> dict[str, Path]:
    """Return name → path of the vaults that have a table in the settings file."""
    _, tables = read_file(path or config_path())
    return {name: Path(str(table["vault"])).expanduser() for name, table in tables.items()}


def vault_names(path: Path | None) -> list[str]:
    """Return the values of `--vault` for each vault in the settings file, the plain one first."""
    values, tables = read_file(path or config_path())
    return _names(values, tables)


def vault_paths(path: Path | None) -> dict[str, Path]:
    """Return name → path of every vault in the settings file, the plain one first."""
    values, tables = read_file(path or config_path())
    plain = {name: values["vault"] for name in _names(values, tables) if name not in tables}
    every = {**plain, **{name: table["vault"] for name, table in tables.items()}}
    return {name: Path(str(vault)).expanduser() for name, vault in every.items()}


def _names(file: Mapping[str, Any], tables: Tables) -> list[str]:
    """Name the vaults of a file: the plain one, unless it has a table, then the others."""
    plain = file.get("vault")
    has_own = isinstance(plain, str) and find(tables, plain) is None
    return [*([plain_name(tables, plain)] if has_own else []), *tables]


def check_settings(text: str, place: Path) -> None:
    """Raise SettingsError, naming `place`, if a settings file with this text would be invalid."""
    values, tables, _ = parse_file(text, place)
    _validated(_Gathered(values, dict.fromkeys(values, str(place))), place)
    for name in tables:
        _validated(_gathered(place, values, tables, {}, {"vault": name}), place)


def _gathered(
    source: Path,
    file: Mapping[str, Any],
    tables: Tables,
    environ: Mapping[str, str],
    flags: Mapping[str, Any],
) -> _Gathered:
    """Merge the file, the vault's table in it, the environment and flags, in this order."""
    values = dict(file)
    origin = dict.fromkeys(values, str(source))
    for key, value, variable_name in _from_environment(environ):
        values[key] = value
        origin[key] = f"environment variable {variable_name}"
    for key, value in flags.items():
        if value is not None:
            values[key] = value
            origin[key] = f"option --{_option(key)}"
    wanted = _path_of(values.get("vault"), file, tables)
    values |= {"vault": wanted} if wanted is not None else {}
    only = next(iter(tables)) if len(tables) == 1 else None
    name = find(tables, wanted) if wanted is not None else only
    if origin.get("state") == str(source) and (
        name is not None or not same(wanted, file.get("vault", ""))
    ):
        del values["state"], origin["state"]  # it is the state of the file's vault only
    if name is None:
        if wanted is not None:
            require_vault(_names(file, tables) if tables else (), wanted, source)
        return _Gathered(values, origin)
    place = table_place(source, name)
    for key, value in tables[name].items():
        if key == "vault" or origin.get(key) in (None, str(source)):
            values[key], origin[key] = value, place
    return _Gathered(values, origin, name)


def _path_of(vault: Any, file: Mapping[str, Any], tables: Tables) -> Any:
    """Return the path of the file's plain vault if its name is `wanted`, else `wanted`."""
    is_name = vault is not None and str(vault) in _names(file, tables)
    if not is_name or str(vault) in tables or Path(str(vault)).is_dir():
        return vault
    return file["vault"]


def table_place(source: Path, name: str) -> str:
    """Return where the settings of one vault's table are."""
    return f"{source} [{VAULTS}.{name}]"


def _option(key: str) -> str:
    """Name the option of a setting: `--inbox` for `inbox.folder`, else the key's last part."""
    return key.removesuffix(".folder").rpartition(".")[2].replace("_", "-")


def _validated(found: _Gathered, source: Path) -> Settings:
    for key, value in found.values.items():
        if key not in KEYS:
            raise SettingsError(f"{found.origin[key]}: {unknown_setting(key, value=value)}")
    try:
        return settings_from(found.values)
    except ValidationError as error:
        raise SettingsError(_invalid(found, error.errors()[0], source)) from None


def _invalid(found: _Gathered, error: ErrorDetails, source: Path) -> str:
    """Return an error that names the invalid setting, its file and the valid values."""
    path = error["loc"]
    if not path:  # of several settings together
        return f"{source}: {error_line(error)}"
    depth = 1 if str(path[0]) in KEYS else 2
    key = ".".join(map(str, path[:depth]))
    shown, value = _within(key, found.values.get(key), path[depth:])
    place = found.origin.get(key, str(source))
    if found.table is not None and place == table_place(source, found.table):
        shown = f"{VAULTS}.{found.table}.{PATH if key == 'vault' else shown}"
        place = str(source)
    if error["type"] == "extra_forbidden":
        return f"{place}: {unknown_in_table(shown)}"
    # A token may be among a hook's arguments; the message names what is wrong with them.
    assigned = "" if key.startswith("hooks.") else f" = {_USER.sub('//…@', repr(value))}"
    return f"{place}: {shown}{assigned}: {error_line(error)}"


def _within(key: str, value: object, path: tuple[int | str, ...]) -> tuple[str, object]:
    """Go down into tables, to the key of a table that is wrong: its whole name, and its value."""
    for part in path:
        if not (isinstance(value, Mapping) and part in value):
            break
        key, value = f"{key}.{part}", value[part]
    return key, value


def _from_environment(environ: Mapping[str, str]) -> Iterator[tuple[str, Any, str]]:
    """Yield key, value and variable; a new name comes after an old one, so that it wins."""
    old = [(name.upper(), key) for name, key in RENAMED.items()]
    names = [(ENVIRONMENT_PREFIX + name, key) for name, key in old]
    for name, key in [*names, *((variable(key), key) for key in KEYS)]:
        text = environ.get(name)
        if not text:  # set to nothing, as scripts do to take a setting back
            continue
        annotation = str(KEYS[key].annotation)
        if annotation.startswith(("dict", "tuple[tuple")):
            raise SettingsError(
                f"environment variable {name}: tables are set in the settings file only"
            )
        is_list = annotation.startswith("tuple")
        yield key, _parts(text) if is_list else text, name


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
