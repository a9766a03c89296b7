"""The health of the whole vault, by an analysis of its index in this process or another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import date, datetime, timedelta
from hashlib import sha256

from daemon.agenda.scope import WHOLE, Scope, within
from daemon.analysis.health import Cluster, Health
from daemon.analysis.keep import health_to_json, rules
from daemon.analysis.read_health import health_from_json
from daemon.analysis.score import MAX_PER_SHAPE
from daemon.cycle.analysis_options import AnalysisOptions
from daemon.model.agenda import Gap
from daemon.model.errors import StoreError
from daemon.model.health_day import HealthDay
from daemon.model.progress import Progress, no_progress
from daemon.store.findings import FindingStore
from daemon.store.healths import HealthStore
from daemon.store.notes import NoteStore


def day_of(health: Health) -> HealthDay:
    """Return the figures of an analysis."""
    return HealthDay(
        health.notes,
        health.links,
        len(health.isolated),
        len(health.unresolved),
        tuple(sorted((len(each.notes) for each in health.clusters), reverse=True)),
    )


Analyse = Callable[[NoteStore, AnalysisOptions, Progress], Health]


class VaultAnalysis:
    """The health of one vault, kept until something changes.

    `analyse` analyses the whole vault, in this process or another.
    """

    def __init__(
        self,
        notes: NoteStore,
        findings: FindingStore,
        healths: HealthStore,
        *,
        model: str,
        meaning_similarity: float,
        stale_days: int,
        analyse: Analyse,
    ) -> None:
        self._notes = notes
        self._findings = findings
        self._healths = healths
        self.model = model
        self._meaning_similarity = meaning_similarity
        self._stale_days = stale_days
        self._analyse = analyse
        self._unsaved: tuple[str, str, date, HealthDay] | None = None

    def health(self, now: datetime, progress: Progress = no_progress) -> Health:
        """Analyse the whole vault: graphs, clusters, gaps. The result is kept until a change.

        Ages count to the end of the day, so that the same vault looks the same all day long.
        """
        options = self.options(now)
        key = self._key(options)
        kept = self._healths.get(key)
        found = health_from_json(kept) if kept is not None else None
        if found is None:
            found = self._analyse(self._notes, options, progress)
            self._unsaved = (key, health_to_json(found), now.date(), day_of(found))
            with suppress(StoreError):  # it is only kept to be faster the next time
                self.keep_of(self)
        return found

    def keep_of(self, other: VaultAnalysis) -> None:
        """Store the last analysis of an object that could not. Raises StoreError."""
        if other._unsaved is None:
            return
        key, body, day, figures = other._unsaved
        self._healths.save(key, body)
        self._healths.keep_day(day, json.dumps(asdict(figures)))
        other._unsaved = None

    def days(self, since: date) -> dict[date, HealthDay]:
        """Return the figures of each day on which the vault was analysed, the oldest first."""
        found = self._healths.days(since)
        return {day: HealthDay(**json.loads(body)) for day, body in found.items()}

    def last_clusters(self) -> Sequence[Cluster]:
        """Return the clusters of the last analysis, which may be out of date; () without one."""
        kept = self._healths.last()
        found = health_from_json(kept) if kept is not None else None
        return found.clusters if found is not None else ()

    def gaps(
        self, now: datetime, scope: Scope = WHOLE, progress: Progress = no_progress
    ) -> Sequence[Gap]:
        """Return the gaps of the vault, or of a part of it, the best first.

        Of a large vault only so many of each shape are kept: then the part is analysed separately.
        """
        found = self.health(now, progress).gaps
        shapes = Counter(gap.shape for gap in found)
        if scope.is_whole or max(shapes.values(), default=0) < MAX_PER_SHAPE:
            return within(found, scope, {row.path: row.tags for row in self._notes.all()})
        options = replace(self.options(now), scope=scope)
        return self._analyse(self._notes, options, progress).gaps

    def options(self, now: datetime) -> AnalysisOptions:
        """Return what an analysis at this time depends on."""
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return AnalysisOptions(
            self.model,
            self._meaning_similarity,
            self._stale_days,
            today + timedelta(days=1),
            lessons=self._findings.lessons(),
        )

    def map_key(self) -> str:
        """Return a text that stands for all that the map depends on."""
        return f"{self._notes.generation()} {self.model} {self._meaning_similarity} {rules()}"

    def _key(self, options: AnalysisOptions) -> str:
        """Return a text that stands for all that the health depends on."""
        decided = sha256(repr(options.lessons).encode()).hexdigest()
        settings = f"{self.model} {self._meaning_similarity} {self._stale_days} {decided}"
        today = options.until - timedelta(days=1)
        return f"{self._notes.generation()} {today:%Y-%m-%d} {settings} {rules()}"
