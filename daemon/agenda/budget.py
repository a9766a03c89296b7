"""The limits of an agenda in words: how much is searched and read at most."""

from collections.abc import Callable
from typing import Any

from daemon.model.agenda import Agenda, Choice
from daemon.model.budget import BUDGETS


def told(agenda: Agenda, name: Callable[[str], str] = str) -> str:
    """Describe in one line the limits of an agenda; `name` formats a source's name."""
    budget = BUDGETS[agenda.depth]
    line = (
        f"{agenda.depth.value.capitalize()}: for each task up to {budget.hits} results of each"
        f" source, of which up to {budget.documents} documents are read"
    )
    if not agenda.follow:
        return f"{line}; citations are not followed."
    hops = "1 step" if budget.hops == 1 else f"{budget.hops} steps"
    through = ", ".join(map(name, agenda.follow))
    return (
        f"{line}; citations are followed {hops} far through {through}, from up to {budget.works}"
        f" works to up to {budget.followed} more documents."
    )


def beforehand(agenda: Agenda) -> list[str]:
    """Describe in lines what an agenda will search for, where, and its limits."""
    tasks = [task for task in agenda.tasks if task.choice is Choice.WANTED]
    return [*(f"{', '.join(task.sources)}: “{task.query}”" for task in tasks), told(agenda)]


def as_dict(agenda: Agenda) -> dict[str, Any]:
    """Return the limits of an agenda, for programs; numbers are per task."""
    budget = BUDGETS[agenda.depth]
    wanted = [task for task in agenda.tasks if task.choice is Choice.WANTED]
    return {
        "tasks": len(wanted),
        "questions": sum(len(task.sources) for task in wanted),
        "results": budget.hits,
        "documents": budget.documents,
        "follow": list(agenda.follow),
        "steps": budget.hops if agenda.follow else 0,
        "works": budget.works if agenda.follow else 0,
        "followed": budget.followed if agenda.follow else 0,
    }
