"""What is going to run, each with its place, and what waits for a place or for the user."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from daemon.app import App
from daemon.cli.output import counted, moment
from daemon.cycle.waiting import Place, Queue, title_of
from daemon.model.agenda import Agenda

_FAILED_SHOWN = timedelta(days=7)
_NAMED = 5  # notes without a place that are named


def queue_json(app: App, at: datetime) -> dict[str, Any]:
    """The queue as `status --json` prints it: `later` are notes that have no place in it yet."""
    queue = app.proposals.queue(at)
    places = [
        {
            "place": place.place,
            "of": len(queue.places),
            "note": place.agenda.note,
            "agenda": place.agenda.id,
            "path": place.agenda.path,
            "status": place.agenda.status.value,
            "starts_at": place.starts_at.isoformat() if place.starts_at else None,
            "trouble": place.agenda.trouble,
            "tries": place.agenda.tries,
            "after": place.after,
        }
        for place in queue.places
    ]
    return {"places": places, "later": list(queue.later), "most": queue.most}


def queue_lines(app: App, at: datetime, waits: Callable[[Agenda], str]) -> Iterator[str]:
    """Say of every agenda that has not ended when it runs, in their order.

    `waits` says what one whose time has come waits for, or nothing.
    """
    queue = app.proposals.queue(at)
    for place in queue.places:
        told = _told(place, queue, waits(place.agenda))
        yield f"{place.agenda.path or place.agenda.id}: {told}"
    placed = {place.agenda.id for place in queue.places}
    for agenda in app.stores.agendas.open():
        if agenda.id not in placed:
            yield f"{agenda.path or agenda.id}: waits for you"
    for agenda in app.stores.agendas.failed_since(at - _FAILED_SHOWN):
        tries = counted(agenda.tries, "try", "tries")
        yield (
            f"{agenda.path}: {agenda.trouble}; given up after {tries}: `lacuna agenda approve"
            f" {agenda.id}` tries it again"
        )
    if queue.later:
        called = app.knowledge.titles()
        named = [title_of(path, called) for path in queue.later[:_NAMED]]
        more = f" and {len(queue.later) - _NAMED} more" if len(queue.later) > _NAMED else ""
        yield f"{_why_later(app, queue)}: {', '.join(named)}{more}"


def _why_later(app: App, queue: Queue) -> str:
    """Say how many notes have no place in the queue, and why."""
    is_one, notes = len(queue.later) == 1, counted(len(queue.later), "note")
    if queue.is_full:
        has = "has" if is_one else "have"
        return f"{notes} more {has} no place in the queue yet, for {queue.most} wait at once"
    ask, get = ("asks", "gets") if is_one else ("ask", "get")
    when = "has looked through the vault" if app.writer() else "runs"
    return f"{notes} {ask} for research, and {get} a place in the queue once the daemon {when}"


def _told(place: Place, queue: Queue, waits: str) -> str:
    if waits and not place.after:
        when = f"due, waits: {waits}"
    elif place.starts_at is None:
        when = "running"
    elif place.agenda.status == "waiting":
        when = f"{place.agenda.trouble}; trying again {moment(place.starts_at)}"
    elif place.after:
        when = f"runs after {place.after}"
    elif place.agenda.status == "approved":
        when = "approved, runs next"
    else:
        when = f"runs {moment(place.starts_at)}"
    if len(queue.places) == 1:
        return when
    return f"{place.place} of {len(queue.places)}: {place.name}, {when}"
