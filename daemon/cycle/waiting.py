"""The queue of agendas that will run: one after another, each with its place. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from daemon.model.agenda import Agenda, AgendaStatus
from vault_adapters.wikilink import note_name

NO_NAMES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Place:
    """One agenda's place among those that will run.

    `starts_at` is when it may begin, None if it is already running; it does so `after` another one,
    with its display name, if that one is before it at that time.
    """

    agenda: Agenda
    place: int
    starts_at: datetime | None
    name: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class Queue:
    """The agendas that will run, and the notes with a request that have no place yet.

    At `most` so many notes wait at once; `is_full` is whether so many do.
    """

    places: Sequence[Place]
    later: Sequence[str]
    most: int
    is_full: bool


def places(
    agendas: Sequence[Agenda], now: datetime, called: Mapping[str, str] = NO_NAMES
) -> list[Place]:
    """Give every agenda that runs automatically its place; those that wait for approval have none.

    `agendas` are in the order of their creation, in which due ones run; `called` are the display
    names of notes, by path.
    """
    timed = [(agenda, _starts_at(agenda, now)) for agenda in agendas]
    ordered = sorted(
        ((agenda, at) for agenda, at in timed if at is not None),
        key=lambda each: (each[0].status is not AgendaStatus.RUNNING, max(each[1], now)),
    )
    found: list[Place] = []
    for number, (agenda, at) in enumerate(ordered, start=1):
        is_running = agenda.status is AgendaStatus.RUNNING
        before = found[-1] if found else None
        waits = before is not None and (before.starts_at is None or before.starts_at >= at)
        found.append(
            Place(
                agenda,
                number,
                None if is_running else max(at, now),
                named(agenda, called),
                before.name if before is not None and waits and not is_running else "",
            )
        )
    return found


def named(agenda: Agenda, called: Mapping[str, str]) -> str:
    """Name the origin of an agenda: the note that requested it, or its trigger."""
    return title_of(agenda.note, called) if agenda.note else agenda.trigger


def title_of(path: str, called: Mapping[str, str]) -> str:
    """Return the display name of a note, in quotation marks."""
    return f"“{called.get(path) or note_name(path)}”"


def _starts_at(agenda: Agenda, now: datetime) -> datetime | None:
    if agenda.status in (AgendaStatus.RUNNING, AgendaStatus.APPROVED):
        return now
    return agenda.runs_at
