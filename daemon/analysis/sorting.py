"""Sort whole numbers together with their places."""

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_INTEGER_BITS = 63


def sorted_with_places(keys: Ints, below: int) -> tuple[Ints, Ints]:
    """Return numbers from 0 to `below`, ascending, and where each was; equal ones stay in order."""
    bits = len(keys).bit_length()
    if below.bit_length() + bits < _INTEGER_BITS:
        # Sorted together with their places, which takes a third of the time of sorting the places.
        packed = np.sort((keys << bits) | np.arange(len(keys)))
        return packed >> bits, packed & ((1 << bits) - 1)
    order = np.argsort(keys, kind="stable")
    return keys[order], order
