"""Watching child processes without taking part in their end."""

import os
import threading
import time


def is_reaped(pid: int, seconds: float = 30.0) -> bool:
    """Return whether another thread reaps the child after its end; waits for both."""
    deadline, pause = time.monotonic() + seconds, threading.Event()
    while time.monotonic() < deadline:
        try:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        except ChildProcessError:
            return True
        pause.wait(0.01)
    return False
