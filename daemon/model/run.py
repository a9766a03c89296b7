"""Runs of research, as everything speaks of them."""

from enum import StrEnum

BY_USER = "you stopped it"  # why a run ended early


class RunStatus(StrEnum):
    """Where a run is in its life."""

    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"  # asked to stop; goes on from there
    FAILED = "failed"  # torn, or its sources could not be reached: the next try begins anew
