"""Cache the path of a vault's state folder for commands that a running daemon answers.

Reading the settings takes longer than such an answer. An entry is valid for the same options,
environment and settings file, so a change of any of them invalidates it. Little is imported here:
platformdirs and hashlib would take as long as the daemon.
"""

import os
import sys
from binascii import crc32
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_FOLDER = "places"
_PREFIXES = ("LACUNA_", "XDG_")

if sys.platform == "linux":

    def user_config_folder() -> Path:
        """Return what `platformdirs.user_config_path("lacuna")` returns."""
        return _xdg_folder("XDG_CONFIG_HOME", ".config")

    def user_cache_folder() -> Path:
        """Return what `platformdirs.user_cache_path("lacuna")` returns."""
        return _xdg_folder("XDG_CACHE_HOME", ".cache")

    def _xdg_folder(variable: str, default: str) -> Path:
        given = os.environ.get(variable, "").strip()
        return Path(given or f"{Path('~').expanduser()}/{default}", "lacuna")

else:
    from platformdirs import user_cache_path, user_config_path

    def user_config_folder() -> Path:
        """Return the folder of the settings file."""
        return user_config_path("lacuna")

    def user_cache_folder() -> Path:
        """Return the folder of caches."""
        return user_cache_path("lacuna")


def recall(
    vault: Path | None, config: Path | None, state: Path | None, environ: Mapping[str, str]
) -> Path | None:
    """Return the cached state folder for these options, or None."""
    try:
        key = _key(vault, config, state, environ)
        known, _, found = _file(key).read_bytes().partition(b"\n")
    except OSError:
        return None
    return Path(os.fsdecode(found)) if known == key else None


def remember(
    found: Path,
    vault: Path | None,
    config: Path | None,
    state: Path | None,
    environ: Mapping[str, str],
) -> None:
    """Cache the state folder for these options. If that is impossible, nothing is cached."""
    with suppress(OSError):
        key = _key(vault, config, state, environ)
        file = _file(key)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        draft.write_bytes(key + b"\n" + os.fsencode(found))
        draft.replace(file)


def _key(
    vault: Path | None, config: Path | None, state: Path | None, environ: Mapping[str, str]
) -> bytes:
    """Return everything that determines the state folder, on one line. Raises OSError."""
    source = (config or user_config_folder() / "config.toml").absolute()
    status = source.stat() if source.exists() else None
    settings = (status.st_mtime_ns, status.st_size, status.st_ino) if status is not None else ()
    variables = sorted((key, value) for key, value in environ.items() if key.startswith(_PREFIXES))
    here = (str(Path.cwd()), str(Path.home()), str(vault), str(source), str(state))
    return repr((here, settings, variables)).encode("utf-8", "surrogateescape")


def _file(key: bytes) -> Path:
    """Return the cache file of a key; two keys may share one, so it contains the key."""
    return user_cache_folder() / _FOLDER / f"{crc32(key):08x}"
