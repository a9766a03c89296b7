"""When this process started: what a user waits for begins before the first import."""

import os
import time
from pathlib import Path

_STARTED = 19  # position of starttime in /proc/PID/stat, after the name; see proc(5)
_LONGEST = 30.0  # seconds: a process that runs for longer did not start for one command


def process_start(stat: Path = Path("/proc/self/stat")) -> float:
    """Return when this process started, on the monotonic clock; now if the system does not say."""
    now = time.monotonic()
    try:
        ticks = int(stat.read_text().rpartition(")")[2].split()[_STARTED])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):  # not on Linux
        return now
    return now - age if 0 <= age <= _LONGEST else now
