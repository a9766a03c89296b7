"""Topics that the user banned, and those that were restored."""

from datetime import datetime

from daemon.model.topics import topic_key
from daemon.store.db import Database


class TopicStore:
    """Decisions on topics, in their comparable form, with their origin and time."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def never(self) -> frozenset[str]:
        return frozenset(self.banned())

    def banned(self) -> dict[str, datetime]:
        """Return the banned topics, in order, with the time."""
        rows = self._db.rows(
            "SELECT topic, min(said_at) AS said_at FROM never_topics GROUP BY topic ORDER BY topic"
        )
        with self._db.read_rows():
            return {row["topic"]: datetime.fromisoformat(row["said_at"]) for row in rows}

    def restored(self) -> dict[str, datetime]:
        """Return the topics that the user restored, with the time."""
        rows = self._db.rows("SELECT topic, restored_at FROM restored_topics ORDER BY topic")
        with self._db.read_rows():
            return {row["topic"]: datetime.fromisoformat(row["restored_at"]) for row in rows}

    def never_suggest(self, topic: str, *, at: datetime, by: str = "") -> None:
        """Ban `topic`, until each origin of a ban revokes it.

        `by` is the finding or agenda in which the user said so.
        """
        self._db.execute(
            "INSERT INTO never_topics (topic, said_at, said_by) VALUES (?, ?, ?)"
            " ON CONFLICT (topic, said_by) DO NOTHING",
            (topic_key(topic), at.isoformat(), by),
        )

    def restore(self, topic: str, *, at: datetime) -> None:
        """Allow `topic` to be proposed again, whatever happened to it until `at`."""
        key = topic_key(topic)
        with self._db.transaction():
            self._db.execute("DELETE FROM never_topics WHERE topic = ?", (key,))
            self._db.execute(
                "INSERT INTO restored_topics (topic, restored_at) VALUES (?, ?)"
                " ON CONFLICT (topic) DO UPDATE SET restored_at = excluded.restored_at",
                (key, at.isoformat()),
            )

    def retract(self, by: str) -> None:
        """Restore a topic banned in the finding or agenda `by`, because that was undone."""
        self._db.execute("DELETE FROM never_topics WHERE said_by = ?", (by,))
