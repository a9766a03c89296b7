"""Set up a process that runs only this program."""

from daemon.child_environment import hold_keys

_begun: list[bool] = []  # permanent


def begin() -> None:
    """Hold keys in memory. From now on commands may confine this process."""
    hold_keys()
    _begun.append(True)


def may_confine() -> bool:
    """Return whether this process runs only this program."""
    return bool(_begun)
