"""Free memory."""

import ctypes
import gc

_DEFAULT = (700, 10, 10)  # Python's own thresholds
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # of mallopt(3)
_LARGE = 128 * 1024  # bytes; the C library would raise this limit with each larger block


def return_large_blocks() -> None:
    """Have the C library return each large block as soon as it is freed, in every thread.

    A server that passes documents of megabytes on kept 40 MB otherwise.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # only glibc needs it
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE)
        mallopt(_ARENA_MAX, 1)


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
