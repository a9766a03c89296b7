"""Archive finished agendas, digests and briefings.

Only the current place of a note counts: one that cannot be moved now is moved the next time.
"""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, tzinfo
from functools import partial

from daemon.cycle.knowledge import Knowledge
from daemon.inbox.files import InboxFiles
from daemon.model.agenda import AgendaStatus
from daemon.model.finding import FindingStatus
from daemon.model.notes import NoteRow
from daemon.model.own_notes import is_inside
from daemon.store.agendas import AgendaStore
from daemon.store.digests import DigestStore
from daemon.store.findings import FindingStore
from vault_adapters.edit import read_stamp

_log = logging.getLogger(__name__)

DIGEST_KEPT = timedelta(days=14)  # two weekly reviews, though not everything in it is decided
_ENDED = (AgendaStatus.DONE, AgendaStatus.CANCELLED, AgendaStatus.FAILED)


class Tidy:
    """Archives agendas that have ended, digests that are decided or old, and all briefings but the
    newest.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        agendas: AgendaStore,
        digests: DigestStore,
        findings: FindingStore,
        files: InboxFiles,
        *,
        tz: tzinfo,
    ) -> None:
        self._knowledge = knowledge
        self._agendas = agendas
        self._digests = digests
        self._findings = findings
        self._files = files
        self._tz = tz

    def tidy(self, now: datetime) -> None:
        """Archive what is due; the index must be up to date."""
        rows = [row for row in self._knowledge.own_notes() if self._is_listed(row)]
        self._archive_agendas(_of_type(rows, "agenda"))
        self._archive_digests(_of_type(rows, "digest"), now)
        self._archive_all_but_newest(_of_type(rows, "briefing"))
        self._files.remove_empty_folders()

    def _is_listed(self, row: NoteRow) -> bool:
        files = self._files
        return is_inside(row.path, files.folder) and not is_inside(row.path, files.archive)

    def _archive_agendas(self, rows: Iterable[NoteRow]) -> None:
        for row in rows:
            agenda = self._agendas.get(_id(row))
            if agenda is not None and agenda.status in _ENDED:
                self._archive(row, partial(self._agendas.repath, agenda.id))

    def _archive_digests(self, rows: Iterable[NoteRow], now: datetime) -> None:
        """Archive digests whose findings are all decided, once there is a newer one, and old ones.

        One that the user changed since it was last read waits until it was read.
        """
        known = {digest.id: digest for digest in self._digests.all()}
        newest = max((digest.day for digest in known.values()), default="")
        pending = self._findings.all(FindingStatus.PENDING)
        undecided = {run for record in pending for run in (record.run, record.hold)}
        oldest = f"{(now - DIGEST_KEPT).astimezone(self._tz):%Y-%m-%d}"
        for row in rows:
            digest = known.get(_id(row))
            if digest is None or digest.content_hash != row.hash:
                continue
            is_decided = undecided.isdisjoint(digest.runs)
            is_done = digest.day < newest and (is_decided or digest.day < oldest)
            if is_done:
                self._archive(row, partial(self._digests.repath, digest.id))

    def _archive_all_but_newest(self, rows: Iterable[NoteRow]) -> None:
        timed = [(read_stamp(row.frontmatter.get("created"), self._tz), row) for row in rows]
        known = sorted(((at, row) for at, row in timed if at is not None), key=lambda each: each[0])
        for _, row in known[:-1]:
            self._archive(row)

    def _archive(self, row: NoteRow, repath: Callable[[str], None] = lambda _: None) -> None:
        """Move a note into the archive; `repath` stores its new path before the move.

        A process that is killed in between finds the note in its old place, and moves it again.
        After the move nothing would show that the stored path is outdated.
        """
        archive, taken = self._files.archive, self._knowledge.paths()
        if self._files.move(row.path, archive, taken=taken, before=repath) is not None:
            _log.info("%s: archived", row.path)
        else:
            repath(row.path)


def _of_type(rows: Iterable[NoteRow], kind: str) -> list[NoteRow]:
    return [row for row in rows if row.frontmatter.get("type") == kind]


def _id(row: NoteRow) -> str:
    return str(row.frontmatter["lacuna_id"])
