"""A small unconfined parent that restarts the daemon when its rules are out of date.

A confined process stays confined, but a sync program may delete and recreate the folder that it may
write to. Under systemd, systemd is this parent.
"""

import ctypes
import os
import signal
import sys
import time
from typing import NoReturn

RENEW = 75  # exit code of a process that wants to be restarted: EX_TEMPFAIL in sysexits.h
_PASSED_ON = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_BY_KERNEL = 0x80  # si_code of a signal that the terminal sends to its whole foreground group
_SET_PARENT_DEATH_SIGNAL = 1
_STABLE_AFTER = 60.0  # seconds of running after which an exit is not a failure to start
_MAX_RESTART_DELAY = 60.0  # seconds before restarting a process that keeps exiting at once


def is_supervised() -> bool:
    """Return whether systemd started this process and will restart it."""
    return "NOTIFY_SOCKET" in os.environ


def guard() -> None:
    """Continue in a child process. The caller must not have started any thread.

    Returns in the child only. The parent forwards signals, starts another child when one exits with
    `RENEW`, and otherwise exits as its child did.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {*_PASSED_ON, signal.SIGCHLD})
    rest = 0.0
    while True:
        begun_at, parent = time.monotonic(), os.getpid()
        child = os.fork()
        if child == 0:
            _end_with(parent)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_PASSED_ON, signal.SIGCHLD})
            return
        status = _supervise(child)
        if not os.WIFEXITED(status) or os.WEXITSTATUS(status) != RENEW:
            _exit_like(status)
        if time.monotonic() - begun_at > _STABLE_AFTER:
            rest = 0.0
        if signal.sigtimedwait(_PASSED_ON - {signal.SIGHUP}, rest) is not None:
            sys.exit(0)
        rest = min(max(rest * 2, 1.0), _MAX_RESTART_DELAY)


def _supervise(child: int) -> int:
    """Forward signals until the child has exited; return its status as os.wait does."""
    while True:
        received = signal.sigwaitinfo({*_PASSED_ON, signal.SIGCHLD})
        if received.si_signo != signal.SIGCHLD:
            # The terminal has already sent Ctrl-C to the child.
            if received.si_signo != signal.SIGINT or received.si_code != _BY_KERNEL:
                os.kill(child, received.si_signo)
            continue
        for pid, status in iter(_reaped, None):  # not only our child, if this is process 1
            if pid == child:
                return status


def _reaped() -> tuple[int, int] | None:
    try:
        pid, status = os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return None
    return (pid, status) if pid else None


def _exit_like(status: int) -> NoReturn:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    sys.exit(os.waitstatus_to_exitcode(status))


def _end_with(parent: int) -> None:
    """Have the kernel kill this process when its parent exits for any reason."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, ctypes.c_ulong(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(1)
