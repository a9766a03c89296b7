"""How a question is going to be answered, and why."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import Field

from daemon.app import App
from daemon.asking.attribution import SIGNS, Person, persons_of
from daemon.asking.people import NameTable
from daemon.asking.routing import Mode, Route, route
from daemon.usecases.document import Document

_CHOSEN = "you chose it"


class Routed(Document):
    """The mode that was chosen for a question, and why."""

    mode: Mode = Field(
        description="direct: a look-up; oracle: for and against; jackal: current events "
        "and unknown names, which sources may answer better; playbook: what a person or a source "
        "says."
    )
    reason: str = Field(description="Why, in words.", examples=["it asks for a comparison"])
    people: tuple[str, ...] = Field(
        description='Persons and sources of the vault that it is about; "you": the user.'
    )


def routed(
    app: App,
    question: str,
    chosen: Mode | None,
    today: date,
    before: Mapping[str, Any] | None = None,
) -> Routed:
    """Return how to answer a question.

    `chosen` is the user's choice, `before` the route of the question that this one follows.
    """
    names = _people(app).names
    found = route(question, names, lambda word: app.stores.notes.notes_saying(word) > 0, today)
    if chosen is not None:
        found = Route(chosen, _CHOSEN, found.people or _mentioned(names, question))
    elif found.mode is Mode.DIRECT and (who := _viewed(before)):
        found = Route(Mode.PLAYBOOK, f"it follows a question about {' and '.join(who)}", who)
    return Routed(mode=found.mode, reason=found.reason, people=found.people)


def _viewed(before: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return whose view the question before asked for."""
    return tuple(before["people"]) if before and before["mode"] == Mode.PLAYBOOK else ()


def persons(app: App) -> Mapping[str, Person]:
    """Return the persons and sources of notes and library, by name."""
    return _people(app).persons


@dataclass(frozen=True, slots=True)
class _People:
    """The persons and sources of one state of the index."""

    persons: Mapping[str, Person]
    names: NameTable


_LAST: dict[str, tuple[Hashable, _People]] = {}  # by the state folder of the vault


def _people(app: App) -> _People:
    """Return the persons of the index as it is; of the last one, they are known."""
    library, notes = app.index.library, app.stores.notes
    version = (notes.generation(), library.store.generation() if library is not None else "")
    last = _LAST.get(str(app.state))
    if last is not None and last[0] == version:
        return last[1]
    documents = tuple(library.store.authored()) if library is not None else ()
    found = persons_of(notes.with_any(SIGNS), documents)
    people = _People(found, NameTable(found))
    _LAST[str(app.state)] = (version, people)
    return people


def _mentioned(names: NameTable, question: str) -> tuple[str, ...]:
    found = (name for each in names.mentions(question) for name in each.names)
    return tuple(dict.fromkeys(found))
