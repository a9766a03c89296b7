"""Search for runs by topic: each of their words, with the runs that have it."""

from collections.abc import Iterable

from daemon.model.agenda import Agenda
from daemon.store.db import Database
from daemon.store.query import parse_query

_LAST = "\U0010ffff"  # sorts after any continuation of a word


class RunSearch:
    """The words of runs: of their topics, questions and findings."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, run: str, texts: Iterable[str]) -> None:
        """Add words by which a run can be found."""
        words = {word for text in texts for word in parse_query(text).terms}
        self._db.executemany(
            "INSERT INTO run_words (word, run) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [(word, run) for word in sorted({run.casefold(), *words})],
        )

    def missing(self) -> list[str]:
        """Return the runs without words: those of an older version, or recovered."""
        rows = self._db.rows(
            "SELECT id FROM runs WHERE NOT EXISTS (SELECT 1 FROM run_words WHERE run = runs.id)"
        )
        return [row["id"] for row in rows]

    def find(self, query: str, limit: int) -> list[str]:
        """Return the runs that have most of the query's words, or words with that prefix.

        Ties go to the newest.
        """
        found: dict[str, int] = {}
        for term in parse_query(query).terms or (query.strip().casefold(),):
            rows = self._db.rows(
                "SELECT DISTINCT run FROM run_words WHERE word >= ? AND word < ?",
                (term, term + _LAST),
            )
            for row in rows if term else ():
                found[row["run"]] = found.get(row["run"], 0) + 1
        most = max(found.values(), default=0)
        best = [run for run, number in found.items() if number == most]
        return sorted(best, reverse=True)[:limit]


def texts_of(agenda: Agenda) -> list[str]:
    """Return the words of an agenda's run before it has found anything."""
    asked = [text for task in agenda.tasks for text in (task.topic, task.query, task.note or "")]
    return [agenda.id, agenda.trigger, *asked]
