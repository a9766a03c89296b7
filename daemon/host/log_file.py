"""A log that a service manager keeps in one file for ever: launchd does, and turns none over."""

import fcntl
import os
import shutil
from contextlib import suppress
from pathlib import Path

NAME = "daemon.log"
_MOST_BYTES = 5_000_000


def turn_over(state: Path, *, descriptor: int = 2, most_bytes: int = _MOST_BYTES) -> bool:
    """Begin the log anew when it has grown large; what was in it is `daemon.log.1` then.

    Only where it is the state folder's own log that is written to, at its end whatever that is: the
    file stays the one that is open here and in children. Return whether it was begun anew.
    """
    log = state / NAME
    with suppress(OSError):
        open_one, named = os.fstat(descriptor), log.stat()
        is_ours = (open_one.st_dev, open_one.st_ino) == (named.st_dev, named.st_ino)
        appends = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_APPEND
        if is_ours and appends and named.st_size > most_bytes:
            shutil.copyfile(log, log.with_name(f"{NAME}.1"))
            os.truncate(log, 0)
            return True
    return False
