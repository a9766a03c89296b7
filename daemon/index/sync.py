"""Update the index from the vault, reading only what changed.

    scan | compare | load, parse, put: in batches | resolve links | embed | save vectors

Each batch is one transaction. An interruption keeps the finished batches, and the next sync
continues from there.
"""

import logging
import time
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import PurePosixPath

from daemon.index.chunk import CHUNKER_VERSION
from daemon.index.compare import Plan, compare, split_nameable, unseen
from daemon.index.embedding import Embedding
from daemon.index.link_resolution import LinkResolution
from daemon.index.note_reading import Batch, Reader
from daemon.index.own import Ownership, Present
from daemon.index.parallel import Children, holds_many, max_children, parse_files
from daemon.index.parse import unparsed
from daemon.index.parse_worker import collecting_less
from daemon.index.sync_report import Moved, SyncReport, SyncWork, Tally, Urgent, report_of
from daemon.index.vectors import VectorIndex
from daemon.model.errors import CorruptStoreError, ModelError, StoreError
from daemon.model.finding import FindingState
from daemon.model.notes import StoredNote
from daemon.model.progress import Progress
from daemon.ports import Embedder, Stop
from daemon.store.notes import NoteStore
from vault_adapters.base import EmptiedVaultError, Glancing, VaultAdapter
from vault_adapters.note import Role, Scan, VaultFile

_log = logging.getLogger(__name__)

# Increase it whenever the stored data of a note changes: every note is then parsed again.
_INDEX_VERSION = f"7.{CHUNKER_VERSION}"
_NOTES_A_BATCH, _BYTES_A_BATCH = 1_000, 8_000_000
_NOTES_BETWEEN = 200  # in a batch when other work may have its turn after each
_FEW = 50  # notes that are checked individually; above this, the whole vault is scanned
_PATIENCE = 0.2  # seconds to wait for the model before other work gets a turn

_UNSTORABLE = (ValueError, TypeError, OverflowError)  # a value that SQLite rejects
_MANY = 10  # files that do not all disappear at once, unless their disk does
Meanwhile = Callable[[], None]
Requesting = Callable[[], Iterable[str]]  # paths of the notes that request research
Standings = Callable[[], Mapping[str, FindingState]]  # by `lacuna_id`


class Syncer:
    """Updates one vault's index; there is one per vault, in the process that may write."""

    def __init__(
        self,
        adapter: VaultAdapter,
        notes: NoteStore,
        vectors: VectorIndex | None,
        embedder: Embedder | None,
        *,
        inbox: str = "",
        standings: Standings = dict,
        requesting: Requesting = tuple,
        parsers: int | None = None,
    ) -> None:
        """`parsers` are the parsing processes; None starts as many as pay off."""
        self._adapter = adapter
        self._parsers = parsers
        self._standings = standings
        self._requesting = requesting
        self._inbox = inbox
        self._notes = notes
        self._embedder = embedder
        self.embedding = Embedding(notes, vectors, embedder) if embedder is not None else None
        self._links = LinkResolution(adapter, notes)
        self._writer = _NoteWriter(notes)
        self._is_whole = False  # whether the last scan of the vault was completed

    def sync(
        self,
        *,
        now: datetime,
        progress: Progress | None = None,
        stop: Stop | None = None,
        embed: bool = True,
        moved: Moved | None = None,
        among: Collection[str] = (),
        meanwhile: Meanwhile = lambda: None,
        urgent: Urgent | None = None,
    ) -> SyncReport:
        """Read what changed, and embed what has no embedding yet.

        With `among`, paths that are reported as changed, the rest of the vault is assumed to be
        unchanged, if they are a few edited notes; otherwise the whole vault is scanned.

        `meanwhile` is called now and then while the model works; it may sync, without embedding.
        What is `urgent` is read between two batches of a bulk change.
        What `moved` writes into the store is committed together with the note's new path. Raises
        StoppedError between two batches, VaultError if the vault is gone, StoreError. A missing
        model is not an error: the words are still indexed.
        """
        began = time.perf_counter()
        show, halt, tally = progress or _ignore_progress, stop or Stop(), Tally()
        self._outdate_other_versions()
        was_whole, self._is_whole = self._is_whole, False
        if not was_whole or not self._check_files(among, now, tally, moved or _ignore_move, halt):
            with closing(self._children()) as children:
                scan = self._adapter.scan()
                files, unnameable = split_nameable(scan.files)
                skipped = (*scan.unreadable, *unnameable)
                self._notes.state.save_unreadable({each.path: each.why for each in skipped})
                absent = [*scan.evicted, *self._unseen(scan)]
                into = SyncWork(now, tally, moved or _ignore_move, halt, show, urgent)
                self._read(files, absent, into, children)
        self._is_whole = True
        self._notes.languages.update()
        if embed and self.embedding is not None:
            self._embed(self.embedding, tally, show, halt, meanwhile)
        model = self._embedder.model if self._embedder is not None else ""
        return report_of(self._notes, model, tally, time.perf_counter() - began)

    def _children(self) -> Children:
        """Start the parsing children before the first scan of a large vault.

        They take as long to start as the scan takes.
        """
        children = Children(self._adapter.root)
        is_new = self._notes.state.resolved_by() is None
        if self._parsers is None and is_new and holds_many(self._adapter.root):
            children.start(max_children())
        return children

    def _unseen(self, scan: Scan) -> list[str]:
        """Return what is indexed but could not be checked. Raises EmptiedVaultError."""
        if scan.files and not scan.blocked:
            return []
        known = self._notes.stamps()
        if not (scan.files or scan.evicted or scan.blocked) and len(known) >= _MANY:
            raise EmptiedVaultError(
                f"{self._adapter.root} is empty, and {len(known)} files were in it: is its disk"
                " there? Nothing was forgotten; if you emptied it yourself, put a note into it"
            )
        return unseen(known, scan.blocked)

    def _outdate_other_versions(self) -> None:
        """Have every note parsed again if another version, or another adapter, read them."""
        version = f"{_INDEX_VERSION} {self._adapter.reads_as}"
        if self._notes.state.version() != version:
            with self._notes.transaction():
                self._notes.outdate_all()
                self._notes.state.save_version(version)

    def _outdate_decided(self, own: Ownership) -> None:
        """Have notes parsed again that were decided on since, or whose original is gone."""
        self._notes.outdate(
            path
            for path, role, frontmatter in self._notes.own_notes(self._inbox)
            if own.is_own(path, frontmatter) != (role is Role.OWN)
        )

    def _check_files(
        self,
        among: Collection[str],
        now: datetime,
        tally: Tally,
        moved: Moved,
        halt: Stop,
    ) -> bool:
        """Read a few edited notes; return whether that is all there is to do."""
        if not 0 < len(among) <= _FEW:
            return False
        own = Ownership(self._inbox, self._standings(), Present(self._notes))
        self._outdate_decided(own)
        known, names = self._notes.stamps_among(among), self._notes.names()
        if len(known) > 2 * _FEW or not known.keys() >= set(among):
            return False
        files = self._adapter.glance(known) if isinstance(self._adapter, Glancing) else None
        resolver = self._links.settled(names)
        if files is None or resolver is None:
            return False
        reader = Reader(resolver, known, (), now, own)
        with closing(self._batches(reader, compare(known, files), halt)) as batches:
            for batch in batches:
                self._writer.put(batch, tally, moved, halt)
        return self._notes.names() == names

    def _read(
        self,
        files: Sequence[VaultFile],
        absent: Sequence[str],
        into: SyncWork,
        children: Children,
    ) -> None:
        present = {*(file.path for file in files), *absent}
        own = Ownership(self._inbox, self._standings(), present)
        self._outdate_decided(own)
        known, names = self._notes.stamps(), self._notes.names()
        plan = compare(known, files, absent)
        paths = [*(file.path for file in files), *absent]
        mark = self._links.mark(paths, names)
        repoint = self._notes.state.resolved_by() != mark
        if not (plan.read or plan.gone or repoint):
            return
        if repoint:  # set before the first batch: until the end, links may have outdated targets
            self._notes.state.save_resolved_by("")
        resolver = self._links.resolver(mark, paths, names)
        reader = Reader(resolver, known, plan.gone, into.now, own)
        into.halt.check()
        written = self._read_parts(reader, plan, into, children, known)
        if (renamed := self._notes.names()) != names:  # known only now that the notes were read
            repoint, names = True, renamed
            mark = self._links.mark(paths, names)
            resolver = self._links.resolver(mark, paths, names)
        elif repoint and not known:  # every link has just been resolved while reading its note
            repoint = False
            self._notes.state.save_resolved_by(mark)
        if repoint:
            self._links.resolve_all(resolver, mark)
        if written > sum(bool(stamp.hash) for stamp in known.values()) / 2 and known:
            self._writer.tidy()

    def _read_parts(
        self, reader: Reader, plan: Plan, into: SyncWork, children: Children, known: Collection[str]
    ) -> int:
        """Read new paths, forget what is gone, then read the rest; return how many were written.

        Until every new path was read, a note that is gone may be one that moved: small work waits
        for that if it depends on such a note.
        """
        total = len(plan.read)
        if total > _FEW:
            into.progress(0, total, "reading")
        new = [file for file in plan.read if not plan.gone or file.path not in known]
        may_interrupt = known and not self._concerns_small_work(plan.gone)
        first = into if may_interrupt else replace(into, urgent=None)
        written = self._read_batches(reader, Plan(tuple(new), ()), first, children, total)
        self._writer.drop(plan, into.tally)
        rest = tuple(file for file in plan.read if plan.gone and file.path in known)
        return written + self._read_batches(reader, Plan(rest, ()), into, children, total)

    def _read_batches(
        self, reader: Reader, plan: Plan, into: SyncWork, children: Children, total: int
    ) -> int:
        """Read and keep what differs; return how many notes were written."""
        if not plan.read:
            return 0
        written = 0
        most = _NOTES_A_BATCH if into.urgent is None else _NOTES_BETWEEN
        found = self._batches(reader, plan, into.halt, children, most=most)
        with collecting_less(), closing(found) as batches:
            for batch in batches:
                self._writer.put(batch, into.tally, into.moved, into.halt)
                into.tally.files += batch.files
                written += len(batch.stored)
                into.progress(into.tally.files, total, "reading")
                into.halt.check()
                if into.urgent is not None:
                    self._read_urgent(reader, into, into.urgent)
        return written

    def _concerns_small_work(self, paths: Collection[str]) -> bool:
        """Return whether there are notes of ours, or ones that request research, among them."""
        if not paths:
            return False
        ours = (row.path for row in self._notes.with_property("lacuna_id"))
        return not {*ours, *self._requesting()}.isdisjoint(paths)

    def _read_urgent(self, reader: Reader, into: SyncWork, urgent: Urgent) -> None:
        """Read a few notes before the rest of a bulk change."""
        paths, adapter = urgent.changed(), self._adapter
        files = adapter.glance(paths) if paths and isinstance(adapter, Glancing) else None
        if not files:
            return
        with closing(self._batches(reader, Plan(files, ()), into.halt)) as batches:
            for batch in batches:
                self._writer.put(batch, into.tally, into.moved, into.halt)
        urgent.indexed()

    def _batches(
        self,
        reader: Reader,
        plan: Plan,
        halt: Stop,
        children: Children | None = None,
        most: int = _NOTES_A_BATCH,
    ) -> Generator[Batch, None, None]:
        """Read what differs, in batches that are written at once: at most so many notes."""
        batch = Batch()
        wanted = reader.wanted(plan.read)
        parsing = parse_files(self._adapter, wanted, self._parsers, children, halt)
        with closing(parsing) as shares:
            for share, parsed in shares:
                for each, held in zip(share, parsed, strict=True):
                    reader.take(each, held, batch)
                    if batch.files >= most or batch.bytes >= _BYTES_A_BATCH:
                        yield batch
                        batch = Batch()
        if batch.files:
            yield batch

    def _embed(
        self, embedding: Embedding, tally: Tally, show: Progress, halt: Stop, meanwhile: Meanwhile
    ) -> None:
        embedding.begin()
        if embedding.total:
            show(0, embedding.total, "embedding")  # loading the model takes a while

        def kept() -> None:
            show(embedding.done, embedding.total, "embedding")
            halt.check()

        try:
            while not embedding.step(_PATIENCE, on_kept=kept):
                halt.check()
                meanwhile()
        except ModelError as error:
            _log.warning("embedding paused: %s", error)
            tally.trouble = str(error)
            embedding.finish()
        tally.embedded = embedding.done


class _NoteWriter:
    """Writes batches of notes, and removes notes that are gone."""

    def __init__(self, notes: NoteStore) -> None:
        self._notes = notes

    def put(self, batch: Batch, tally: Tally, moved: Moved, halt: Stop) -> None:
        """Write a batch and count it. A note that the database rejects becomes a row with why."""
        try:
            self._write(batch, moved, halt)
        except _UNSTORABLE:
            batch.stored = [self._storable(rows, batch) for rows in batch.stored]
            self._write(batch, moved, halt)
        tally.changed += batch.changed
        tally.renamed += batch.renamed

    def drop(self, plan: Plan, tally: Tally) -> None:
        """Remove the notes of a plan that are gone, except those that moved."""
        moved = {old for old, _ in tally.renamed}
        gone = [path for path in plan.gone if path not in moved]
        if gone:
            self._notes.remove(gone)
            tally.removed = len(gone)

    def tidy(self) -> None:
        """Remove rewritten rows' marks from the full-text index, which works without this, too."""
        try:
            self._notes.tidy()
        except CorruptStoreError:
            raise
        except StoreError as error:
            _log.warning("searches stay a little slower: %s", error)

    def _storable(self, rows: StoredNote, batch: Batch) -> StoredNote:
        """Return the rows if the database accepts them, else a row that names the error."""
        try:
            self._notes.put([rows])
        except _UNSTORABLE as error:
            return unparsed(*batch.sources[rows.path], error)
        return rows

    def _write(self, batch: Batch, moved: Moved, halt: Stop) -> None:
        with self._notes.transaction():
            self._notes.remove(old for old, _ in batch.renamed)
            self._notes.put(batch.stored, halt.check)
            self._notes.restamp(batch.restamped)
            edited = [each for each in batch.edited if self._may_be_same(*each)]
            for old, new in (*batch.renamed, *edited):
                moved(old, new)

    def _may_be_same(self, old: str, new: str) -> bool:
        """Return whether two paths with one inode can be one note: an unrelated file may reuse the
        inode of a deleted one.
        """
        if PurePosixPath(old).name == PurePosixPath(new).name:
            return True
        before, after = (
            {word for chunk in self._notes.chunks(path) for word in chunk.text.lower().split()}
            for path in (old, new)
        )
        return 2 * len(before & after) >= max(1, min(len(before), len(after)))


def _ignore_move(old: str, new: str) -> None:
    """For callers that store nothing by a note's path."""


def _ignore_progress(done: int, total: int, what: str) -> None:
    """For callers that do not show progress."""
