"""The run loop of one vault's daemon."""

from daemon.host.due import JobDue, Wake
from daemon.host.loop import Host
from daemon.host.memory import give_back_memory
from daemon.host.reload import Ending, Reload
from daemon.host.signals import signals
from daemon.host.stop_deadline import enforce_stop_deadline

__all__ = [
    "Ending",
    "Host",
    "JobDue",
    "Reload",
    "Wake",
    "enforce_stop_deadline",
    "give_back_memory",
    "signals",
]
