"""A filter for system calls (seccomp): no network, no other program, no other process.

It denies a list of calls and allows the rest, so that no version of an interpreter or library
breaks it; files are left to Landlock. A denied call fails with EPERM.
"""

import sys
from importlib.util import find_spec

_LIBRARY = find_spec("seccompy")  # only Linux has it
if _LIBRARY is not None:
    from daemon.confinement import seccomp_filter

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
    # what root may do to the whole machine
    *("reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "vhangup"),
    *("settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname"),
    *("setdomainname", "iopl", "ioperm"),
    # kernel interfaces that no parser needs
    *("kexec_file_load", "lsm_set_self_attr", "process_mrelease", "migrate_pages"),
    *("bpf", "userfaultfd", "perf_event_open", "keyctl", "add_key", "request_key", "kexec_load"),
    *("init_module", "finit_module", "delete_module", "open_by_handle_at", "name_to_handle_at"),
    *("memfd_create", "memfd_secret", "mq_open", "mq_unlink"),
    # memory, queues and semaphores that others share: their numbers can be guessed
    *("shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl"),
    *("semget", "semop", "semtimedop", "semctl"),
    # files that others opened, and kernel reports
    *("inotify_init", "inotify_init1", "fanotify_init", "syslog"),
)


def deny(*, is_client: bool = False, schedules_itself: bool = False) -> str:
    """Deny these calls to this process for good; return why that failed, or "".

    A client may open connections; where to, Landlock limits. What computes with many threads
    schedules them by their numbers, which a filter cannot tell from those of other processes;
    anything else schedules only itself.
    """
    if sys.platform != "linux":
        return "seccomp exists only on Linux"
    if _LIBRARY is None:
        return "the package seccompy is not installed"
    denied = [name for name in _DENIED if not is_client or name not in _OF_CLIENTS]
    return seccomp_filter.load(denied, schedules_itself=schedules_itself)
