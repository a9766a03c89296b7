"""Answering a question from the vault and the library, with a citation for each statement."""

import time
from collections.abc import Hashable, Sequence
from urllib.parse import quote

from pydantic import Field

from daemon.app import App
from daemon.asking.excerpts import QUICK, THOROUGH, Answering, Effort, Excerpt, rarity_of
from daemon.asking.follow_up import Context, context_of
from daemon.asking.recent import RecentAnswers
from daemon.asking.routing import Mode
from daemon.asking.statements import (
    Passage,
    PassageOrigin,
    line_of,
    passage_of,
    passage_of_document,
)
from daemon.model.clock import now
from daemon.model.errors import LacunaError
from daemon.model.notes import ChunkRow
from daemon.model.threads import MAX_NAME_LENGTH
from daemon.research.bm25 import terms
from daemon.usecases.document import Document, Number, Request, absent
from daemon.usecases.following import NOBODY, Follower
from daemon.usecases.routing import Routed, routed
from vault_adapters.base import NoteError
from vault_adapters.wikilink import note_name

_OF_CONTEXT = 4  # passages of notes that were cited before in the thread
_RECENT = RecentAnswers["Answered"]()
_SPARE = 12  # passages beyond those that are read: some are of Lacuna's own notes


class AskRequest(Request):
    """A question about what the vault and the library say."""

    question: str = Field(
        min_length=1, description="A question in words.", examples=["why does bread go stale?"]
    )
    mode: Mode | None = Field(default=None, description="How to answer; null: rules decide.")
    thread: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_NAME_LENGTH,
        description="Name of the thread that the question continues or begins; null: none.",
    )
    thorough: bool = Field(default=False, description="Read more passages, and cite more of them.")


class Citation(Document):
    """An excerpt that answers, and where it is."""

    origin: PassageOrigin = Field(description="Whether it is from a note or from the library.")
    path: str = Field(description="Vault-relative path of a note; path of a document.")
    name: str = Field(description="What readers call the note; the document's title.")
    heading: str = Field(description='The heading that it is under, or "".')
    line: int = Field(description="Where it begins, from 1; 0 in a document.")
    text: str = Field(description="The statement and those around it, without markup.")
    statement: str = Field(description="The statement that answers best.")
    uri: str = Field(description="Opens it: obsidian:// or file://.")


class Answered(Document):
    """What answers a question. Nothing is in it that no passage says."""

    question: str = Field(description="The question as it was asked.")
    citations: tuple[Citation, ...] = Field(description="Best first; empty: nothing answers it.")
    nearest: tuple[Citation, ...] = Field(description="Without an answer: what is closest.")
    by: str = Field(description="What ranked them.", examples=["cross-encoder", "meaning", "words"])
    remarks: tuple[str, ...] = Field(
        description="What limited the answer, such as a missing model."
    )
    seconds: Number = Field(description="Duration, in seconds.")
    route: Routed = Field(description="How it was answered, and why so.")
    understood: str | None = absent(
        "A follow-up question with the subject of its thread; absent: it needs none.",
        ["and its side effects (ibuprofen migraine)?"],
    )


def ask(app: App, request: AskRequest, follower: Follower = NOBODY) -> Answered:
    """Answer from the index as it is. Raises LacunaError for an empty question."""
    began = time.monotonic()
    question = " ".join(request.question.split())
    if not question:
        raise LacunaError("the question is empty")
    turns = app.stores.threads.turns(request.thread) if request.thread is not None else []
    context = context_of(question, turns)
    way = routed(app, question, request.mode, now().astimezone(app.tz).date(), context.route)
    follower.report.routed(way.mode, way.reason)
    effort = THOROUGH if request.thorough else QUICK
    found = _RECENT.answer(_key(app, context, effort), lambda: _direct(app, context, effort))
    return found.model_copy(
        update={
            "question": question,
            "route": way,
            "understood": context.asked.whole if context.asked.subject else None,
            "seconds": round(time.monotonic() - began, 2),
        }
    )


def _key(app: App, context: Context, effort: Effort) -> tuple[Hashable, ...]:
    """Return what an answer depends on: the question, and the index."""
    library = app.library.store.generation() if app.library is not None else ()
    index = (str(app.state), app.stores.notes.generation(), library)
    return (*index, context.asked.whole.casefold(), context.notes, effort)


def _direct(app: App, context: Context, effort: Effort) -> Answered:
    question, notes = context.asked.whole, app.stores.notes
    total = notes.counts()[0]

    def rarity(word: str) -> float:
        return rarity_of(notes.notes_saying(word), total)

    answering = Answering(app.embedder, app.reranker, rarity)
    documents, remark = _documents(app, question, effort.documents)
    passages = [*_notes(app, question, effort.passages), *documents]
    seen = {(each.ref, each.line) for each in passages}
    passages += [each for each in _of_context(app, context) if (each.ref, each.line) not in seen]
    found = answering.answer(question, passages, effort)
    return Answered(
        question=question,
        citations=tuple(_citation(app, each) for each in found.excerpts),
        nearest=tuple(_citation(app, each) for each in found.nearest),
        by=found.by,
        remarks=(remark,) if remark else (),
        seconds=0,
        route=Routed(mode=Mode.DIRECT, reason="", people=()),
    )


def _of_context(app: App, context: Context) -> list[Passage]:
    """Return the passages of notes cited before that have the most words of the question."""
    wanted = set(terms(context.asked.question))
    chunks = [chunk for path in context.notes for chunk in app.stores.notes.chunks(path)]
    ranked = sorted(chunks, key=lambda each: -len(wanted & set(terms(each.text))))
    return _passages(app, ranked[:_OF_CONTEXT])


def _notes(app: App, question: str, most: int) -> list[Passage]:
    """Return the best passages of the user's notes; of Lacuna's only those that were accepted."""
    ours = app.knowledge.unaccepted_paths()
    chunks = app.knowledge.search.passages(question, most + _SPARE)
    return _passages(app, [each for each in chunks if each.note not in ours][:most])


def _passages(app: App, chunks: Sequence[ChunkRow]) -> list[Passage]:
    names = app.knowledge.titles_of(each.note for each in chunks)
    return [passage_of(each, names.get(each.note) or note_name(each.note)) for each in chunks]


def _documents(app: App, question: str, most: int) -> tuple[list[Passage], str]:
    """Return the best passages of the library, and why only words found them, or ""."""
    if app.library is None:
        return [], ""
    found, trouble = app.library.search(question, most)
    passages = [
        passage_of_document(each.document.path, each.document.title, each.passage) for each in found
    ]
    return passages, trouble


def _citation(app: App, excerpt: Excerpt) -> Citation:
    passage = excerpt.passage
    return Citation(
        origin=passage.origin,
        path=passage.ref,
        name=passage.name,
        heading=passage.heading,
        line=_line(app, excerpt),
        text=excerpt.text,
        statement=excerpt.statement,
        uri=_uri(app, passage),
    )


def _line(app: App, excerpt: Excerpt) -> int:
    """Return the line of the note as it is now."""
    passage = excerpt.passage
    if passage.origin is PassageOrigin.LIBRARY:
        return 0
    try:
        text = app.adapter.load(passage.ref).decode("utf-8", "replace")
    except NoteError:
        return passage.line
    return line_of(excerpt.source, text, passage.line)


def _uri(app: App, passage: Passage) -> str:
    """Return an address that opens the passage in the editor, the browser or a viewer."""
    if passage.origin is PassageOrigin.LIBRARY:
        return f"file://{quote(passage.ref)}"
    vault = app.adapter.root
    if (vault / ".obsidian").is_dir():
        file = passage.ref.removesuffix(".md")
        return f"obsidian://open?vault={quote(vault.name, safe='')}&file={quote(file, safe='')}"
    return f"file://{quote(str(vault / passage.ref))}"
