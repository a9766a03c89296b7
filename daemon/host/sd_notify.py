"""Notify systemd of the state: sd_notify(3)."""

import os
import socket
import time
from contextlib import suppress


def notify(state: str) -> None:
    """Notify systemd, if it is listening (sd_notify(3))."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock, suppress(OSError):
        sock.sendto(state.encode(), address)


def notify_reloading() -> None:
    """Notify systemd of a reload; READY=1 must follow."""
    microseconds = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    notify(f"RELOADING=1\nMONOTONIC_USEC={microseconds}")
