"""The passages of notes and library that one question needs, and which of them answer it."""

from collections.abc import Callable, Iterable, Sequence

from daemon.app import App
from daemon.asking.excerpts import Answer, Answering, Effort, Rarity, rarity_of
from daemon.asking.follow_up import Context
from daemon.asking.statements import Passage, passage_of, passage_of_document
from daemon.model.notes import ChunkRow
from daemon.research.bm25 import terms
from daemon.usecases.prompt_models import Models
from vault_adapters.wikilink import note_name

_OF_CONTEXT = 4  # passages of notes that were cited before in the thread
_LINKING = 8  # notes of which the linked ones are read
_LINKED = 20  # of these, and passages of them
_NAMED = 0.75  # of the words of a query, that a name has
_OF_NAMED = 24  # passages of notes that are named by the query
_SPARE = 12  # passages beyond those that are read: some are of Lacuna's own notes


def _is_named(name: str, asked: set[str]) -> bool:
    """Return whether a note's name has most of the words of a query."""
    return len(asked & set(terms(name))) >= _NAMED * len(asked)


class Retriever:
    """Finds passages for one question. A model that is late is replaced by words.

    `check` is called between the steps, and raises StoppedError if nobody waits for them any more.
    """

    def __init__(self, app: App, models: Models, check: Callable[[], None]) -> None:
        self._app, self._models, self._check = app, models, check
        search = app.index.knowledge.search
        own = models.embedder
        self._search = search if own is None else search.with_embedder(own)

    def checking(self, check: Callable[[], None]) -> "Retriever":
        """Return the same with another check."""
        return Retriever(self._app, self._models, check)

    def excerpts(self, context: Context, effort: Effort) -> tuple[Answer, str]:
        """Return what answers best, and what limited it, or ""."""
        question = context.asked.whole
        documents, remark = self._documents(question, effort.documents)
        passages = [*self._notes(question, effort.passages), *documents]
        seen = {(each.ref, each.line) for each in passages}
        chunks = self._ranked(context.notes, context.asked.question)[:_OF_CONTEXT]
        before = self._passages(chunks)
        passages += [each for each in before if (each.ref, each.line) not in seen]
        answering = Answering(
            self._models.embedder, self._models.reranker, self.rarity(), self._check
        )
        return answering.answer(question, passages, effort), remark or self.remark

    @property
    def remark(self) -> str:
        """What limited the answer: a model that was late, or did not work; or ""."""
        patience = self._models.patience
        if not patience.is_late:
            why = patience.trouble
            return f"a model could not be used, so words decided more: {why}" if why else ""
        return (
            f"answered by words alone: the models were not ready within {patience.seconds:g}"
            " seconds; `lacuna run` keeps them loaded"
        )

    def passages(self, query: str, most: int) -> list[Passage]:
        """Return the best passages of notes, then of the library; of a note that is named by the
        query all of them.
        """
        found, asked = self._notes(query, most), set(terms(query))
        named = dict.fromkeys(each.ref for each in found if _is_named(each.name, asked))
        known = {(each.ref, each.line) for each in found}
        rest = self._passages(self._ranked(named, query)[:_OF_NAMED]) if asked else []
        found += [each for each in rest if (each.ref, each.line) not in known]
        return [*found, *self._documents(query, most)[0]]

    def linked(self, paths: Sequence[str], query: str) -> list[Passage]:
        """Return the passages of linked notes that have the most words of a query."""
        targets = (
            link.resolved
            for path in paths[:_LINKING]
            for link in self._app.stores.notes.links(path)
            if link.resolved is not None and link.resolved not in paths
        )
        linked = list(dict.fromkeys(targets))[:_LINKED]
        return self._passages(self._ranked(linked, query)[:_LINKED])

    def rarity(self) -> Rarity:
        """Return how rare words are among the notes."""
        notes = self._app.stores.notes
        total = notes.counts()[0]
        return lambda word: rarity_of(notes.notes_saying(word), total)

    def _notes(self, question: str, most: int) -> list[Passage]:
        """Return the best of the user's notes; of Lacuna's only those that were accepted."""
        self._check()
        ours = self._app.index.knowledge.unaccepted_paths()
        chunks = self._search.passages(question, most + _SPARE)
        return self._passages([each for each in chunks if each.note not in ours][:most])

    def _ranked(self, paths: Iterable[str], query: str) -> list[ChunkRow]:
        """Return the chunks of the user's notes, those with the most words of a query first."""
        self._check()
        wanted, ours = set(terms(query)), self._app.index.knowledge.unaccepted_paths()
        notes = self._app.stores.notes
        chunks = [chunk for path in paths if path not in ours for chunk in notes.chunks(path)]
        return sorted(chunks, key=lambda each: -len(wanted & set(terms(each.text))))

    def _passages(self, chunks: Sequence[ChunkRow]) -> list[Passage]:
        names = self._app.index.knowledge.titles_of(each.note for each in chunks)
        return [passage_of(each, names.get(each.note) or note_name(each.note)) for each in chunks]

    def _documents(self, question: str, most: int) -> tuple[list[Passage], str]:
        """Return the best passages of the library, and why only words found them, or ""."""
        self._check()
        if self._app.index.library is None:
            return [], ""
        found, trouble = self._app.index.library.search(question, most)
        passages = [
            passage_of_document(each.document.path, each.document.title, each.passage)
            for each in found
        ]
        return passages, trouble
