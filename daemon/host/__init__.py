"""The run loop of one vault's daemon."""

from daemon.host.due import JobDue, Wake
from daemon.host.loop import Host
from daemon.host.memory import give_back_memory

__all__ = ["Host", "JobDue", "Wake", "give_back_memory"]
