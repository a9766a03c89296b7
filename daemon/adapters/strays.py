"""Ends processes that left the group of the one that started them, where they can be found."""

import os
import signal
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_ROUNDS = 10  # one that starts another while it is looked for is found in the next


def end_strays(name: str, value: str) -> None:
    """Kill every process of this user in whose environment the variable `name` is `value`.

    Whoever began a session of its own is no longer in its parent's process group, but has the
    environment still. Where there is no `/proc`, nothing is found.
    """
    if not hasattr(os, "pidfd_open") or not _PROC.is_dir():
        return
    marked = f"{name}={value}".encode()
    for _ in range(_ROUNDS):
        pids = [int(each.name) for each in _PROC.iterdir() if each.name.isdigit()]
        if sum(_end(pid, marked) for pid in pids) == 0:
            return


def _end(pid: int, marked: bytes) -> bool:
    """Kill it if it is marked so; its number cannot pass to another one meanwhile."""
    with suppress(OSError):  # it has ended, or is another user's
        process = os.pidfd_open(pid)
        try:
            if marked in (_PROC / str(pid) / "environ").read_bytes().split(b"\0"):
                signal.pidfd_send_signal(process, signal.SIGKILL)
                return True
        finally:
            os.close(process)
    return False
