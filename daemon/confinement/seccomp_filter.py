"""The filter of system calls in the kernel, by the library that only Linux has."""

import errno
import os
from collections.abc import Iterable, Mapping

from seccompy import (
    Action,
    CmpOp,
    Filter,
    SeccompError,
    UnsupportedError,
    bpf,
    supported,
    syscall_nr,
)

_CLONE_THREAD = 0x00010000
# The newest call that is known: mseal. What a kernel adds later, and the second table of x86_64
# (x32), whose numbers begin at 0x40000000, do not exist for this process.
_NEWEST = 462
_NUMBER = 0  # offset of a call's number in what the kernel gives a filter
# Calls that only x86_64 still has.
_OLD = frozenset(
    (
        *("fork", "vfork", "chmod", "chown", "lchown", "utime", "utimes", "futimesat"),
        *("inotify_init", "iopl", "ioperm"),
    )
)
_IOCTLS = (
    *(0x5412, 0x541C),  # TIOCSTI and TIOCLINUX can type any command for the user
    *(0x8901, 0x8902),  # FIOSETOWN and SIOCSPGRP: whom the kernel signals for a descriptor
    *(0x40086602, 0x401C5820, 0xC0045877),  # attributes of a file; FIFREEZE stops a file system
)
# F_SETOWN, F_SETSIG and F_SETOWN_EX: whom the kernel signals for a descriptor, and with what.
# F_SETLEASE and F_NOTIFY: delay and watch what others open.
_FCNTLS = (8, 10, 15, 1024, 1026)
# Calls for which process 0 is the caller.
_OF_ITSELF = (
    *((name, {0: 0}) for name in ("sched_setscheduler", "sched_setparam", "sched_setattr")),
    ("sched_setaffinity", {0: 0}),
    ("ioprio_set", {0: 1, 1: 0}),
)
_LOW_HALF = 0xFFFFFFFF  # bits of an argument; the kernel reads no more


def load(denied: Iterable[str], *, schedules_itself: bool) -> str:
    """Deny calls to this process for good; return why that failed, or "".

    If it only schedules itself, it cannot set the processors and the priority of other processes,
    nor of its own other threads.
    """
    try:
        if not supported():
            return "this kernel has no seccomp"
        _load(denied, _OF_ITSELF if schedules_itself else ())
    except (SeccompError, UnsupportedError, OSError) as error:
        return f"seccomp: {error}"
    return ""


def _load(denied: Iterable[str], of_itself: Iterable[tuple[str, Mapping[int, int]]]) -> None:
    _Newer().load()
    calls = Filter()
    for name in denied:
        if name not in _OLD or os.uname().machine == "x86_64":
            calls.errno(_number(name), errno.EPERM)
    # Threads are allowed; a new process is not. A library falls back to `clone` without `clone3`,
    # whose arguments a filter cannot read.
    calls.errno("clone3", errno.ENOSYS)
    calls.allow("clone", args=[(0, CmpOp.MASKED_EQ, _CLONE_THREAD, _CLONE_THREAD)])
    calls.errno("clone", errno.EPERM)
    for name, requests in (("ioctl", _IOCTLS), ("fcntl", _FCNTLS)):
        for request in requests:
            calls.errno(name, errno.EPERM, args=[(1, CmpOp.MASKED_EQ, request, _LOW_HALF)])
    # It may lower its own priority (`nice`), set its own limits, and kill itself, as `abort` does.
    mine = {0: os.getpid()}
    own = (("setpriority", {0: 0, 1: 0}), ("prlimit64", {0: 0}), ("kill", mine), ("tgkill", mine))
    for name, arguments in (*own, *of_itself):
        calls.allow(name, args=arguments)
        calls.errno(name, errno.EPERM)
    calls.load()


class _Newer(Filter):
    """A filter for which calls newer than the newest known one do not exist."""

    __slots__ = ()

    @property
    def program(self) -> bytes:
        is_newer = bpf.Jump(bpf.BPF_JGT, _NEWEST, "newer", None)
        answers = [bpf.Ret(int(Action.ALLOW)), bpf.Ret(int(Action.ERRNO) | errno.ENOSYS)]
        return bpf.assemble([bpf.Load(_NUMBER), is_newer, *answers], {"newer": 3})


def _number(name: str) -> int:
    """Return a call's number. Raises SeccompError for an unknown one, which would stay allowed."""
    try:
        return syscall_nr(name)
    except ValueError:
        raise SeccompError(f"unknown system call {name}") from None
