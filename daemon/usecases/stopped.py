"""Whether the daemon of a state folder is suspended; loads next to nothing."""

import os
import re
from pathlib import Path

from daemon.store.lock import held_by, lock_path

DAEMON = "lacuna run"  # how the daemon names itself as the holder of the lock
PID = re.compile(r"\(pid (\d+)\)$")


def stopped_daemon(state: Path) -> str:
    """Return that the daemon of a state folder is suspended and what to do, or ""."""
    holder = held_by(lock_path(state)) or ""
    found = PID.search(holder) if holder.startswith(DAEMON) else None
    if found is None or not _is_suspended(found[1]):
        return ""
    return f"the daemon (pid {found[1]}) is stopped: continue it with `kill -CONT {found[1]}`"


def _is_suspended(pid: str) -> bool:
    """Return whether a process was stopped by a signal or is held by a debugger."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        if Path("/proc/self").exists():
            return False
        with os.popen(f"/bin/ps -o state= -p {int(pid)}") as listed:  # noqa: S605 a number
            state = listed.read().strip()[:1]
    return state in ("T", "t")
