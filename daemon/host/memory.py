"""Giving memory back."""

import ctypes
import gc

_USUAL = (700, 10, 10)  # Python's own thresholds


def give_back_memory() -> None:
    """Let the system have what work has left behind; the C library by itself keeps most of it."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc alone has it, and needs it
    if trim is not None:
        trim(0)


def collect_as_usual() -> None:
    """Look for garbage as Python does, among what is made from now on: a start's is to stay."""
    if not gc.get_freeze_count():  # another App, after a reload, leaves garbage of the one before
        gc.freeze()
    gc.set_threshold(*_USUAL)
