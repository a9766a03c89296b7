"""Cache the path of a vault's state folder for commands that a running daemon answers.

Reading the settings takes longer than such an answer. An entry is valid for the same options,
environment and settings file, so a change of any of them invalidates it.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path, user_config_path

_FOLDER = "places"
_PREFIXES = ("LACUNA_", "XDG_")


def recall(
    vault: Path | None, config: Path | None, state: Path | None, environ: Mapping[str, str]
) -> Path | None:
    """Return the cached state folder for these options, or None."""
    try:
        return Path(_file(vault, config, state, environ).read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def remember(
    found: Path,
    vault: Path | None,
    config: Path | None,
    state: Path | None,
    environ: Mapping[str, str],
) -> None:
    """Cache the state folder for these options. If that is impossible, nothing is cached."""
    with suppress(OSError):
        file = _file(vault, config, state, environ)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        draft.write_text(str(found), "utf-8")
        draft.replace(file)


def _file(
    vault: Path | None, config: Path | None, state: Path | None, environ: Mapping[str, str]
) -> Path:
    """Return the cache file for everything that determines the state folder. Raises OSError."""
    source = (config or user_config_path("lacuna") / "config.toml").absolute()
    status = source.stat() if source.exists() else None
    settings = (status.st_mtime_ns, status.st_size, status.st_ino) if status is not None else ()
    said = sorted((key, value) for key, value in environ.items() if key.startswith(_PREFIXES))
    here = (str(Path.cwd()), str(Path.home()), str(vault), str(source), str(state))
    key = sha256(repr((here, settings, said)).encode("utf-8", "surrogateescape")).hexdigest()
    return user_cache_path("lacuna") / _FOLDER / key[:32]
