"""Threads of questions and answers."""

import json
from datetime import datetime
from unicodedata import normalize

from daemon.model.threads import MAX_TURNS, ThreadSummary, Turn
from daemon.store.db import Database, Row


class ThreadStore:
    """Questions and answers by thread, in order. A name is compared without its case."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def summaries(self) -> list[ThreadSummary]:
        """Return all threads, the one asked last first."""
        rows = self._db.rows(
            "SELECT (SELECT first.thread FROM turns AS first WHERE first.thread = turns.thread"
            " ORDER BY first.id LIMIT 1) AS name, count(*) AS questions, min(asked_at) AS begun_at,"
            " max(asked_at) AS asked_at FROM turns GROUP BY thread ORDER BY 4 DESC, name"
        )
        return list(self._db.build_rows(_summary, rows))

    def turns(self, name: str) -> list[Turn]:
        """Return the questions and answers of a thread, oldest first."""
        sql = "SELECT * FROM turns WHERE thread = ? ORDER BY id"
        rows = self._db.rows(sql, (self._stored(name),))
        return list(self._db.build_rows(_turn, rows))

    def add(self, name: str, turn: Turn) -> None:
        """Append a question with its answer."""
        answer, name = json.dumps(turn.answer, ensure_ascii=False), self._stored(name)
        with self._db.transaction():
            self._db.execute(
                "INSERT INTO turns (thread, asked_at, question, answer) VALUES (?, ?, ?, ?)",
                (name, turn.asked_at.isoformat(), turn.question, answer),
            )
            self._db.execute(
                "DELETE FROM turns WHERE thread = ?1 AND id NOT IN (SELECT id FROM turns"
                " WHERE thread = ?1 ORDER BY id DESC LIMIT ?2)",
                (name, MAX_TURNS),
            )

    def replace_last(self, name: str, turn: Turn) -> bool:
        """Replace the answer to the last question of a thread, if it is this one."""
        answer, name = json.dumps(turn.answer, ensure_ascii=False), self._stored(name)
        return bool(
            self._db.execute(
                "UPDATE turns SET answer = ? WHERE question = ? AND id ="
                " (SELECT max(id) FROM turns WHERE thread = ?)",
                (answer, turn.question, name),
            )
        )

    def delete(self, name: str) -> int:
        """Delete a thread; return how many questions it had."""
        return self._db.execute("DELETE FROM turns WHERE thread = ?", (self._stored(name),))

    def _stored(self, name: str) -> str:
        """Return the name that a thread has in the database; of a new one, its name."""
        rows = self._db.rows("SELECT DISTINCT thread FROM turns")
        key = _key(name)
        return next((row[0] for row in rows if _key(row[0]) == key), name)


def _key(name: str) -> str:
    """Return what two spellings of one name have in common: SQLite folds the case of ASCII only."""
    return normalize("NFC", name.strip()).casefold()


def _summary(row: Row) -> ThreadSummary:
    return ThreadSummary(
        row["name"],
        row["questions"],
        datetime.fromisoformat(row["begun_at"]),
        datetime.fromisoformat(row["asked_at"]),
    )


def _turn(row: Row) -> Turn:
    return Turn(datetime.fromisoformat(row["asked_at"]), row["question"], json.loads(row["answer"]))
