"""Kill processes that left the process group of their parent, where they can be found."""

import os
import signal
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_ROUNDS = 10  # a process started during the search is found in the next pass


def kill_orphans(name: str, value: str) -> None:
    """Kill every process of this user in whose environment the variable `name` is `value`.

    A process that started a session of its own has left its parent's group, but keeps the
    environment. Without `/proc`, nothing is found.
    """
    if not hasattr(os, "pidfd_open") or not _PROC.is_dir():
        return
    marked = f"{name}={value}".encode()
    for _ in range(_ROUNDS):
        pids = [int(each.name) for each in _PROC.iterdir() if each.name.isdigit()]
        if sum(_kill(pid, marked) for pid in pids) == 0:
            return


def _kill(pid: int, marked: bytes) -> bool:
    """Kill it if it is marked; its number cannot pass to another process meanwhile."""
    with suppress(OSError):  # it has exited, or belongs to another user
        process = os.pidfd_open(pid)
        try:
            if marked in (_PROC / str(pid) / "environ").read_bytes().split(b"\0"):
                signal.pidfd_send_signal(process, signal.SIGKILL)
                return True
        finally:
            os.close(process)
    return False
