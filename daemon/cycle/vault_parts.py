"""A part of the vault, a folder or a cluster: its notes, and what the library has on it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
from daemon.model.sources import LIBRARY
from daemon.reports.of_notes import MAX_NOTES, Part
from daemon.research.credibility import Table
from daemon.research.weigh import weigh
from daemon.store.findings import FindingStore
from daemon.store.reporter import Progress
from vault_adapters.note import Role
from vault_adapters.wikilink import note_name

_DOCUMENTS = 3  # of each note
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
        """Return the passages of notes that have text, those that most others link to first."""
        notes, inside = self.knowledge.notes, set(paths)
        counts = Counter(
            link.resolved
            for path in inside
            for link in notes.links(path)
            if link.resolved in inside
        )
        ordered = sorted(inside, key=lambda path: (-counts[path], path))
        names = self.knowledge.titles_of(ordered)
        found = {
            path: [
                passage_of(chunk, names.get(path) or note_name(path))
                for chunk in notes.chunks(path)
            ]
            for path in ordered
        }
        return {path: passages for path, passages in found.items() if passages}

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
