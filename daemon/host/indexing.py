"""Keep the index of the vault and of the library up to date, in small steps."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from daemon.app import App
from daemon.host.due import Due
from daemon.host.heartbeats import Heartbeats
from daemon.host.isolation import Isolation
from daemon.host.jobs import Jobs
from daemon.host.small_work import SmallWork
from daemon.index.sync_report import SyncReport
from daemon.model.errors import ModelError
from daemon.model.wording import counted
from daemon.ports import Stop
from daemon.store.reporter import Reporter

_log = logging.getLogger(__name__)
_EMBED_SECONDS = 0.5  # of waiting for embeddings before other work gets its turn
# how often the whole database is checked: that takes a few seconds
_INTEGRITY_INTERVAL = timedelta(hours=6)
_LIBRARY_SCAN = timedelta(minutes=5)  # how often the library's files are compared with its index
_LIBRARY_SECONDS = 1.0  # of indexing it at a time


@dataclass(slots=True)
class Indexing:
    """Keeps the index up to date, and its database intact."""

    app: App
    now: Callable[[], datetime]
    stop: Stop
    due: Due
    jobs: Jobs
    isolation: Isolation
    heartbeats: Heartbeats
    small: SmallWork
    on_embedded: Callable[[], None]  # called on another thread
    _report: Reporter = field(init=False)
    _library: Reporter = field(init=False)

    def __post_init__(self) -> None:
        self._report, self._library = self.app.report, self.app.report

    def catch_up(self) -> bool:
        """Build the whole index, then complete the pending writes of a killed process.

        Returns whether the index is complete.
        """
        if self.now() >= self.due.reconcile_at:
            self.due.sync = self.due.whole = True
        if self.due.sync:
            self.isolation.run("sync", self._sync)
        if self.due.sync and not self.isolation.failure("sync"):  # for what changed meanwhile
            self.isolation.run("sync", self._sync)
        if not self.due.sync and self.due.resume:
            self.isolation.run("resume", self._resume)
        return not self.due.sync

    def embed(self) -> bool:
        """Embed in the background; return whether all is embedded. Raises ModelError.

        After an edit it waits a little, so that proposals know what the note is about.
        """
        embedding = self.app.index.knowledge.embedding
        if not self.due.embed or embedding is None:
            return True
        may_start = not embedding.is_long or self.jobs.may_compute("embedding")
        if embedding.total and not embedding.is_busy:
            paused = "" if may_start else " (paused)"
            self.heartbeats.report(f"embedding {embedding.total} passages{paused}")
        patience = 0.0 if embedding.is_busy else _EMBED_SECONDS
        try:
            self.due.embed = not embedding.step(
                patience, may_start=may_start, on_done=self.on_embedded
            )
        except ModelError:
            self._report.end_counted()
            raise
        if embedding.total:
            what = "embedding" if may_start else "embedding (paused)"
            self._report.progress(embedding.done, embedding.total, what)
        if not self.due.embed and embedding.done:
            _log.info("embedded %d passages", embedding.done)
            self.heartbeats.report("watching")
        return not self.due.embed

    @property
    def is_embedding(self) -> bool:
        """Return whether notes are yet to be embedded and can be."""
        return self.due.embed and not self.isolation.failure("embedding")

    def index_library(self) -> None:
        """Index a little of the library; more urgent work gets its turn in between."""
        library, now = self.app.index.library, self.now()
        if library is None:
            return
        if now >= self.due.library_at:
            self.due.library_at = now + _LIBRARY_SCAN
            library.scan()
            self.due.library = True
        if not self.due.library:
            return
        self.heartbeats.report("indexing the library")
        self.due.library = False  # also if the following steps fail
        self.due.library = library.step(_LIBRARY_SECONDS, self.stop)
        counts = library.progress().counts
        done = counts.files - counts.due + counts.embedded
        if self.due.library:
            total = max(counts.files + counts.documents, done + 1)
            self._library.progress(done, total, "indexing the library")
        else:
            self._library.end_counted()
            self.heartbeats.report("watching")

    def check_integrity(self) -> None:
        """Check the whole database periodically: damage may be where nothing reads it."""
        now, due_at = self.now(), self.due.integrity_at
        if due_at is None or now >= due_at:
            self.due.integrity_at = now + _INTEGRITY_INTERVAL
        if due_at is not None and now >= due_at:
            self.app.db.check_integrity(self.stop)

    def _resume(self) -> None:
        for path in self.app.resume(self.now()):
            _log.info("completed the pending write of %s", path)
        self.due.resume = False

    def _sync(self) -> None:
        self.heartbeats.report("indexing")
        due, report = self.due, self.app.report
        # It is not reported, but it has to be indexed.
        own_writes = self.app.review.own_writes
        due.whole |= own_writes.take_news()
        written = own_writes.many
        among = frozenset() if due.whole else frozenset(due.changed)
        due.whole = False  # after a failure the syncer scans the whole vault
        due.changed.clear()
        self.small.begin()
        try:
            found = self.app.index.knowledge.sync(
                now=self.now(),
                progress=report.progress,
                stop=self.stop,
                embed=False,
                among=among,
                urgent=self.small,
            )
        finally:
            report.end_counted()
        self._synced(found, is_whole=not among)
        # A decision that was carried out meanwhile: a review of the older index would reverse it.
        due.sync |= own_writes.many > written

    def _synced(self, report: SyncReport, *, is_whole: bool) -> None:
        """Record what is due after a sync."""
        self.app.review.inbox.files.recognise()
        if is_whole:
            minutes = timedelta(minutes=self.app.settings.index.rescan_minutes)
            self.due.reconcile_at = self.now() + minutes
        self.due.sync = self.small.needs_sync
        self.due.review = self.due.embed = True
        if (embedding := self.app.index.knowledge.embedding) is not None:
            embedding.begin()
        if report.changed or report.removed or report.renamed:
            _log.info(
                "indexed: %d changed, %d moved, %d removed; %d notes",
                len(report.changed),
                len(report.renamed),
                report.removed,
                report.notes,
            )
        self.heartbeats.report(f"watching {counted(report.notes, 'note')}")
