"""The limits of an agenda in words: how much is searched and read at most."""

from collections.abc import Callable
from typing import Any

from daemon.model.agenda import DEPTH_LIMITS, Agenda, Choice


def limits_line(agenda: Agenda, name: Callable[[str], str] = str) -> str:
    """Describe in one line the limits of an agenda; `name` formats a source's name."""
    limits = DEPTH_LIMITS[agenda.depth]
    line = (
        f"{agenda.depth.value.capitalize()}: for each task up to {limits.hits} results of each"
        f" source, of which up to {limits.documents} documents are read"
    )
    if not agenda.follow:
        return f"{line}; citations are not followed."
    hops = "1 step" if limits.hops == 1 else f"{limits.hops} steps"
    through = ", ".join(map(name, agenda.follow))
    return (
        f"{line}; citations are followed {hops} far through {through}, from up to {limits.works}"
        f" works to up to {limits.followed} more documents."
    )


def estimate_line(agenda: Agenda) -> list[str]:
    """Describe in lines what an agenda will search for, where, and its limits."""
    tasks = [task for task in agenda.tasks if task.choice is Choice.WANTED]
    return [*(f"{', '.join(task.sources)}: “{task.query}”" for task in tasks), limits_line(agenda)]


def limits_fields(agenda: Agenda) -> dict[str, Any]:
    """Return the limits of an agenda, for programs; numbers are per task."""
    limits = DEPTH_LIMITS[agenda.depth]
    wanted = [task for task in agenda.tasks if task.choice is Choice.WANTED]
    return {
        "tasks": len(wanted),
        "questions": sum(len(task.sources) for task in wanted),
        "results": limits.hits,
        "documents": limits.documents,
        "follow": list(agenda.follow),
        "steps": limits.hops if agenda.follow else 0,
        "works": limits.works if agenda.follow else 0,
        "followed": limits.followed if agenda.follow else 0,
    }
