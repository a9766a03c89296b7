"""The last resort of a stop: the process ends in time, whatever it is doing.

Work ends at its next safe point, nearly always soon. A Python signal handler runs only between two
steps of the main thread, so a long query or a slow disk would delay it: the system notifies a
separate thread of the signal.
"""

import logging
import os
import signal
import threading
import time
from contextlib import suppress

from daemon.host.processes import descendants

_log = logging.getLogger(__name__)
STOP_SECONDS = 1.5  # from SIGTERM or SIGINT to the forced end
_STOPS = {signal.SIGTERM, signal.SIGINT}


def enforce_stop_deadline(seconds: float = STOP_SECONDS) -> None:
    """End this process `seconds` after SIGTERM or SIGINT if it is still running.

    Applies until the process ends. Call it from the main thread. The process then exits with 0:
    everything stored survives a kill, and the next start resumes.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(
        target=_watch, args=(reading, seconds), name="stop-deadline", daemon=True
    ).start()


def _watch(signals: int, seconds: float) -> None:
    """Wait for a terminating signal, on the pipe to which the system writes signal numbers."""
    while not _STOPS.intersection(os.read(signals, 1)):
        pass
    time.sleep(seconds)
    _log.warning("stopped in the middle of work after %g s; the next start resumes it", seconds)
    for child in descendants(os.getpid()):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(child, signal.SIGKILL)
    os._exit(0)
