"""Landlock: a process permanently gives up rights, for itself and its future children.

Wraps the three system calls of landlock(7). `restrict` leaves reading and the network alone, `seal`
leaves only reading of the named paths. Landlock has no right for changing a file's mode, owner or
times.
"""

import ctypes
import os
import sys
from collections.abc import Iterable
from enum import IntFlag
from pathlib import Path
from typing import ClassVar

# The numbers are the same on every architecture that Python runs on, except alpha.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_SET_NO_NEW_PRIVILEGES = 38
# Version 1 forbids moving anything between folders, even where everything is allowed.
MIN_VERSION = 2
_KNOWS_TRUNCATE, _KNOWS_NETWORK, _KNOWS_DEVICES, _KNOWS_SCOPES = 3, 4, 5, 6
_TCP = 0b11  # bind and connect
_CONNECT = 0b10
_PORT = 2  # the kind of a rule for a TCP port
_SCOPES = 0b11  # abstract sockets of other processes, and signals to them


class Right(IntFlag):
    """Rights that a rule can allow; numbers from linux/landlock.h."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13  # move and link across folders
    TRUNCATE = 1 << 14
    USE_DEVICE = 1 << 15


# An explicit name, because `~` of a flag treats unnamed bits differently in each Python version.
_TO_READ = Right.READ_FILE | Right.READ_DIR
_EVERY = Right(sum(Right))
_ALL = Right(_EVERY - _TO_READ - Right.EXECUTE - Right.USE_DEVICE)
_TO_A_FILE = Right.WRITE_FILE | Right.TRUNCATE
_PLAIN = (
    _TO_A_FILE
    | Right.REMOVE_DIR
    | Right.REMOVE_FILE
    | Right.MAKE_DIR
    | Right.MAKE_REG
    | Right.REFER
)


class _Ruleset(ctypes.Structure):
    _fields_: ClassVar = [
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    ]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_: ClassVar = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


class _Port(ctypes.Structure):
    _fields_: ClassVar = [("allowed_access", ctypes.c_uint64), ("port", ctypes.c_uint64)]


def version() -> int:
    """Return the Landlock version that the kernel offers; 0 if none."""
    if sys.platform != "linux":
        return 0
    try:
        return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    except OSError:  # not built in, turned off, or blocked by a container
        return 0


def why_not() -> str:
    """Return why Landlock cannot be used here."""
    return "this kernel has no Landlock" if not version() else "its Landlock is too old"


def restrict(plain: Iterable[Path], writable: Iterable[Path] = ()) -> None:
    """Give up the right to write anywhere but below these paths, irrevocably.

    Below `plain`, only files and folders may be created, changed and removed; below `writable`,
    also links and pipes. All paths must exist. Threads that are already running keep their rights.
    Raises OSError.
    """
    handled = _ALL if version() >= _KNOWS_TRUNCATE else Right(_ALL - Right.TRUNCATE)
    rules = [(path, handled & _PLAIN) for path in plain]
    rules += [(path, handled) for path in writable]
    _enforce(_Ruleset(handled), rules)


def seal(
    readable: Iterable[Path], writable: Iterable[Path] = (), ports: Iterable[int] = ()
) -> None:
    """Give up all access to files except below these paths, irrevocably.

    From version 4 on also TCP, except connections to `ports`, from version 6 on signals and
    abstract sockets of other processes. Paths that do not exist are skipped. Raises OSError.
    """
    known = version()
    handled = _EVERY
    if known < _KNOWS_TRUNCATE:
        handled = Right(handled - Right.TRUNCATE)
    if known < _KNOWS_DEVICES:
        handled = Right(handled - Right.USE_DEVICE)
    network = _TCP if known >= _KNOWS_NETWORK else 0
    scopes = _SCOPES if known >= _KNOWS_SCOPES else 0
    rules = [(path, _TO_READ) for path in readable if path.exists()]
    rules += [(path, _TO_READ | handled & _PLAIN) for path in writable if path.exists()]
    _enforce(_Ruleset(handled, network, scopes), rules, ports if network else ())


def _enforce(
    asked: _Ruleset, rules: Iterable[tuple[Path, Right]], ports: Iterable[int] = ()
) -> None:
    size = ctypes.c_size_t(ctypes.sizeof(asked))
    ruleset = _call(_CREATE_RULESET, ctypes.byref(asked), size, ctypes.c_uint32(0))
    try:
        for path, rights in rules:
            _allow(ruleset, path, rights)
        for port in ports:
            rule = ctypes.byref(_Port(_CONNECT, port))
            _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PORT), rule, _NO_FLAGS)
        _forbid_new_privileges()
        _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: Right) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        allowed = rights if path.is_dir() else rights & (_TO_A_FILE | Right.READ_FILE)
        rule = ctypes.byref(_Beneath(allowed, place))
        _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), rule, _NO_FLAGS)
    finally:
        os.close(place)


def _forbid_new_privileges() -> None:
    """Forbid children to gain rights through set-user-id programs: the kernel requires this."""
    on, rest = ctypes.c_ulong(1), ctypes.c_ulong(0)
    if _libc().prctl(_SET_NO_NEW_PRIVILEGES, on, rest, rest, rest) != 0:
        raise _last_error()


_NO_FLAGS = ctypes.c_uint32(0)


def _call(number: int, *arguments: object) -> int:
    syscall = _libc().syscall
    syscall.restype = ctypes.c_long
    answer: int = syscall(ctypes.c_long(number), *arguments)
    if answer < 0:
        raise _last_error()
    return answer


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
