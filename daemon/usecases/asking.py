"""Answering a question from the vault and the library, with a citation for each statement."""

import time
from collections.abc import Hashable, Iterable, Sequence

from pydantic import Field

from daemon.app import App
from daemon.asking.excerpts import (
    QUICK,
    THOROUGH,
    Answer,
    Answering,
    Effort,
    Excerpt,
    Rarity,
    rarity_of,
)
from daemon.asking.follow_up import Context, context_of
from daemon.asking.perspectives import Subject
from daemon.asking.recent import RecentAnswers
from daemon.asking.routing import Mode
from daemon.asking.statements import Passage, passage_of, passage_of_document
from daemon.model.clock import now
from daemon.model.errors import LacunaError
from daemon.model.notes import ChunkRow
from daemon.model.threads import MAX_NAME_LENGTH
from daemon.research.bm25 import terms
from daemon.usecases.citing import Citation, citation
from daemon.usecases.document import Document, Number, Request, absent
from daemon.usecases.following import NOBODY, Follower
from daemon.usecases.oracle import Oracle, Retrieval, oracle
from daemon.usecases.playbook import Playbook, playbook
from daemon.usecases.routing import Routed, routed
from vault_adapters.wikilink import note_name

_OF_CONTEXT = 4  # passages of notes that were cited before in the thread
_LINKING = 8  # notes of which the linked ones are read
_LINKED = 20  # of these, and passages of them
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
    route: Routed = Field(description="How it was answered, and why.")
    understood: str | None = absent(
        "A follow-up question with the subject of its thread; absent: it needs none.",
        ["and its side effects (ibuprofen migraine)?"],
    )
    playbook: Playbook | None = absent("The view of a person or a source, in that mode.")
    oracle: Oracle | None = absent("Three perspectives on the question, in that mode.")


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
    found = _RECENT.answer(
        (*_key(app, context, effort), way.mode, way.people),
        lambda: _answered(app, context, effort, way, follower),
    )
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
    library = app.index.library.store.generation() if app.index.library is not None else ()
    index = (str(app.state), app.stores.notes.generation(), library)
    return (*index, context.asked.whole.casefold(), context.notes, effort)


def _answered(
    app: App, context: Context, effort: Effort, way: Routed, follower: Follower
) -> Answered:
    """Answer in the chosen mode; if it finds nothing, as a look-up."""
    if way.mode is Mode.PLAYBOOK and way.people:
        document, cited = playbook(app, context.asked.whole, way.people, follower)
        if document.summary:
            return _empty(context, "words").model_copy(
                update={"citations": cited, "playbook": document}
            )
        follower.report.handoff(
            Mode.PLAYBOOK, Mode.DIRECT, "no statement of theirs is on the topic"
        )
        return _direct(app, context, effort).model_copy(update={"playbook": document})
    if way.mode is Mode.ORACLE:
        return _weighed(app, context, effort, follower)
    if way.mode is Mode.JACKAL:
        follower.report.handoff(Mode.JACKAL, "you", "sources are asked by `lacuna search --web`")
    return _direct(app, context, effort)


def _weighed(app: App, context: Context, effort: Effort, follower: Follower) -> Answered:
    """Answer by three perspectives; if they find nothing, as a look-up."""
    retrieval = Retrieval(
        passages=lambda query, most: [*_notes(app, query, most), *_documents(app, query, most)[0]],
        linked=lambda paths, query: _linked(app, paths, query),
        answer=lambda: _excerpts(app, context, effort)[0],
    )
    subject = Subject.of(context.asked.whole, _rarity(app))
    document, cited = oracle(app, subject, retrieval, follower)
    if document.summary:
        return _empty(context, "words").model_copy(update={"citations": cited, "oracle": document})
    follower.report.handoff(Mode.ORACLE, Mode.DIRECT, "no perspective found a statement")
    return _direct(app, context, effort)


def _linked(app: App, paths: Sequence[str], query: str) -> list[Passage]:
    """Return the passages of linked notes that have the most words of a query."""
    targets = (
        link.resolved
        for path in paths[:_LINKING]
        for link in app.stores.notes.links(path)
        if link.resolved is not None and link.resolved not in paths
    )
    linked = list(dict.fromkeys(targets))[:_LINKED]
    return _passages(app, _ranked(app, linked, query)[:_LINKED])


def _ranked(app: App, paths: Iterable[str], query: str) -> list[ChunkRow]:
    """Return the chunks of the user's notes, those with the most words of a query first."""
    wanted, ours = set(terms(query)), app.index.knowledge.unaccepted_paths()
    chunks = [
        chunk for path in paths if path not in ours for chunk in app.stores.notes.chunks(path)
    ]
    return sorted(chunks, key=lambda each: -len(wanted & set(terms(each.text))))


def _empty(context: Context, by: str) -> Answered:
    """Return an answer that the caller completes."""
    return Answered(
        question=context.asked.question,
        citations=(),
        nearest=(),
        by=by,
        remarks=(),
        seconds=0,
        route=Routed(mode=Mode.DIRECT, reason="", people=()),
    )


def _direct(app: App, context: Context, effort: Effort) -> Answered:
    found, remark = _excerpts(app, context, effort)
    return _empty(context, found.by).model_copy(
        update={
            "citations": tuple(_citation(app, each) for each in found.excerpts),
            "nearest": tuple(_citation(app, each) for each in found.nearest),
            "remarks": (remark,) if remark else (),
        }
    )


def _excerpts(app: App, context: Context, effort: Effort) -> tuple[Answer, str]:
    """Return what answers best, and what limited it, or ""."""
    question = context.asked.whole
    documents, remark = _documents(app, question, effort.documents)
    passages = [*_notes(app, question, effort.passages), *documents]
    seen = {(each.ref, each.line) for each in passages}
    before = _passages(app, _ranked(app, context.notes, context.asked.question)[:_OF_CONTEXT])
    passages += [each for each in before if (each.ref, each.line) not in seen]
    answering = Answering(app.children.embedder, app.children.reranker, _rarity(app))
    return answering.answer(question, passages, effort), remark


def _rarity(app: App) -> Rarity:
    notes = app.stores.notes
    total = notes.counts()[0]
    return lambda word: rarity_of(notes.notes_saying(word), total)


def _citation(app: App, excerpt: Excerpt) -> Citation:
    return citation(app, excerpt.passage, excerpt.text, excerpt.statement, excerpt.source)


def _notes(app: App, question: str, most: int) -> list[Passage]:
    """Return the best passages of the user's notes; of Lacuna's only those that were accepted."""
    ours = app.index.knowledge.unaccepted_paths()
    chunks = app.index.knowledge.search.passages(question, most + _SPARE)
    return _passages(app, [each for each in chunks if each.note not in ours][:most])


def _passages(app: App, chunks: Sequence[ChunkRow]) -> list[Passage]:
    names = app.index.knowledge.titles_of(each.note for each in chunks)
    return [passage_of(each, names.get(each.note) or note_name(each.note)) for each in chunks]


def _documents(app: App, question: str, most: int) -> tuple[list[Passage], str]:
    """Return the best passages of the library, and why only words found them, or ""."""
    if app.index.library is None:
        return [], ""
    found, trouble = app.index.library.search(question, most)
    passages = [
        passage_of_document(each.document.path, each.document.title, each.passage) for each in found
    ]
    return passages, trouble
