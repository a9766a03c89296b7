"""A part of the vault, a folder or a cluster: its notes, and what the library has on it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from daemon.agenda.scope import WHOLE
from daemon.asking.excerpts import rarity_of
from daemon.asking.statements import Passage, passage_of, passage_of_document
from daemon.cycle.knowledge import Knowledge
from daemon.library.library import Library
from daemon.library.library_search import Found
from daemon.model.errors import LacunaError
from daemon.model.evidence import Document, Hit, SourceType
from daemon.model.finding import FindingSource, FindingStatus
from daemon.model.progress import Progress
from daemon.model.sources import LIBRARY
from daemon.reports.facets import Label, headings_in
from daemon.reports.of_notes import MAX_NOTES, Part, by_weight
from daemon.research.bm25 import terms
from daemon.research.credibility import Table
from daemon.research.weigh import weigh
from daemon.store.findings import FindingStore
from vault_adapters.note import Role
from vault_adapters.wikilink import note_name

_DOCUMENTS = 3  # of each note
_AROUND = 40  # chunks and documents from which the facets of a topic come
_NAMED = 12  # parts that a message lists
_MAX_TEXT = 200_000  # characters of a document


@dataclass(frozen=True, slots=True)
class VaultParts:
    """Finds parts of the vault by name."""

    knowledge: Knowledge
    findings: FindingStore
    library: Library | None
    table: Table

    def rarity(self, word: str) -> float:
        """Return how rare a word is in the vault."""
        notes = self.knowledge.notes
        return rarity_of(notes.notes_saying(word), notes.counts()[0])

    def labels(self, topic: str) -> Iterator[Label]:
        """Yield headings, titles and aliases of the notes and documents around a topic, those of
        the notes that link to them or that they link to included.
        """
        notes, asked = self.knowledge.notes, set(terms(topic))
        ours = self.knowledge.unaccepted_paths()
        chunks = self.knowledge.search.with_embedder(None).passages(topic, _AROUND)
        near = (each for each in chunks if asked <= set(terms(f"{each.note} {each.text}")))
        paths = dict.fromkeys(each.note for each in near if each.note not in ours)
        about = [path for path in paths if asked <= set(terms(note_name(path)))]
        linked = (link.resolved for path in about for link in notes.links(path))
        for path in dict.fromkeys([*paths, *filter(None, linked)]):
            row = notes.get(path)
            if row is None or path in ours:
                continue
            names = (row.title, *row.aliases)
            yield from (Label(path, name, is_own=True) for name in names)
            is_named = path in about
            headings = (each.text for each in row.headings)
            yield from (Label(path, each, is_own=True, is_named=is_named) for each in headings)
        documents, _ = self.library.search(topic, _AROUND) if self.library else ([], "")
        for stored in (each.document for each in documents if asked <= set(terms(each.passage))):
            for text in (stored.title, *headings_in(stored.text[:_MAX_TEXT])):
                yield Label(stored.path, text, is_own=False)

    def find(self, name: str, now: datetime, progress: Progress) -> Part:
        """Return the folder or cluster of a name. Raises LacunaError if there is none."""
        title, paths = self._paths(name, now, progress)
        notes = self._passages(paths)
        if not notes:
            raise LacunaError(f"{title} has no notes with text")
        gaps = self.knowledge.analysis.gaps(now, WHOLE, progress)
        return Part(
            name=note_name(title),
            place=title,
            notes=notes,
            sources=self._sources(notes, now),
            findings=self._findings(paths),
            gaps=[gap for gap in gaps if 2 * len(paths & {*gap.notes}) > len(gap.notes)],
        )

    def _paths(self, name: str, now: datetime, progress: Progress) -> tuple[str, set[str]]:
        """Return the name as it is spelled, and the paths of the user's notes."""
        own = self.knowledge.unaccepted_paths()
        rows = [
            row.path
            for row in self.knowledge.notes.all()
            if row.role in (Role.NOTE, Role.DAILY) and row.path not in own
        ]
        wanted = name.strip("/").casefold()
        folders = {
            "/".join(parts[:depth])
            for path in rows
            for parts in (path.split("/")[:-1],)
            for depth in range(1, len(parts) + 1)
        }
        matching = [each for each in sorted(folders) if each.casefold() == wanted] or [
            each for each in sorted(folders) if each.rpartition("/")[2].casefold() == wanted
        ]
        if matching:
            return matching[0], {path for path in rows if path.startswith(f"{matching[0]}/")}
        clusters = self.knowledge.analysis.health(now, progress).clusters
        for cluster in clusters:
            if cluster.label.casefold() == wanted:
                return cluster.label, set(cluster.notes) & set(rows)
        named = [*(each.label for each in clusters), *sorted(folders)][:_NAMED]
        raise LacunaError(f"{name}: no folder and no cluster of the vault; try {', '.join(named)}")

    def _passages(self, paths: Iterable[str]) -> dict[str, list[Passage]]:
        """Return the passages of notes that have text, those that most others link to first, then
        those that say most on what all of them are about.
        """
        notes, inside = self.knowledge.notes, set(paths)
        counts = Counter(
            link.resolved
            for path in inside
            for link in notes.links(path)
            if link.resolved in inside
        )
        ordered = sorted(inside)
        names = self.knowledge.titles_of(ordered)
        found = {
            path: [
                passage_of(chunk, names.get(path) or note_name(path))
                for chunk in notes.chunks(path)
            ]
            for path in ordered
        }
        filled = {path: passages for path, passages in found.items() if passages}
        return {path: filled[path] for path in by_weight(filled, counts, self.rarity)}

    def _sources(
        self, notes: Mapping[str, Sequence[Passage]], now: datetime
    ) -> dict[str, list[tuple[FindingSource, Passage]]]:
        """Return by note the documents of the library that match its name."""
        if self.library is None:
            return {}
        found = {}
        for path, passages in list(notes.items())[:MAX_NOTES]:
            documents, _ = self.library.search(passages[0].name, _DOCUMENTS)
            found[path] = [self._source(each, now) for each in documents]
        return found

    def _source(self, found: Found, now: datetime) -> tuple[FindingSource, Passage]:
        stored = found.document
        url = Path(stored.path).as_uri()
        hit = Hit(LIBRARY, SourceType.LIBRARY, url, stored.title or Path(stored.path).name)
        passage = passage_of_document(stored.path, stored.title, stored.text[:_MAX_TEXT])
        document = Document(
            id=sha256(stored.path.encode("utf-8", "replace")).hexdigest()[:16],
            key=url,
            hit=hit,
            final_url=url,
            fetched_at=now,
            sha256=stored.digest,
            text=passage.text,
            extracted_by="text",
            via=LIBRARY,
        )
        return FindingSource(document, weigh(document, None, self.table)), passage

    def _findings(self, paths: set[str]) -> list[str]:
        """Return the paths of findings about these notes that were not dismissed."""
        return [
            record.path
            for record in self.findings.all()
            if record.about in paths and record.status is not FindingStatus.DISMISSED
        ]
