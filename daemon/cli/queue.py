"""Agendas that will run, in order, and those that wait for a place or for the user."""

from collections.abc import Iterator

from daemon.model.agenda import AgendaStatus
from daemon.model.wording import counted, moment
from daemon.usecases.status import FailedAgenda, Queue, QueuePlace, Status

_NAMED = 5  # notes without a place that are listed


def queue_lines(found: Status) -> Iterator[str]:
    """Yield a line about every agenda that has not ended, in order: when it runs."""
    waits = {agenda.id: agenda.waits for agenda in found.agendas}
    for place in found.queue.places:
        yield f"{place.path or place.agenda}: {_when(place, waits.get(place.agenda, ''))}"
    placed = {place.agenda for place in found.queue.places}
    for agenda in found.agendas:
        if agenda.id not in placed:
            yield f"{agenda.path or agenda.id}: waits for your approval"
    yield from map(_given_up, found.failed_agendas)
    if names := found.queue.later_names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        why = _why_later(found.queue, has_daemon=found.daemon is not None)
        yield f"{why}: {', '.join(names[:_NAMED])}{more}"


def _given_up(failed: FailedAgenda) -> str:
    if not failed.tries:
        return f"{failed.note or failed.path} is not researched: {failed.trouble}"
    attempts = counted(failed.tries, "attempt")
    return (
        f"{failed.path}: {failed.trouble}; gave up after {attempts}. To try again, run "
        f"`lacuna agenda approve {failed.id}`"
    )


def _why_later(queue: Queue, *, has_daemon: bool) -> str:
    """Return how many notes have no place in the queue, and why."""
    is_one, notes = len(queue.later) == 1, counted(len(queue.later), "note")
    if queue.is_full:
        has = "has" if is_one else "have"
        return f"{notes} more {has} no place in the queue yet, for {queue.most} wait at once"
    ask, get = ("asks", "gets") if is_one else ("ask", "get")
    when = "has scanned the vault" if has_daemon else "runs"
    return f"{notes} {ask} for research, and {get} a place in the queue once the daemon {when}"


def _when(place: QueuePlace, waits: str) -> str:
    if waits and not place.after:
        when = f"due, waits: {waits}"
    elif place.starts_at is None:
        when = "running"
    elif place.status is AgendaStatus.WAITING:
        when = f"{place.trouble}; trying again {moment(place.starts_at)}"
    elif place.after:
        when = f"runs after {place.after}"
    elif place.status is AgendaStatus.APPROVED:
        when = "approved, runs next"
    else:
        when = f"runs {moment(place.starts_at)}"
    if place.of == 1:
        return when
    return f"{place.place} of {place.of}: {place.name}, {when}"
