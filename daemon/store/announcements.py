"""What the event stream announces, stored until hooks and notices have read it.

Each reader has its own position. A reader claims what it reads in one transaction with what it
does about it, so that two processes, or a process after a kill, do not do it twice.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from pydantic import ValidationError

from daemon.model.errors import HookError
from daemon.model.event import EVENT, Announcement, line_of
from daemon.store.db import Database

_MAX_KEPT = 1000  # rows; the oldest are dropped


class TakenError(Exception):
    """Another process has claimed it meanwhile."""


@dataclass(frozen=True, slots=True)
class Unread:
    """The next announcement for a reader, of which `part` parts are done.

    `event` is None if a newer version wrote it.
    """

    id: int
    after: int  # position of the reader
    part: int
    event: Announcement | None


class AnnouncementStore:
    """A bounded log, and the position of each of its readers."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, event: Announcement, key: str | None) -> bool:
        """Store an announcement; return False if there is one with this key already."""
        with self._db.transaction():
            is_new = self._db.execute(
                "INSERT INTO announcements (key, line) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
                (key, line_of(event)),
            )
            self._db.execute(
                "DELETE FROM announcements WHERE id <= (SELECT max(id) FROM announcements) - ?",
                (_MAX_KEPT,),
            )
        return bool(is_new)

    def next(self, reader: str) -> Unread | None:
        """Return the oldest announcement that a reader has not read, or None."""
        row = self._db.row(
            "SELECT a.id, a.line, coalesce(r.position, 0) AS position, coalesce(r.part, 0) AS part"
            " FROM announcements a LEFT JOIN event_readers r ON r.name = ?"
            " WHERE a.id > coalesce(r.position, 0) ORDER BY a.id LIMIT 1",
            (reader,),
        )
        if row is None:
            return None
        event = None
        with suppress(ValidationError):
            event = EVENT.validate_json(row["line"])
        known = event if isinstance(event, Announcement) else None
        return Unread(row["id"], row["position"], row["part"], known)

    @contextmanager
    def claim(self, reader: str, unread: Unread, *, is_whole: bool) -> Iterator[None]:
        """Move a reader on, past the announcement or one part of it, in one transaction with the
        body.

        A hook that cannot be started counts as begun. Raises TakenError, StoreError.
        """
        failure: HookError | None = None
        with self._db.transaction():
            self._move(reader, unread, is_whole=is_whole)
            try:
                yield
            except HookError as error:
                failure = error
        if failure is not None:
            raise failure

    def skip_all(self, reader: str) -> None:
        """Count everything as read by a reader."""
        self._db.execute(
            "INSERT INTO event_readers (name, position, part)"
            " SELECT ?, coalesce(max(id), 0), 0 FROM announcements WHERE true"
            " ON CONFLICT (name) DO UPDATE SET position = excluded.position, part = 0",
            (reader,),
        )

    def _move(self, reader: str, unread: Unread, *, is_whole: bool) -> None:
        self._db.execute(
            "INSERT INTO event_readers (name, position) VALUES (?, 0)"
            " ON CONFLICT (name) DO NOTHING",
            (reader,),
        )
        position, part = (unread.id, 0) if is_whole else (unread.after, unread.part + 1)
        is_mine = self._db.execute(
            "UPDATE event_readers SET position = ?, part = ?"
            " WHERE name = ? AND position = ? AND part = ?",
            (position, part, reader, unread.after, unread.part),
        )
        if not is_mine:
            raise TakenError
