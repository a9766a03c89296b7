"""Functions of research that are loaded on first use: import `research` from here."""

from typing import TYPE_CHECKING

from daemon.model.late import LateModule

if TYPE_CHECKING:
    from daemon.cycle import research_functions as research
else:
    research = LateModule("daemon.cycle.research_functions")

__all__ = ["research"]
