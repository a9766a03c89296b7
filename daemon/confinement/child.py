"""A child process that reads hostile bytes, confined before any library or start-up hook runs.

The parent runs `command`. The child starts with `-I -S`, so without site packages, confines itself,
and only then sets up its site and runs its module: a planted start-up hook is confined, too.
"""

import contextlib
import ctypes
import json
import resource
import site
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from daemon.confinement import landlock, system_calls

_START = Path(__file__).with_name("start_child.py")
_PACKAGE_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("daemon", "vault_adapters", "scheduler")
_INSTALLED = ("site-packages", "dist-packages")
_SET_DUMPABLE = 4
_MAX_FILES = 256
# What Python and its libraries read besides their own files: the dynamic linker, time zones,
# locales, random bytes, the number of processors.
_SYSTEM = (
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/timezone", "/etc/mime.types"),
    *("/usr/share/zoneinfo", "/usr/share/locale", "/usr/lib/locale", "/lib", "/lib64", "/usr/lib"),
    *("/usr/lib64", "/usr/local/lib", "/dev/null", "/dev/urandom", "/dev/random", "/dev/zero"),
    *("/sys/devices/system/cpu", "/proc/cpuinfo", "/proc/meminfo"),
)

# What a client looks names and certificates up in.
_FOR_CLIENTS = (
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf"),
    *("/etc/services", "/etc/protocols", "/etc/ssl", "/etc/pki", "/etc/ca-certificates"),
    *("/usr/share/ca-certificates", "/run/systemd/resolve", "/run/resolvconf"),
)

missing: list[str] = []  # in a child: confinement that failed, and why


def command(
    module: str, *arguments: str, readable: Iterable[Path] = (), writable: Iterable[Path] = ()
) -> list[str]:
    """Return the command that runs a module in a confined child.

    It may read the libraries and `readable`, and read and write `writable`. It has no other files
    and no network, and can start no other program.
    """
    named = {"readable": [*map(str, readable)], "writable": [*map(str, writable)]}
    orders = {"path": _path(), **named}
    return [sys.executable, "-I", "-S", str(_START), json.dumps(orders), module, *arguments]


def client_command(module: str, *arguments: str, port: int) -> list[str]:
    """Return the command that runs a module in a confined child with connections to one TCP port.

    It reads the libraries, certificates and how to resolve names; it writes nothing and starts no
    other program. Which hosts it connects to is left to its code: no kernel can limit that.
    """
    orders = {"path": _path(), "readable": [*_FOR_CLIENTS], "writable": [], "port": port}
    return [sys.executable, "-I", "-S", str(_START), json.dumps(orders), module, *arguments]


def offline_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module in a child with the file access of its parent.

    It has no network, and can start or see no other process.
    """
    orders = {"path": _path(), "has_files": True}
    return [sys.executable, "-I", "-S", str(_START), json.dumps(orders), module, *arguments]


def confine_child(orders: Mapping[str, Any]) -> None:
    """Give up everything that a parser does not need, in this process; `missing` lists what
    failed.
    """
    _limit(resource.RLIMIT_CORE, 0)
    if orders.get("has_files"):
        missing[:] = filter(None, (system_calls.deny(),))
        _hide()
        return
    writable = [*map(Path, orders["writable"])]
    if not writable:
        _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, _MAX_FILES)
    readable = [*libraries(orders["path"]), *map(Path, orders["readable"])]
    # In this order: loading the filter starts another program to find the C library.
    ports = [int(orders["port"])] if "port" in orders else []
    denied = system_calls.deny(is_client=bool(ports), schedules_itself=True)
    missing[:] = filter(None, (denied, _seal(readable, writable, ports)))
    _hide()


def _path() -> list[str]:
    return [*dict.fromkeys((*filter(None, sys.path), str(_PACKAGE_ROOT)))]


def libraries(path: Iterable[str]) -> list[Path]:
    """Return the paths from which Python and its packages are read; never a folder that contains
    the home.

    Of the folder with this project's packages only those packages are included: the folder may be a
    checkout.
    """
    known = sysconfig.get_paths()
    folders = [Path(known[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [Path(each) for each in (*path, *site.getsitepackages())]
    for prefix in {Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).parents[1]}:
        folders += [prefix / "lib", prefix / "lib64", prefix / "pyvenv.cfg"]
    folders += [_PACKAGE_ROOT / name for name in _PACKAGES]
    found = [*folders, *map(Path, _SYSTEM)]
    return [*dict.fromkeys(each for each in found if not _is_too_much(each.resolve()))]


def _is_too_much(folder: Path) -> bool:
    is_checkout = folder == _PACKAGE_ROOT and folder.name not in _INSTALLED
    return is_checkout or _home().is_relative_to(folder)


def _home() -> Path:
    try:
        return Path.home().resolve()
    except RuntimeError:  # the owner of this process is unknown
        return Path("/root")


def _seal(readable: Iterable[Path], writable: Iterable[Path], ports: Iterable[int]) -> str:
    if landlock.version() < landlock.MIN_VERSION:
        return landlock.why_not()
    try:
        landlock.seal(readable, writable, ports)
    except OSError as error:
        return f"Landlock: {(error.strerror or str(error)).lower()}"
    return ""


def _hide() -> None:
    """Keep other processes of this user from reading this process's memory."""
    if sys.platform == "linux":
        nothing = ctypes.c_ulong(0)
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, nothing, nothing, nothing, nothing)


def _limit(what: int, amount: int) -> None:
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(what, (amount, amount))
