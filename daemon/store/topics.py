"""Topics that the user never wants to see again."""

from datetime import datetime

from daemon.model.topics import topic_key
from daemon.store.db import Database


class TopicStore:
    """Topics said "never" to, in their comparable form, with who said so and when."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def never(self) -> frozenset[str]:
        return frozenset(row["topic"] for row in self._db.rows("SELECT topic FROM never_topics"))

    def never_suggest(self, topic: str, *, at: datetime, by: str = "") -> None:
        """Keep `topic` from being proposed; `by` is the finding or agenda it was said in."""
        self._db.execute(
            "INSERT INTO never_topics (topic, said_at, said_by) VALUES (?, ?, ?)"
            " ON CONFLICT (topic) DO NOTHING",
            (topic_key(topic), at.isoformat(), by),
        )

    def restore(self, topic: str) -> bool:
        """Let `topic` be proposed again; return whether it had been banned."""
        return bool(
            self._db.execute("DELETE FROM never_topics WHERE topic = ?", (topic_key(topic),))
        )

    def take_back(self, by: str) -> None:
        """Restore what was said in the finding or agenda `by`, because that was undone."""
        self._db.execute("DELETE FROM never_topics WHERE said_by = ?", (by,))
