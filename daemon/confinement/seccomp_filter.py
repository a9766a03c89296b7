"""The filter of system calls in the kernel, by the library that only Linux has."""

import errno
import os
from collections.abc import Iterable

from seccompy import CmpOp, Filter, SeccompError, UnsupportedError, supported, syscall_nr

_CLONE_THREAD = 0x00010000
_X32 = 0x40000000  # the second table of system calls of x86_64: same numbers, plus some of its own
_OWN_OF_X32 = range(512, 548)
_INTO_A_TERMINAL = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX can type any command for the user
_LOW_HALF = 0xFFFFFFFF  # bits of an argument; the kernel reads no more


def load(denied: Iterable[str]) -> str:
    """Deny calls to this process for good; return why that failed, or ""."""
    try:
        if not supported():
            return "this kernel has no seccomp"
        _load(denied)
    except (SeccompError, UnsupportedError, OSError) as error:
        return f"seccomp: {error}"
    return ""


def _load(denied: Iterable[str]) -> None:
    calls = Filter()
    for name in denied:
        try:
            number = syscall_nr(name)
        except ValueError:  # not on this architecture, or newer than the table
            continue
        calls.errno(number, errno.EPERM)
        if os.uname().machine == "x86_64":
            calls.errno(_X32 + number, errno.EPERM)
    if os.uname().machine == "x86_64":
        for number in _OWN_OF_X32:
            calls.errno(_X32 + number, errno.EPERM)
    # Threads are allowed; a new process is not. A library falls back to `clone` without `clone3`,
    # whose arguments a filter cannot read.
    calls.errno("clone3", errno.ENOSYS)
    calls.allow("clone", args=[(0, CmpOp.MASKED_EQ, _CLONE_THREAD, _CLONE_THREAD)])
    calls.errno("clone", errno.EPERM)
    for request in _INTO_A_TERMINAL:
        calls.errno("ioctl", errno.EPERM, args=[(1, CmpOp.MASKED_EQ, request, _LOW_HALF)])
    # It may lower its own priority: `nice`.
    calls.allow("setpriority", args={0: 0, 1: 0})
    calls.errno("setpriority", errno.EPERM)
    # It may set its own limits, and kill itself with a signal, as `abort` does.
    for name, mine in (("prlimit64", 0), ("kill", os.getpid()), ("tgkill", os.getpid())):
        calls.allow(name, args={0: mine})
        calls.errno(name, errno.EPERM)
    calls.load()
