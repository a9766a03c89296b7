"""A filter for system calls (seccomp): no network, no other program, no other process.

It denies a list of calls and allows the rest, so that no version of an interpreter or library
breaks it; files are left to Landlock. A denied call fails with EPERM.
"""

import errno
import os
import sys

_CLONE_THREAD = 0x00010000
_X32 = 0x40000000  # the second table of system calls of x86_64: same numbers, plus some of its own
_OWN_OF_X32 = range(512, 548)
# What a client of a network service needs; it accepts no connections.
_OF_CLIENTS = frozenset(
    ("socket", "connect", "bind", "sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg")
)
_DENIED = (
    # network, directly or by other means
    *("socket", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg"),
    *("recvfrom", "recvmsg", "recvmmsg", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    # other programs and processes
    *("execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev"),
    *("process_madvise", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "kcmp", "tkill"),
    *("rt_sigqueueinfo", "rt_tgsigqueueinfo", "setns", "unshare"),
    # not covered by any Landlock right
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr"),
    *("removexattr", "lremovexattr", "fremovexattr", "mount", "umount2", "pivot_root", "chroot"),
    *("move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"),
    # kernel interfaces that no parser needs
    *("bpf", "userfaultfd", "perf_event_open", "keyctl", "add_key", "request_key", "kexec_load"),
    *("init_module", "finit_module", "delete_module", "open_by_handle_at", "name_to_handle_at"),
    *("memfd_create", "memfd_secret", "shmget", "shmat", "msgget", "semget", "mq_open"),
    # files that others opened, and kernel reports
    *("inotify_init", "inotify_init1", "fanotify_init", "syslog"),
)
_INTO_A_TERMINAL = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX can type any command for the user
_LOW_HALF = 0xFFFFFFFF  # bits of an argument; the kernel reads no more


def deny(*, is_client: bool = False) -> str:
    """Deny these calls to this process for good; return why that failed, or "".

    A client may open connections; where to, Landlock limits.
    """
    if sys.platform != "linux":
        return "seccomp exists only on Linux"
    try:
        from seccompy import SeccompError, UnsupportedError, supported  # noqa: PLC0415 Linux only
    except ImportError:
        return "the package seccompy is not installed"
    try:
        if not supported():
            return "this kernel has no seccomp"
        _load(_OF_CLIENTS if is_client else frozenset())
    except (SeccompError, UnsupportedError, OSError) as error:
        return f"seccomp: {error}"
    return ""


def _load(allowed: frozenset[str]) -> None:
    from seccompy import CmpOp, Filter, syscall_nr  # noqa: PLC0415 Linux only

    calls = Filter()
    for name in _DENIED:
        if name in allowed:
            continue
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
