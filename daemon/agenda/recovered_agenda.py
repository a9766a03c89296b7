"""Restore an agenda from its note alone, when its record was lost. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from hashlib import sha256

from daemon.agenda.agenda_note import read_agenda
from daemon.model.agenda import Agenda, AgendaStatus, Depth, GapKind, Task
from daemon.model.topics import topic_key
from vault_adapters.edit import body_start, read_property, read_stamp

# The parts of a task's line, each matched separately: one pattern for the whole line takes cubic
# time.
_ID = re.compile(r"\^t-([0-9a-f]{8})$")
_BOX = re.compile(r"\[.\]\s++\*\*")
_BECAUSE = re.compile(r"\s[—–-]++\s++because\s++")
_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]")
_NAMED = re.compile(r"“([^“”]+)”")
# One that was running runs again: its results were lost with its record.
_GOES_ON_AS = {"running": AgendaStatus.APPROVED}


def recovered_agenda(
    text: str, id: str, path: str, *, sources: Sequence[str], tz: tzinfo
) -> Agenda | None:
    """Return the agenda described by one of our notes, or None if it cannot be restored.

    Uses those sources in its lines that still exist, or all sources if none does. A note does not
    contain the wording of its topics; see `_topic`.
    """
    created = read_stamp(read_property(text, "created"), tz)
    status = _status(str(read_property(text, "status")).strip().casefold())
    tasks = tuple(_tasks(text[body_start(text) :], sources))
    if created is None or status is None or not tasks:
        return None
    agenda = Agenda(
        id=id,
        created_at=created,
        runs_at=read_stamp(read_property(text, "runs_at"), tz),
        trigger=str(read_property(text, "trigger") or "a note"),
        status=status,
        depth=Depth.STANDARD,
        tasks=tasks,
        path=path,
    )
    read = read_agenda(text, agenda)
    return replace(read, tasks=tuple(replace(task, topic=_topic(task)) for task in read.tasks))


def _tasks(text: str, sources: Sequence[str]) -> Iterator[Task]:
    """Yield the task of each line with a box, names of sources and an id at its end."""
    for line in map(str.rstrip, text.split("\n")):
        if (id_ := _ID.search(line)) is None:
            continue
        text = line[: id_.start()].rstrip()
        for box in reversed([*_BOX.finditer(text)]):
            end = text.find("**", box.end() + 1)
            if end >= 0:
                because = _BECAUSE.search(text, end + 2)
                why = text[because.end() :] if because is not None else ""
                yield _task(id_[1], text[box.end() : end], why, sources)
                break


def _task(id_: str, names: str, because: str, sources: Sequence[str]) -> Task:
    named = {re.sub(r"\W", "", name).casefold() for name in names.split(",")}
    return Task(
        id=id_,
        topic="",
        query="",
        sources=tuple(name for name in sources if name in named) or tuple(sources),
        because=_LINK.sub(r"“\1”", because).strip() or "an agenda says so",
        note=None,
        kind=GapKind.GAP,
    )


def _topic(task: Task) -> str:
    """Find the topic from which the task's id was derived; if there is none, the query replaces it.

    A query begins with its topic, and a reason often names it.
    """
    words = task.query.split()
    named: list[str] = _NAMED.findall(task.because)
    for topic in (*(" ".join(words[:end]) for end in range(len(words), 0, -1)), *named):
        if sha256(topic_key(topic).encode()).hexdigest()[:8] == task.id:
            return topic
    return task.query


def _status(written: str) -> AgendaStatus | None:
    if written in _GOES_ON_AS:
        return _GOES_ON_AS[written]
    return AgendaStatus(written) if written in tuple(AgendaStatus) else None
