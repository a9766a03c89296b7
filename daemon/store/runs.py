"""All runs: one row each, so that they can be listed without opening their folders."""

import json
import logging
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from daemon.model.agenda import Agenda
from daemon.model.errors import NotFoundError, ReplayError
from daemon.model.run import RunRow, RunStatus
from daemon.ports import RunStorage
from daemon.store.agendas import agenda_from_json
from daemon.store.citation_edges import CitationEdges
from daemon.store.db import Database, Row
from daemon.store.evidence import RunFolder
from daemon.store.run_search import RunSearch, texts_of

_log = logging.getLogger(__name__)


_SELECT = "SELECT runs.*, agendas.body AS plan FROM runs JOIN agendas ON agendas.id = runs.agenda"
_BY_BEGINNING = f"{_SELECT} WHERE substr(runs.id, 1, length(?1)) = ?1"
_NEWEST = f"{_SELECT} ORDER BY runs.id DESC LIMIT ?"
_AMONG = "WHERE runs.id IN (SELECT value FROM json_each(?)) ORDER BY runs.id DESC"
_THESE = f"{_SELECT} {_AMONG}"
_PRUNABLE = """
SELECT runs.* FROM runs JOIN agendas ON agendas.id = runs.agenda
WHERE (runs.status = 'failed'
    OR runs.status = 'done' AND agendas.status IN ('done', 'cancelled', 'failed'))
  AND runs.id NOT IN (SELECT run FROM findings WHERE status = 'pending' OR written = 0)
ORDER BY runs.id
"""


class RunStore:
    """The table of runs, and their files in `storage`. The agenda must be in its store already."""

    def __init__(self, db: Database, storage: RunStorage) -> None:
        self._db = db
        self.storage = storage
        self.edges = CitationEdges(db, storage)
        self._search = RunSearch(db)

    def folder(self, id_: str) -> RunFolder:
        return RunFolder(self.storage.files(id_))

    def prunable(self) -> list[RunRow]:
        """Return the runs whose folders are no longer needed, oldest first.

        An unfinished run needs its folder, and so does a finding that is not decided.
        """
        return self._runs(self._db.rows(_PRUNABLE))

    def mark_pruned(self, id_: str, now: datetime) -> None:
        """Record that a run's folder is about to be removed; its row stays."""
        self._db.execute(
            "UPDATE runs SET body = json_set(body, '$.pruned_at', ?) WHERE id = ?",
            (now.isoformat(), id_),
        )

    def any_kept(self) -> bool:
        """Return whether there is any run folder, in the table or not."""
        return bool(self.storage.runs())

    def begin(self, agenda: Agenda, now: datetime) -> RunFolder:
        """Resume the agenda's run, or start it.

        A finished one is resumed, too: after a kill before the agenda was marked as done, it ends
        with the same result.
        """
        row = self._db.row(
            "SELECT id FROM runs WHERE agenda = ? AND status != 'failed' ORDER BY id DESC",
            (agenda.id,),
        )
        id_ = new_run_id(now, agenda.id) if row is None else str(row["id"])
        try:
            folder = self.folder(id_)
        except ReplayError as error:
            _log.warning("restarted, because its evidence cannot be read: %s", error)
            self.end(id_, RunStatus.FAILED, now)
            return self.begin(agenda, now)
        self._db.execute(
            "INSERT INTO runs (id, agenda, status, started_at) VALUES (?, ?, 'running', ?)"
            " ON CONFLICT (id) DO UPDATE SET status = 'running'",
            (id_, agenda.id, now.isoformat()),
        )
        self._search.add(id_, texts_of(agenda))
        return folder

    def learn(self, folder: RunFolder, status: RunStatus, digest_path: str) -> int:
        """Store a run whose row was lost, and return 1; 0 if it is known.

        Its agenda must be stored already. Raises ReplayError.
        """
        return self._db.execute(
            "INSERT INTO runs (id, agenda, status, started_at, digest_path) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO NOTHING",
            (
                folder.id,
                folder.agenda.id,
                status.value,
                folder.started_at.isoformat(),
                digest_path,
            ),
        )

    def unknown_folders(self) -> bool:
        """Return whether there is a run folder that is not in the table."""
        known = {row["id"] for row in self._db.rows("SELECT id FROM runs")}
        return any(run not in known for run in self._begun())

    def folders(self) -> list[RunFolder]:
        """Return every run with a readable folder, oldest first."""
        found = []
        for run in self._begun():
            try:
                found.append(self.folder(run))
            except ReplayError as error:
                _log.warning("%s", error)
        return found

    def end(
        self,
        id_: str,
        status: RunStatus,
        now: datetime,
        *,
        digest_path: str = "",
        summary: Mapping[str, Any] | None = None,
        cited: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Record how a run ended, or that it was stopped and is to be resumed.

        `cited` are the sources that its findings cite.
        """
        body = json.dumps(summary or {}, ensure_ascii=False)
        with self._db.transaction():
            self._db.execute(
                "UPDATE runs SET status = ?, ended_at = ?, digest_path = ?, body = ? WHERE id = ?",
                (status.value, now.isoformat(), digest_path, body, id_),
            )
            self._search.add(id_, (summary or {}).get("titles", ()))
            self.edges.put(id_, cited)

    def get(self, ref: str) -> RunRow | None:
        """Find by id or by a unique prefix of it."""
        rows = self._db.rows(_BY_BEGINNING, (ref,))
        exact = [row for row in rows if row["id"] == ref]
        found = exact or rows
        return self._runs(found)[0] if ref and len(found) == 1 else None

    def all(self, limit: int = 1000) -> list[RunRow]:
        """Return runs, the newest first."""
        rows = self._db.rows("SELECT * FROM runs ORDER BY id DESC LIMIT ?", (limit,))
        return self._runs(rows)

    def find(self, words: str = "", limit: int = 20) -> list[RunRow]:
        """Return runs with their topics: the newest, or those about `words`."""
        if not words.strip():
            return self._runs(self._db.rows(_NEWEST, (limit,)))
        self._index_missing()
        return self._these(self._search.find(words, limit))

    def to_replay(self, ref: str) -> RunFolder:
        """Open a run's folder by its id, a prefix of it or a path.

        Raises ReplayError, NotFoundError.
        """
        row = self.get(ref)
        files = self.storage.files(row.id if row is not None else str(Path(ref).expanduser()))
        if row is not None and row.pruned_at is not None:
            raise ReplayError(
                f"{row.id}: its record was deleted on {row.pruned_at:%Y-%m-%d} (settings"
                " retention.runs_days and retention.runs_mb)"
            )
        if not files.has("run.json"):
            raise NotFoundError(f"{ref}: no such run; a digest's `run` property names its run")
        return RunFolder(files)

    def _begun(self) -> list[str]:
        return [run for run in self.storage.runs() if self.storage.files(run).has("run.json")]

    def _index_missing(self) -> None:
        """Index the words of runs from an older version, or recovered ones."""
        for run in self._these(self._search.missing()):
            rows = self._db.rows("SELECT title FROM findings WHERE run = ?", (run.id,))
            asked = texts_of(run.plan) if run.plan is not None else []
            self._search.add(run.id, [*asked, *(row["title"] for row in rows)])

    def _these(self, ids: list[str]) -> list[RunRow]:
        return self._runs(self._db.rows(_THESE, (json.dumps(ids),)))

    def _runs(self, rows: Iterable[Row]) -> list[RunRow]:
        with self._db.read_rows():
            return [_run(row) for row in rows]


def new_run_id(now: datetime, agenda: str) -> str:
    """Return a run id that sorts by time: 20261121T093000Z-ab12cd."""
    digest = sha256(f"{now.isoformat()}\0{agenda}".encode()).hexdigest()
    return f"{now:%Y%m%dT%H%M%SZ}-{digest[:6]}"


def _run(row: Row) -> RunRow:
    return RunRow(
        id=row["id"],
        agenda=row["agenda"],
        status=RunStatus(row["status"]),
        started_at=datetime.fromisoformat(row["started_at"]),
        ended_at=datetime.fromisoformat(row["ended_at"]) if row["ended_at"] else None,
        digest_path=row["digest_path"],
        summary=json.loads(row["body"]),
        plan=agenda_from_json(json.loads(row["plan"])) if "plan" in row.keys() else None,  # noqa: SIM118  a Row is no mapping
    )
