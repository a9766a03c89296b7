"""The analysis of the whole vault, from its index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from daemon.agenda.scope import WHOLE, Scope, within
from daemon.index.calibrate import scale_of
from daemon.model.agenda import Gap
from daemon.model.errors import StoreError
from daemon.model.finding import Lesson
from daemon.store.derived import ChangedPartError, Derived, DerivedInMemory, DerivedStore
from daemon.store.findings import FindingStore
from daemon.store.healths import HealthStore
from daemon.store.notes import NoteStore

if TYPE_CHECKING:  # a daemon has the vault analysed in another process: it does without all that
    from daemon.analysis.health import Health


DERIVED = "derived.db"  # the file beside the index
_MAX_CACHED_TEXTS = 500  # texts


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """What an analysis depends on besides the index.

    `until` is the time up to which ages count, `scope` the part of the vault whose gaps are wanted,
    `lessons` are what the user's decisions on findings teach.
    """

    model: str
    meaning_similarity: float
    stale_days: int
    until: datetime
    scope: Scope = WHOLE
    lessons: tuple[Lesson, ...] = ()


def options_to_json(options: AnalysisOptions) -> dict[str, Any]:
    """Return JSON values for another process; see `options_from_json`."""
    lessons = [
        {**asdict(each), "decided_at": each.decided_at.isoformat()} for each in options.lessons
    ]
    return {**asdict(options), "until": options.until.isoformat(), "lessons": lessons}


def options_from_json(body: Mapping[str, Any]) -> AnalysisOptions:
    scope, lessons = body["scope"], body["lessons"]
    return AnalysisOptions(
        body["model"],
        body["meaning_similarity"],
        body["stale_days"],
        datetime.fromisoformat(body["until"]),
        Scope(tuple(scope["folders"]), tuple(scope["tags"])),
        tuple(
            Lesson(**{**each, "decided_at": datetime.fromisoformat(each["decided_at"])})
            for each in lessons
        ),
    )


Analyse = Callable[[NoteStore, AnalysisOptions], "Health"]


def analyse_vault(notes: NoteStore, options: AnalysisOptions) -> Health:
    """Analyse the vault in this process: graphs, clusters, gaps.

    What earlier analyses computed is stored beside the index and used where its inputs have not
    changed, so that the answer is that of a first analysis.
    """
    from daemon.analysis.keep import rules  # noqa: PLC0415 only an analysis needs it

    before = notes.generation()
    try:
        derived = DerivedStore(notes.file.with_name(DERIVED), f"{rules()} {options.model}")
        with closing(derived):
            try:
                with derived.keep_if(lambda: notes.generation() == before):
                    return compute(notes, options, derived)
            except ChangedPartError:
                derived.forget()
            with derived.keep_if(lambda: notes.generation() == before):
                return compute(notes, options, derived)
    except StoreError:  # no space or no permission: this is only a cache
        return compute(notes, options, DerivedInMemory())


def compute(notes: NoteStore, options: AnalysisOptions, derived: Derived) -> Health:
    """Analyse the vault; use what is `derived` as far as it holds, and bring it up to date."""
    from daemon.analysis.gaps import analyse  # noqa: PLC0415 only an analysis needs it
    from daemon.analysis.graph import COUNTED  # noqa: PLC0415 only an analysis needs it
    from daemon.analysis.note_facts import Reading  # noqa: PLC0415 only an analysis needs it
    from daemon.analysis.pooled import pooled_vectors  # noqa: PLC0415 only an analysis needs it

    keys, embedded = notes.embeddings.chunk_keys(options.model)
    reading = Reading(Texts(notes, keys), keys, derived)
    rows = notes.all()
    tags = {row.path: row.tags for row in rows}
    counted = {row.path for row in rows if row.role in COUNTED}
    vectors = pooled_vectors(notes, options.model, derived, counted, embedded)
    return analyse(
        rows,
        notes.link_ends(),
        vectors,
        reading,
        now=options.until,
        meaning_similarity=options.meaning_similarity,
        stale_days=options.stale_days,
        scale=scale_of(notes, options.model),
        lessons=options.lessons,
        choose=lambda gaps: within(gaps, options.scope, tags),
        derived=derived,
    )


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
        analyse: Analyse = analyse_vault,
    ) -> None:
        self._notes = notes
        self._findings = findings
        self._healths = healths
        self.model = model
        self._meaning_similarity = meaning_similarity
        self._stale_days = stale_days
        self._analyse = analyse

    def health(self, now: datetime) -> Health:
        """Analyse the whole vault: graphs, clusters, gaps. The result is kept until a change.

        Ages count to the end of the day, so that the same vault looks the same all day long.
        """
        from daemon.analysis.keep import health_from_json, health_to_json  # noqa: PLC0415 only an analysis

        options = self._options(now)
        key = self._key(options)
        kept = self._healths.get(key)
        found = health_from_json(kept) if kept is not None else None
        if found is None:
            found = self._analyse(self._notes, options)
            with suppress(StoreError):  # it is only kept to be faster the next time
                self._healths.save(key, health_to_json(found))
        return found

    def gaps(self, now: datetime, scope: Scope = WHOLE) -> Sequence[Gap]:
        """Return the gaps of the vault, or of a part of it, the best first.

        Of a large vault only so many of each shape are kept: then the part is analysed separately.
        """
        from daemon.analysis.score import MAX_PER_SHAPE  # noqa: PLC0415 only an analysis

        found = self.health(now).gaps
        shapes = Counter(gap.shape for gap in found)
        if scope.is_whole or max(shapes.values(), default=0) < MAX_PER_SHAPE:
            return within(found, scope, {row.path: row.tags for row in self._notes.all()})
        return self._analyse(self._notes, replace(self._options(now), scope=scope)).gaps

    def _options(self, now: datetime) -> AnalysisOptions:
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return AnalysisOptions(
            self.model,
            self._meaning_similarity,
            self._stale_days,
            today + timedelta(days=1),
            lessons=self._findings.lessons(),
        )

    def _key(self, options: AnalysisOptions) -> str:
        """Return a text that stands for all that the health depends on."""
        from daemon.analysis.keep import rules  # noqa: PLC0415 only an analysis

        decided = sha256(repr(options.lessons).encode()).hexdigest()
        settings = f"{self.model} {self._meaning_similarity} {self._stale_days} {decided}"
        today = options.until - timedelta(days=1)
        return f"{self._notes.generation()} {today:%Y-%m-%d} {settings} {rules()}"


class Texts(Mapping[str, str]):
    """Path → the note's own text as it was indexed; see `own_text`. The last read are held."""

    def __init__(self, notes: NoteStore, paths: Iterable[str]) -> None:
        self._notes = notes
        self._paths = dict.fromkeys(paths)
        self._held: dict[str, str] = {}

    def __getitem__(self, path: str) -> str:
        from daemon.analysis.own_text import own_chunk  # noqa: PLC0415 only an analysis needs it

        if path not in self._paths:
            raise KeyError(path)
        if path not in self._held:
            if len(self._held) == _MAX_CACHED_TEXTS:
                self._held.clear()
            parts = (own_chunk(each.heading, each.text) for each in self._notes.chunks(path))
            self._held[path] = "\n\n".join(parts)
        return self._held[path]

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
