"""A thread as a note: each question, with what answered it. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, Self

from daemon.model.threads import Turn
from vault_adapters.edit import stamp
from vault_adapters.inert import inert_line, yaml_text
from vault_adapters.wikilink import Linker

FOLDER = "Threads"


@dataclass(frozen=True, slots=True)
class Cited:
    """What answered a question. A note has a vault-relative path, a document its title."""

    note: str
    title: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class ThreadQuestion:
    """A question, when it was asked, and what answered it."""

    asked_at: datetime
    question: str
    citations: tuple[Cited, ...]

    @classmethod
    def of(cls, turn: Turn) -> Self:
        """Return a stored question; what an older version stored in another form is skipped."""
        listed = turn.answer.get("citations")
        rows = listed if isinstance(listed, list | tuple) else ()
        found = (each for each in rows if isinstance(each, Mapping))
        return cls(turn.asked_at, turn.question, tuple(map(_cited, found)))


@dataclass(frozen=True, slots=True)
class ThreadNote:
    """A thread to be written into the inbox."""

    id: str
    name: str
    created_at: datetime
    questions: tuple[ThreadQuestion, ...]


def thread_text(note: ThreadNote, *, link: Linker, tz: tzinfo = UTC) -> str:
    """Return the whole note."""
    head = [
        "---",
        "type: thread",
        f"lacuna_id: {yaml_text(note.id)}",
        f"created: {stamp(note.created_at, tz)}",
        "---",
        f"# Thread: {inert_line(note.name)}",
    ]
    lines = [line for each in note.questions for line in _question(each, link, tz)]
    return "\n".join([*head, *lines, ""])


def _question(question: ThreadQuestion, link: Linker, tz: tzinfo) -> Iterator[str]:
    yield from ("", f"## {inert_line(question.question)}", "")
    yield from (f"Asked on {question.asked_at.astimezone(tz):%Y-%m-%d at %H:%M}.", "")
    for each in question.citations:
        place = f" › {inert_line(each.heading)}" if each.heading else ""
        name = link(each.note) if each.note else inert_line(each.title)
        yield f"- {name}{place}: “{inert_line(each.text)}”"
    if not question.citations:
        yield "Nothing in the notes or the library answered this."


def _cited(found: Mapping[str, Any]) -> Cited:
    path, title = str(found.get("path", "")), str(found.get("name", ""))
    is_note = found.get("origin") == "note"
    heading = str(found.get("heading", ""))
    return Cited(
        path if is_note else "",
        title,
        "" if heading == title else heading,
        str(found.get("text", "")),
    )
