"""Whether the daemon of a state folder is suspended; loads next to nothing."""

import re
import sys
from contextlib import suppress
from pathlib import Path

from daemon.store.lock import held_by, lock_path

DAEMON = "lacuna run"  # how the daemon names itself as the holder of the lock
PID = re.compile(r"\(pid (\d+)\)$")

if sys.platform == "linux":

    def _state_of(pid: str) -> str:
        with suppress(OSError, IndexError):  # the process has ended
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return ""

else:
    import subprocess

    def _state_of(pid: str) -> str:
        listed = subprocess.run(
            ["/bin/ps", "-o", "state=", "-p", pid], capture_output=True, text=True, check=False
        )
        return listed.stdout.strip()[:1]


def stopped_daemon(state: Path) -> str:
    """Return that the daemon of a state folder is suspended and what to do, or ""."""
    holder = held_by(lock_path(state)) or ""
    found = PID.search(holder) if holder.startswith(DAEMON) else None
    if found is None or not _is_suspended(found[1]):
        return ""
    return f"the daemon (pid {found[1]}) is stopped: continue it with `kill -CONT {found[1]}`"


def _is_suspended(pid: str) -> bool:
    """Return whether a process was stopped by a signal or is held by a debugger."""
    return _state_of(pid) in ("T", "t")
