"""Keys from the environment, and the environment of child processes: this package, and no keys.

A child that embeds, parses or analyses the vault queries no service and needs no key. Keys are
moved out of the environment of this process, where `/proc/PID/environ` shows them, into its memory.
"""

import ctypes
import os
import re
import sys
from collections import ChainMap
from collections.abc import Mapping
from pathlib import Path

_SET_DUMPABLE = 4
DESCRIPTOR = "LACUNA_SECRETS_PASSPHRASE_FD"  # names a descriptor of which a passphrase is read

# Keys and their passphrases, by the names under which `daemon.adapters.secrets`, its neighbours and
# OpenTelemetry read them.
_SECRET = re.compile(
    r"LACUNA_.*_API_KEY|LACUNA_SECRETS_PASSPHRASE(?:_FD)?|CREDENTIALS_DIRECTORY"
    r"|OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS"
)


_held: dict[str, str] = {}
# The environment with the keys that were moved out of it; read-only.
WITH_KEYS: Mapping[str, str] = ChainMap(_held, os.environ)


def hold_keys() -> None:
    """Move keys from the environment into memory, which other processes may no longer read.

    The text in the process's first stack page, which the kernel shows as its environment, is
    overwritten. On Linux the process also becomes undumpable: no core file, no ptrace, and its
    `/proc` entries belong to root.
    """
    for name in [each for each in os.environ if _SECRET.fullmatch(each)]:
        _held[name] = os.environ[name]
        _overwrite(name)
        del os.environ[name]
    if sys.platform == "linux":
        nothing = ctypes.c_ulong(0)
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, nothing, nothing, nothing, nothing)


def held_keys() -> dict[str, str]:
    """Return the keys that were moved out of the environment, for a process that needs them."""
    return dict(_held)


def hold(keys: Mapping[str, str]) -> None:
    """Hold keys that another process of this program held, in memory that others may not read."""
    _held.update(keys)
    hold_keys()


def _overwrite(name: str) -> None:
    beginning = f"{name}=".encode()
    environ = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
    at = 0
    while (place := environ[at]) is not None:
        text = ctypes.string_at(place)
        if text.startswith(beginning):
            ctypes.memset(place + len(beginning), 0, len(text) - len(beginning))
        at += 1


def child_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return `environ` without keys, with this package first in PYTHONPATH."""
    open_ = {name: text for name, text in environ.items() if not _SECRET.fullmatch(name)}
    package_root = str(Path(__file__).resolve().parents[1])
    path = environ.get("PYTHONPATH")
    return {
        **open_,
        "PYTHONPATH": os.pathsep.join([package_root, path] if path else [package_root]),
    }
