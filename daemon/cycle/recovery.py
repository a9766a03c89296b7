"""Restore a lost database from the folders of runs and our notes in the vault."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import partial

from daemon.agenda.recovered_agenda import recovered_agenda
from daemon.cycle.current_note import current_note
from daemon.cycle.knowledge import Knowledge
from daemon.cycle.late_research import research
from daemon.cycle.moved_inbox import MovedInbox
from daemon.findings.digest import runs_of
from daemon.findings.recovered_finding import is_never, recovered_finding, settled
from daemon.model.agenda import REQUESTED, Agenda, AgendaStatus, Choice
from daemon.model.errors import ReplayError
from daemon.model.finding import REVIEWED_KINDS, FindingRecord
from daemon.model.notes import NoteRow
from daemon.model.own_notes import RunNotes, SeenNote, is_inside
from daemon.model.run import RunStatus
from daemon.store.agendas import AgendaStore
from daemon.store.digests import DigestStore
from daemon.store.evidence import RunFolder
from daemon.store.findings import FindingStore
from daemon.store.meta import RecoveryState
from daemon.store.run_notes import NOTES, read_notes
from daemon.store.runs import RunStore
from daemon.store.topics import TopicStore
from daemon.store.triggers import TriggerStore
from vault_adapters.base import VaultAdapter
from vault_adapters.edit import read_property, read_stamp
from vault_adapters.wikilink import note_name

_log = logging.getLogger(__name__)

_YET_TO_RUN = (AgendaStatus.PROPOSED, AgendaStatus.APPROVED, AgendaStatus.WAITING)


@dataclass(frozen=True, slots=True)
class RecoveryStores:
    """Where restored data is stored."""

    agendas: AgendaStore
    findings: FindingStore
    digests: DigestStore
    runs: RunStore
    triggers: TriggerStore
    topics: TopicStore
    state: RecoveryState


class Recovery:
    """Fills a new database. Rows recovered from a corrupt one stay unchanged."""

    def __init__(
        self,
        stores: RecoveryStores,
        knowledge: Knowledge,
        adapter: VaultAdapter,
        moved: MovedInbox,
        *,
        inbox: str,
        sources: Sequence[str],
        tz: tzinfo,
        tag: str,
    ) -> None:
        self._stores = stores
        self._knowledge = knowledge
        self._adapter = adapter
        self._inbox = inbox
        self._moved = moved
        self._sources = sources
        self._tz = tz
        self._tag = tag  # by which notes ask for research

    @property
    def is_due(self) -> bool:
        return self._stores.state.is_due()

    @property
    def has_traces(self) -> bool:
        """Return whether there is anything of an earlier time: runs, or an inbox in the vault."""
        return self._stores.runs.any_kept() or (self._adapter.root / self._inbox).is_dir()

    def restore(self, now: datetime) -> int:
        """Restore everything unknown; the index must be up to date. Return how much that was.

        A new database learns everything; one that only lost its last changes (its journal was
        damaged) learns what the folders of runs prove to be ours. Agendas that have not run are
        restored from their notes only if there is a run folder: in a vault that another machine
        also watches, they are the other one's to run.
        """
        if not (self.is_due or self._is_incomplete()):
            return 0
        seen = self._sightings()
        with self._stores.state.transaction():
            if place := self._moved.rediscover():
                self._moved.save_place(place)
            folders = self._stores.runs.folders()
            learned = sum(self._run(folder, seen, now) for folder in folders)
            learned += sum(
                self._finding(row, note, now)
                for kind in sorted(REVIEWED_KINDS)
                for row, note in self._seen_of_kind(kind, seen)
            )
            for row, note in self._seen_of_kind("digest", seen):
                self._digest(row, note)
            if folders:
                learned += sum(
                    self._agenda(row, note, now) for row, note in self._seen_of_kind("agenda", seen)
                )
            self._fired()
            self._stores.state.save_done()
        if learned:
            _log.warning(
                "%d agendas, runs and findings were learned again from the runs' folders and the"
                " notes in the vault",
                learned,
            )
        return learned

    def _is_incomplete(self) -> bool:
        """Return whether there is a run, or a finding of one, that must have been known once."""
        if not self._stores.runs.any_kept():
            return False
        if self._stores.runs.unknown_folders():
            return True
        known = {record.id for record in self._stores.findings.all()}
        return any(
            row.frontmatter.get("type") == "finding"
            and _id(row) not in known
            and self._stores.runs.get(str(row.frontmatter.get("run") or "")) is not None
            for row in self._knowledge.own_notes()
        )

    def _sightings(self) -> dict[str, SeenNote]:
        """Return our notes by their `lacuna_id`; of several, one outside the inbox."""
        rows = self._knowledge.own_notes()
        notes = [(_id(row), note) for row in rows if (note := current_note(self._adapter, row))]
        notes.sort(key=lambda each: (is_inside(each[1].path, self._inbox), each[1].path))
        return dict(reversed(notes))

    def _seen_of_kind(
        self, kind: str, seen: Mapping[str, SeenNote]
    ) -> Iterator[tuple[NoteRow, SeenNote]]:
        """Yield our notes of one kind, by their `type`."""
        for row in self._knowledge.own_notes():
            note = seen.get(_id(row))
            if note is None or note.path != row.path or row.frontmatter.get("type") != kind:
                continue
            of = row.frontmatter.get("runs") or row.frontmatter.get("run") or ""
            run = str(of[0] if isinstance(of, list) else of)
            if self.is_due or kind == "agenda" or self._stores.runs.get(run) is not None:
                yield row, note

    def _run(self, folder: RunFolder, seen: Mapping[str, SeenNote], now: datetime) -> int:
        """Restore a run, its agenda, and the findings that it had begun to write."""
        try:
            agenda, notes = folder.agenda, _notes_of(folder)
            is_done = folder.id in notes.written
            status = RunStatus.DONE if is_done else RunStatus.RUNNING
            if folder.unreached:
                status = RunStatus.FAILED
            if agenda.id in seen:  # it is archived if it has ended, or was moved
                agenda = replace(agenda, path=seen[agenda.id].path)
            learned = self._agenda_of(agenda, is_done=is_done, now=now)
            learned += self._stores.runs.learn(folder, status, notes.written.get(folder.id, ""))
            for record in research.records_of(folder, notes):
                learned += self._restore_finding(record, seen.get(record.id), now)
        except ReplayError as error:
            _log.warning("%s", error)
            return 0
        return learned

    def _agenda_of(self, agenda: Agenda, *, is_done: bool, now: datetime) -> int:
        """Restore a run's agenda: one whose notes were not all written is to be run again."""
        if self._stores.agendas.get(agenda.id) is not None:
            return 0
        status = AgendaStatus.DONE if is_done else AgendaStatus.RUNNING
        self._stores.agendas.save(replace(agenda, status=status))
        self._never(agenda, now)
        return 1

    def _agenda(self, row: NoteRow, note: SeenNote, now: datetime) -> int:
        """Restore an agenda from its note, and its decisions on topics, if it has not ended."""
        if self._stores.agendas.get(_id(row)) is not None:
            return 0
        agenda = recovered_agenda(
            note.text, _id(row), note.path, sources=self._sources, tz=self._tz
        )
        if agenda is None:
            return 0
        self._never(agenda, now)
        if agenda.status not in _YET_TO_RUN:
            return 0
        self._stores.agendas.save(agenda, note.hash)
        return 1

    def _digest(self, row: NoteRow, note: SeenNote) -> None:
        created = read_stamp(read_property(note.text, "created"), self._tz)
        day = f"{created.astimezone(self._tz):%Y-%m-%d}" if created is not None else ""
        self._stores.digests.learn(_id(row), note.path, day=day, runs=runs_of(note.text))
        self._stores.digests.repath(_id(row), note.path)

    def _finding(self, row: NoteRow, note: SeenNote, now: datetime) -> int:
        title = row.headings[0].text if row.headings else row.title
        key_of = partial(research.key_of, title=title)
        record = recovered_finding(_id(row), note, title=title, key_of=key_of, tz=self._tz)
        return 0 if record is None else self._restore_finding(record, note, now)

    def _restore_finding(self, record: FindingRecord, note: SeenNote | None, now: datetime) -> int:
        """Restore a finding. The next review detects a missing note."""
        if self._stores.findings.get(record.id) is not None:
            return 0
        if note is not None:
            inbox = self._moved.saved_place() or self._inbox
            record = settled(record, note, inbox=inbox, at=now)
            if is_never(record, note):
                self._stores.topics.never_suggest(record.topic, at=now, by=record.id)
        self._stores.findings.learn(record)
        return 1

    def _never(self, agenda: Agenda, now: datetime) -> None:
        for task in agenda.tasks:
            if task.choice is Choice.NEVER:
                self._stores.agendas.never_suggest(task.topic, at=now, by=agenda.id)

    def _fired(self) -> None:
        """A note whose research request led to an agenda does not fire again."""
        agendas = self._stores.agendas.all()
        asked = {agenda.note for agenda in agendas}
        triggers = {agenda.trigger for agenda in agendas}
        triggers |= {str(row.frontmatter.get("trigger")) for row in self._knowledge.own_notes()}
        known = self._stores.triggers.values()
        for path, (row, request) in self._knowledge.with_requests(self._tag).items():
            has_fired = path in asked or any(
                f"{prefix}{name}" in triggers
                for prefix in REQUESTED
                for name in (row.title, note_name(row.path))
            )
            if has_fired and path not in known:
                self._stores.triggers.fired(path, request)


def _notes_of(folder: RunFolder) -> RunNotes:
    """Return what a run had written, possibly nothing yet."""
    if not folder.files.has(NOTES):
        return RunNotes("", (), {}, {})
    return read_notes(folder.files)


def _id(row: NoteRow) -> str:
    return str(row.frontmatter["lacuna_id"])
