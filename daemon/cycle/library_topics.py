"""Topics of a run of the vault for which the library has a document."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from daemon.agenda.of_library import Shelf, library_gaps
from daemon.agenda.of_manual import manual_gaps
from daemon.agenda.scope import WHOLE, Scope
from daemon.analysis.code_names import CodeName
from daemon.cycle.knowledge import Knowledge
from daemon.cycle.late_research import research
from daemon.index.calibrate import scale_of
from daemon.library.closeness import Closeness
from daemon.model.agenda import Gap
from daemon.model.notes import NoteRow
from daemon.model.topics import topic_key
from daemon.store.agendas import AgendaStore
from daemon.store.findings import FindingStore
from daemon.store.library import LibraryStore

_MAX_COMPARED = 400  # notes, the last changed, that are compared with the library's embeddings
_MAX_NEAREST = 5  # documents of a note that are read for its name
_MAX_PASSAGES = 40  # passages with a code name, whose documents are read for its explanation
_RESTS = timedelta(days=60)  # after which the library is searched again for a topic


class LibraryTopics:
    """Compares the notes of the vault with the documents of the library."""

    def __init__(
        self,
        store: LibraryStore,
        knowledge: Knowledge,
        agendas: AgendaStore,
        findings: FindingStore,
    ) -> None:
        self._store = store
        self._knowledge = knowledge
        self._agendas = agendas
        self._findings = findings

    def gaps(self, now: datetime, scope: Scope = WHOLE) -> list[Gap]:
        """Return the topics, best first: documents that a finding quotes and topics that were
        researched lately do not count. Raises StoreError.
        """
        quoted = {url for record in self._findings.all() for url in record.sources}
        titles = {
            id_: title
            for id_, (title, path) in self._store.titles().items()
            if Path(path).as_uri() not in quoted
        }
        if not titles:
            return []
        knowledge = self._knowledge
        rows = [row for row in knowledge.notes.all() if scope.contains(row.path, row.tags)]
        late = sorted(rows, key=lambda row: (row.changed_at, row.path), reverse=True)
        model = knowledge.analysis.model
        vectors = {
            row.path: vector
            for row in late[:_MAX_COMPARED]
            if (vector := knowledge.vector(row.path)) is not None
        }
        close = Closeness(self._store, model, vectors, scale_of(knowledge.notes, model))
        shelf = Shelf(titles, close.of, lambda path: close.nearest(path, _MAX_NEAREST), self._text)
        researched = {
            topic_key(task.topic)
            for agenda, _ in self._agendas.ended_since(now - _RESTS)
            for task in agenda.tasks
        }
        found = library_gaps(rows, shelf)
        for row in late[:_MAX_COMPARED]:
            found += manual_gaps(row, knowledge.text(row.path), partial(self._explaining, titles))
        return [gap for gap in found if topic_key(gap.topic) not in researched]

    def of_note(self, row: NoteRow, body: str) -> list[Gap]:
        """Return what manuals of the library explain of the commands and functions in a note.

        Raises StoreError.
        """
        titles = {id_: title for id_, (title, _) in self._store.titles().items()}
        return manual_gaps(row, body, partial(self._explaining, titles)) if titles else []

    def _explaining(self, titles: Mapping[int, str], name: CodeName, note: str) -> Iterator[str]:
        """Yield the titles of the documents that explain an option or a function to a note."""
        passages = self._store.words.by_words(name.query, _MAX_PASSAGES)
        for id_ in dict.fromkeys(document for document, _, _ in passages):
            title = titles.get(id_, "")
            if name.is_named_by(title) and research.explains(name, note, title, self._text(id_)):
                yield title

    def _text(self, document: int) -> str:
        stored = self._store.get([document]).get(document)
        return stored.text if stored is not None else ""
