"""Citations of sources by the findings of runs: edges from a run to a document."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from daemon.model.errors import ReplayError
from daemon.ports import RunStorage
from daemon.store.citations import CitationRecord
from daemon.store.db import Database, Row

# Runs of an older version, or recovered ones: what they cite is in their folders only.
_MISSING = """
SELECT id FROM runs
WHERE status = 'done' AND json_extract(body, '$.pruned_at') IS NULL
  AND EXISTS (SELECT 1 FROM findings WHERE findings.run = runs.id)
  AND NOT EXISTS (SELECT 1 FROM citation_edges WHERE citation_edges.run = runs.id)
ORDER BY id
"""


class CitationEdges:
    """The table of edges; a source is as in `citations.json` of a run's folder."""

    def __init__(self, db: Database, storage: RunStorage) -> None:
        self._db = db
        self._storage = storage

    def put(self, run: str, sources: Iterable[Mapping[str, Any]]) -> None:
        """Replace the edges of a run."""
        rows = [(run, each["key"], json.dumps(each, ensure_ascii=False)) for each in sources]
        with self._db.transaction():
            self._db.execute("DELETE FROM citation_edges WHERE run = ?", (run,))
            self._db.executemany(
                "INSERT INTO citation_edges (run, source, body) VALUES (?, ?, ?)", rows
            )

    def of_run(self, run: str) -> list[dict[str, Any]]:
        """Return what a run cites, by the sources' keys."""
        return [source for _, source in self._found("WHERE run = ?", run)]

    def all(self) -> list[tuple[str, dict[str, Any]]]:
        """Return each run with each source that it cites, newest run first."""
        self._add_missing()
        return self._found()

    def _found(self, where: str = "", *values: str) -> list[tuple[str, dict[str, Any]]]:
        rows = self._db.rows(
            f"SELECT run, body FROM citation_edges {where} ORDER BY run DESC, source",  # noqa: S608 our own text
            values,
        )
        return list(self._db.build_rows(_edge, rows))

    def _add_missing(self) -> None:
        for row in self._db.rows(_MISSING):
            try:
                graph = CitationRecord(self._storage.files(row["id"])).graph()
                self.put(row["id"], graph.get("sources", ()))
            except (ReplayError, KeyError, TypeError, AttributeError):
                continue  # its record cannot be read, which `lacuna runs show` says


def _edge(row: Row) -> tuple[str, dict[str, Any]]:
    return row["run"], json.loads(row["body"])
