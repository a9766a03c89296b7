"""Answering a question from the vault and the library, with a citation for each statement."""

import time
from collections.abc import Hashable, Sequence

from pydantic import Field

from daemon.app import App
from daemon.asking.excerpts import QUICK, THOROUGH, Answering, Effort, Excerpt, rarity_of
from daemon.asking.follow_up import Context, context_of
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
from daemon.usecases.playbook import Playbook, playbook
from daemon.usecases.routing import Routed, routed
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
        found = _direct(app, context, effort)
        return found.model_copy(update={"playbook": document})
    return _direct(app, context, effort)


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
    question, notes = context.asked.whole, app.stores.notes
    total = notes.counts()[0]

    def rarity(word: str) -> float:
        return rarity_of(notes.notes_saying(word), total)

    answering = Answering(app.children.embedder, app.children.reranker, rarity)
    documents, remark = _documents(app, question, effort.documents)
    passages = [*_notes(app, question, effort.passages), *documents]
    seen = {(each.ref, each.line) for each in passages}
    passages += [each for each in _of_context(app, context) if (each.ref, each.line) not in seen]
    found = answering.answer(question, passages, effort)
    return _empty(context, found.by).model_copy(
        update={
            "citations": tuple(_citation(app, each) for each in found.excerpts),
            "nearest": tuple(_citation(app, each) for each in found.nearest),
            "remarks": (remark,) if remark else (),
        }
    )


def _citation(app: App, excerpt: Excerpt) -> Citation:
    return citation(app, excerpt.passage, excerpt.text, excerpt.statement, excerpt.source)


def _of_context(app: App, context: Context) -> list[Passage]:
    """Return the passages of notes cited before that have the most words of the question."""
    wanted = set(terms(context.asked.question))
    chunks = [chunk for path in context.notes for chunk in app.stores.notes.chunks(path)]
    ranked = sorted(chunks, key=lambda each: -len(wanted & set(terms(each.text))))
    return _passages(app, ranked[:_OF_CONTEXT])


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
