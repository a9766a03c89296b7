"""Giving memory back."""

import ctypes
import gc


def give_back_memory() -> None:
    """Let the system have what work has left behind; the C library by itself keeps most of it."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc alone has it, and needs it
    if trim is not None:
        trim(0)
