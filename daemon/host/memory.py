"""Free memory."""

import ctypes
import gc

_DEFAULT = (700, 10, 10)  # Python's own thresholds


def release_memory() -> None:
    """Return freed memory to the system; the C library keeps most of it otherwise."""
    gc.collect()
    # only glibc has it, and only glibc needs it
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def restore_collection() -> None:
    """Collect garbage at Python's default thresholds, but only among new objects: those of the
    start stay.
    """
    if not gc.get_freeze_count():  # another App, after a reload, leaves the previous one as garbage
        gc.freeze()
    gc.set_threshold(*_DEFAULT)
