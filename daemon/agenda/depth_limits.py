"""The limits of an agenda in words: how much is searched and read at most."""

from collections.abc import Callable
from typing import Any

from daemon.model.agenda import DEPTH_LIMITS, Agenda, Choice


def limits_line(agenda: Agenda, name: Callable[[str], str] = str) -> str:
    """Describe in one line the limits of an agenda; `name` formats a source's name."""
    limits = DEPTH_LIMITS[agenda.depth]
    line = (
        f"{agenda.depth.value.capitalize()}. Per task: up to {limits.hits} results per source,"
        f" {limits.documents} documents read"
    )
    if not agenda.follow:
        return f"{line}. Citations are not followed."
    hops = "1 step" if limits.hops == 1 else f"{limits.hops} steps"
    through = ", ".join(map(name, agenda.follow))
    return (
        f"{line}. Citations: {hops}, starting from up to {limits.works} works, adding up to"
        f" {limits.followed} documents (via {through})."
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
