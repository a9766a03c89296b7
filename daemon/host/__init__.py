"""The run loop of one vault's daemon."""

from daemon.host.due import Wake
from daemon.host.loop import Host, next_weekly_run
from daemon.host.memory import give_back_memory

__all__ = ["Host", "Wake", "give_back_memory", "next_weekly_run"]
