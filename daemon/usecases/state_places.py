"""Cache the path of a vault's state folder for commands that a running daemon answers.

Reading the settings takes longer than such an answer. An entry is valid for the same options,
environment and settings file, so a change of any of them invalidates it. The daemon writes one when
it starts, which commands in any folder find. Little is imported here: platformdirs and hashlib
would take as long as the daemon.
"""

import os
import sys
from binascii import crc32
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from daemon.store.private import make_folder, opener

_FOLDER = "places"
_PREFIX = "LACUNA_"
_FOLDERS = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")

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
    vault: Path | None,
    config: Path | None,
    state: Path | None,
    environ: Mapping[str, str],
    *,
    is_current: bool = True,
) -> Path | None:
    """Return the cached state folder for these options, or None.

    Unless it must be current, it may be that of the settings before their last change.
    """
    try:
        key = _key(vault, config, state, environ)
        known, stamp, found = _file(key).read_bytes().split(b"\n", 2)
        is_known = known == key and (not is_current or stamp == _stamp(config))
    except (OSError, ValueError):
        return None
    return Path(os.fsdecode(found)) if is_known else None


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
        make_folder(file.parent)
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        with open(draft, "wb", opener=opener) as written:
            written.write(b"\n".join((key, _stamp(config), os.fsencode(found))))
        draft.replace(file)


def _key(
    vault: Path | None, config: Path | None, state: Path | None, environ: Mapping[str, str]
) -> bytes:
    """Return what determines the state folder besides the settings, on one line. Raises OSError.

    The working folder does only if an option or a variable may be relative to it.
    """
    own = sorted((key, value) for key, value in environ.items() if key.startswith(_PREFIX))
    folders = [(name, environ[name]) for name in _FOLDERS if name in environ]
    given = [str(each) for each in (vault, config, state) if each is not None]
    is_relative = not all(map(os.path.isabs, (*given, *(value for _, value in own))))
    here = (str(Path.cwd()) if is_relative else "", str(Path.home()))
    key = (here, str(vault), str(_settings_file(config)), str(state), own, folders)
    return repr(key).encode("utf-8", "surrogateescape")


def _stamp(config: Path | None) -> bytes:
    """Return what changes with the settings file. Raises OSError."""
    try:
        status = _settings_file(config).stat()
    except FileNotFoundError:
        return b"none"
    return b"%d %d %d" % (status.st_mtime_ns, status.st_size, status.st_ino)


def _settings_file(config: Path | None) -> Path:
    return (config or user_config_folder() / "config.toml").absolute()


def _file(key: bytes) -> Path:
    """Return the cache file of a key; two keys may share one, so it contains the key."""
    return user_cache_folder() / _FOLDER / f"{crc32(key):08x}"
