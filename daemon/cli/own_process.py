"""Set up a process that runs only this program."""

import os
import sys

from daemon.child_environment import hold_keys

_begun: list[bool] = []  # permanent


def begin() -> None:
    """Hold keys in memory. From now on commands may confine this process."""
    hold_keys()
    _begun.append(True)


def end_at_once() -> None:
    """End a process that runs only this program, with exit code 0.

    Python's teardown takes as long as the answer of a daemon. Call it only when nothing is open
    except the standard streams.
    """
    if _begun:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def may_confine() -> bool:
    """Return whether this process runs only this program."""
    return bool(_begun)
