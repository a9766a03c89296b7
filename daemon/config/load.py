"""Settings from a file, the environment and flags, read into one typed object."""

import logging
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from daemon.config.places import config_path
from daemon.config.table import PATHS, Settings
from daemon.config.wording import ENVIRONMENT_PREFIX, in_words, odd_variables, unknown_setting
from daemon.model.errors import SettingsError

_log = logging.getLogger(__name__)


def load_settings(
    path: Path | None,
    *,
    environ: Mapping[str, str] = os.environ,
    flags: Mapping[str, Any] | None = None,
    must_exist: bool = True,
) -> Settings:
    """Read settings from `path` (or the usual place), the environment and flags; later wins.

    A file that was named but is not there is an error unless `must_exist` is false; the usual one
    may be missing. Raises SettingsError with the key and the place it stands in. A `state` in the
    file is that of the file's vault: it does not count when another vault is named.
    """
    for variable in odd_variables(environ):
        _log.warning("no setting is called %s", variable)
    source = path or config_path()
    if path is not None and must_exist and not path.is_file():
        raise SettingsError(f"{path}: no such settings file")
    values, origin = _gathered(source, environ, flags or {})
    return _validated(values, origin, str(source))


def explain_settings(
    path: Path | None, *, environ: Mapping[str, str] = os.environ
) -> dict[str, tuple[Any, str]]:
    """Return every setting's value and where it comes from: a file, the environment or "default".

    Raises SettingsError as `load_settings` does.
    """
    source = path or config_path()
    values, origin = _gathered(source, environ, {})
    settings = _validated(values, origin, str(source))
    return {
        key: (getattr(settings, key), origin.get(key, "default")) for key in Settings.model_fields
    }


def check_settings(text: str, place: Path) -> Settings:
    """Return what a settings file with this text says. Raises SettingsError naming `place`."""
    values = _from_text(text, place)
    return _validated(values, dict.fromkeys(values, str(place)), str(place))


def _gathered(
    source: Path, environ: Mapping[str, str], flags: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return key → value, and key → where that stands; of several places the last one wins."""
    values = _from_file(source) if source.is_file() else {}
    origin = dict.fromkeys(values, str(source))
    for key, value in _from_environment(environ).items():
        values[key] = value
        origin[key] = f"environment variable {ENVIRONMENT_PREFIX}{key.upper()}"
    for key, value in flags.items():
        if value is not None:
            values[key] = value
            origin[key] = f"option --{key.replace('_', '-')}"
    if origin.get("state") != origin.get("vault") and origin.get("state") == str(source):
        del values["state"], origin["state"]  # it is the state of the file's vault, and no other's
    return values, origin


def _validated(values: Mapping[str, Any], origin: Mapping[str, str], source: str) -> Settings:
    for key in values:
        if key not in Settings.model_fields:
            raise SettingsError(f"{origin[key]}: {unknown_setting(key)}")
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        raise SettingsError(
            f"{origin.get(key, source)}: {key} = {values.get(key)!r}: {in_words(first)}"
        ) from None


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return _from_text(path.read_text(encoding="utf-8"), path)
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None


def _from_text(text: str, path: Path) -> dict[str, Any]:
    """Read a settings file's text; paths in it that are not absolute begin at the file's folder."""
    folder = path.absolute().parent
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None
    return {key: _beside(folder, value) if key in PATHS else value for key, value in values.items()}


def _beside(folder: Path, value: object) -> object:
    is_relative = isinstance(value, str) and value.strip() and not value.startswith("~")
    return str(folder / str(value)) if is_relative else value


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, info in Settings.model_fields.items():
        text = environ.get(ENVIRONMENT_PREFIX + key.upper())
        if not text:  # set to nothing, as scripts do to take a setting back
            continue
        is_list = str(info.annotation).startswith("tuple")
        values[key] = (
            [part.strip() for part in text.split(",") if part.strip()] if is_list else text
        )
    return values
