"""Recover rows from a damaged database: all readable ones that the vault cannot restore."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from daemon.store.migrations import statements

# Malformed rows recovered from a corrupt database.
_UNREADABLE = """
DELETE FROM runs WHERE NOT json_valid(body) OR datetime(started_at) IS NULL
  OR status NOT IN ('running', 'done', 'stopped', 'failed');
DELETE FROM runs WHERE agenda IN (SELECT id FROM agendas WHERE NOT json_valid(body)
  OR status NOT IN ('proposed', 'approved', 'running', 'waiting', 'done', 'cancelled', 'failed'));
DELETE FROM agendas WHERE NOT json_valid(body)
  OR status NOT IN ('proposed', 'approved', 'running', 'waiting', 'done', 'cancelled', 'failed');
DELETE FROM findings WHERE datetime(created_at) IS NULL
  OR status NOT IN ('pending', 'accepted', 'dismissed');
UPDATE findings SET sources = '[]' WHERE NOT json_valid(sources);
UPDATE findings SET keys = '[]' WHERE NOT json_valid(keys);
DELETE FROM restored_topics WHERE datetime(restored_at) IS NULL;
DELETE FROM digests WHERE NOT json_valid(shown) OR NOT json_valid(runs);
DELETE FROM requests WHERE NOT json_valid(body) OR NOT json_valid(answer)
  OR state NOT IN ('new', 'working', 'done', 'failed') OR datetime(asked_at) IS NULL
  OR leased_until != '' AND datetime(leased_until) IS NULL OR typeof(attempts) != 'integer';
DELETE FROM job_runs WHERE datetime(last_run_at) IS NULL;
DELETE FROM job_pauses WHERE datetime(paused_at) IS NULL;
DELETE FROM outbox WHERE NOT json_valid(body) OR datetime(created_at) IS NULL
  OR CASE WHEN json_valid(body) THEN json_extract(body, '$.kind') END
    NOT IN ('digest', 'agenda', 'error', 'budget');
DELETE FROM troubles WHERE datetime(first_at) IS NULL OR datetime(last_at) IS NULL;
DELETE FROM ledger WHERE NOT json_valid(keys) OR date(day) IS NULL
  OR typeof(sent_at) != 'real' OR typeof(requests + bytes + money + findings) != 'integer';
DELETE FROM ledger_sums WHERE date(day) IS NULL
  OR typeof(requests + bytes + money + findings) != 'integer';
"""

# Lost sums are computed again from the recovered rows.
SUMMED = """
INSERT OR IGNORE INTO ledger_sums (day, run, source, requests, bytes, money, findings)
  SELECT day, run, source, sum(requests), sum(bytes), sum(money), sum(findings)
  FROM ledger GROUP BY day, run, source;
"""

# A reader of events whose position is lost repeats nothing, and misses nothing that comes later.
_POSITIONS = """
DELETE FROM event_readers WHERE typeof(position) != 'integer' OR typeof(part) != 'integer';
INSERT OR IGNORE INTO event_readers (name, position)
  SELECT column1, (SELECT coalesce(max(id), 0) FROM announcements)
  FROM (VALUES ('hooks'), ('notices'));
UPDATE event_readers SET part = 0, position = (SELECT coalesce(max(id), 0) FROM announcements)
  WHERE position > (SELECT coalesce(max(id), 0) FROM announcements);
"""

# Tables that the vault, or the recovered rows, restore; all others are recovered.
_REBUILT = frozenset({"meta", "notes", "links", "chunks", "embeddings", "healths", "run_words"})

# `lacuna status` shows this after a rebuild: it went wrong, and is over.
REBUILT_LINE = """
INSERT INTO troubles (part, line, first_at, last_at, over_at)
  SELECT 'database', ?, at, at, at FROM (SELECT strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now') AS at)
"""


def salvage(aside: Path, new: sqlite3.Connection) -> int:
    """Copy all readable rows that the vault cannot restore; return their number."""
    kept = 0
    tables = [
        str(row[0])
        for row in new.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if row[0] not in _REBUILT and not row[0].startswith(("sqlite_", "chunk_words"))
    ]
    with closing(sqlite3.connect(aside, isolation_level=None)) as old:
        old.row_factory = sqlite3.Row
        for table in tables:
            # From both ends: a bad page in the middle hides the rows after it.
            for order in ("1", "1 DESC", "rowid", "rowid DESC"):
                # Unreadable rows are lost, which `Database` reports.
                with suppress(sqlite3.Error):
                    for row in old.execute(f"SELECT * FROM {table} ORDER BY {order}"):  # noqa: S608 our own names
                        kept += _copy(row, table, new)
    for statement in statements(_UNREADABLE):
        kept -= new.execute(statement).rowcount
    for statement in (SUMMED, *statements(_POSITIONS)):
        new.execute(statement)
    return kept


def _copy(row: sqlite3.Row, table: str, new: sqlite3.Connection) -> int:
    """Copy one row, unless it exists; return how many were copied."""
    names, marked = ", ".join(row.keys()), ", ".join("?" * len(row))
    sql = f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marked})"  # noqa: S608 our own names
    try:
        return new.execute(sql, tuple(row)).rowcount
    except sqlite3.Error:
        return 0  # it depends on a lost row
