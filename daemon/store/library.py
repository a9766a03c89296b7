"""The index of the user's documents: files, their content, passages and embeddings."""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Literal, TypeAlias

from daemon.model.arrays import np
from daemon.model.library import LibraryCounts, StoredDocument, TextSpan
from daemon.model.notes import Vector
from daemon.store.db import Database, Row
from daemon.store.generation import advance, generation
from daemon.store.passage_words import PassageWords
from daemon.store.query import fold

_VERSION, _SCANNED = "extractor", "scanned"  # meta
Work: TypeAlias = Literal["read", "embed"]


class LibraryStore:
    """The documents of one vault's library."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.words = PassageWords(db)

    def close(self) -> None:
        self._db.close()

    def transaction(self) -> AbstractContextManager[None]:
        """Make several changes in one transaction."""
        return self._db.transaction()

    def outdate_other_version(self, version: str) -> None:
        """Have all files read again if another version of the extractor read them."""
        if self._db.get_meta(_VERSION) != version:
            self.read_again(all_of_them=True)
            self._db.set_meta(_VERSION, version)

    def is_scanned(self) -> bool:
        """Return whether the files were ever compared with the index."""
        return self._db.get_meta(_SCANNED) is not None

    def mark_scanned(self) -> None:
        self._db.set_meta(_SCANNED, "1")

    def mean_seconds(self, work: Work) -> float | None:
        """Return how long one document takes, or one passage; None before the first."""
        found = self._db.get_meta(f"seconds_{work}")
        return None if found is None else float(found)

    def save_mean_seconds(self, work: Work, seconds: float) -> None:
        self._db.set_meta(f"seconds_{work}", f"{seconds:.6f}")

    def known(self) -> dict[str, tuple[int, int]]:
        """Return path → size and time of every file."""
        rows = self._db.each("SELECT path, size, mtime_ns FROM files")
        return {row["path"]: (row["size"], row["mtime_ns"]) for row in rows}

    def put_files(self, changed: Iterable[tuple[str, int, int]], gone: Iterable[str]) -> None:
        """Record new and changed files as due, and delete those that are gone."""
        with self._db.transaction():
            advance(self._db)
            self._db.executemany(
                "INSERT INTO files (path, size, mtime_ns) VALUES (?, ?, ?)"
                " ON CONFLICT (path) DO UPDATE SET size = excluded.size,"
                " mtime_ns = excluded.mtime_ns, is_due = 1, trouble = ''",
                changed,
            )
            self._db.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in gone))

    def read_again(self, *, all_of_them: bool = False) -> None:
        """Have the files read again that could not be read; or all files."""
        where = "1" if all_of_them else "trouble != ''"
        self._db.execute(f"UPDATE files SET is_due = 1, trouble = '' WHERE {where}")  # noqa: S608 our own words

    def next_due(self) -> str | None:
        """Return the path of a file that is due."""
        found: str | None = self._db.value(
            "SELECT path FROM files WHERE is_due = 1 ORDER BY path LIMIT 1"
        )
        return found

    def find(self, digest: str) -> int | None:
        """Return the id of the document with these bytes."""
        found: int | None = self._db.value("SELECT id FROM documents WHERE digest = ?", (digest,))
        return found

    def add(
        self,
        digest: str,
        title: str,
        about: Mapping[str, Any],
        text: str,
        spans: Sequence[TextSpan],
    ) -> int:
        """Store a document with its passages; return its id. Call it within a transaction."""
        values = (
            *(digest, title, json.dumps(about, ensure_ascii=False)),
            *(zlib.compress(text.encode("utf-8", "replace")), json.dumps(spans), len(spans)),
        )
        document = self._db.insert(
            "INSERT INTO documents (digest, title, about, text, spans, passages)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            values,
        )
        for ordinal, (start, end) in enumerate(spans):
            passage = self._db.insert(
                "INSERT INTO passages (document, ordinal) VALUES (?, ?)", (document, ordinal)
            )
            self._db.execute(
                "INSERT INTO passage_words (rowid, title, text) VALUES (?, ?, ?)",
                (passage, fold(title), fold(text[start:end])),
            )
        return document

    def link(self, path: str, document: int | None, trouble: str = "") -> None:
        """Record which document a file contains, or why it could not be read."""
        with self._db.transaction():
            advance(self._db)
            self._db.execute(
                "UPDATE files SET is_due = 0, document = ?, trouble = ? WHERE path = ?",
                (document, trouble, path),
            )

    def sweep(self) -> None:
        """Delete documents that no file contains any more; until then none is found.

        Call it when no file is due: a moved file restores its document.
        """
        gone = self._db.rows(
            "SELECT id FROM documents AS d"
            " WHERE NOT EXISTS (SELECT 1 FROM files AS f WHERE f.document = d.id)"
        )
        with self._db.transaction():
            for row in gone:
                self._db.execute(
                    "DELETE FROM passage_words"
                    " WHERE rowid IN (SELECT id FROM passages WHERE document = ?)",
                    (row["id"],),
                )
                self._db.execute("DELETE FROM documents WHERE id = ?", (row["id"],))

    def counts(self, model: str) -> LibraryCounts:
        files = self._db.row(
            "SELECT count(*), coalesce(sum(is_due), 0), coalesce(sum(trouble != ''), 0) FROM files"
        )
        documents = self._db.row(
            "SELECT count(*), coalesce(sum(passages), 0), coalesce(sum(record != ''), 0)"
            " FROM documents"
        )
        embedded = self._db.row(
            "SELECT count(*), coalesce(sum(d.passages), 0) FROM passage_vectors AS v"
            " JOIN documents AS d ON d.id = v.document WHERE v.model = ?",
            (model,),
        )
        if files is None or documents is None or embedded is None:
            raise LookupError("an aggregate has a row")
        return LibraryCounts(
            *(files[0], files[1], files[2]),
            *(documents[0], embedded[0], documents[1], embedded[1], documents[2]),
        )

    def troubles(self, most: int) -> list[tuple[str, str]]:
        """Return path and reason of files that could not be read, in the order of paths."""
        rows = self._db.rows(
            "SELECT path, trouble FROM files WHERE trouble != '' ORDER BY path LIMIT ?", (most,)
        )
        return [(row["path"], row["trouble"]) for row in rows]

    def unembedded(self, model: str, most: int) -> list[int]:
        """Return ids of documents without embeddings of a model, the oldest first."""
        rows = self._db.rows(
            "SELECT id FROM documents AS d WHERE passages > 0 AND NOT EXISTS (SELECT 1"
            " FROM passage_vectors AS v WHERE v.document = d.id AND v.model = ?)"
            " ORDER BY id LIMIT ?",
            (model, most),
        )
        return [row[0] for row in rows]

    def save_vectors(self, model: str, document: int, vectors: Vector) -> None:
        """Store the embeddings of a document's passages, `(n, d)` of unit length, in order.

        Those of other models are dropped: one model is in use at a time.
        """
        blob = np.ascontiguousarray(vectors, dtype="<f2").tobytes()
        with self._db.transaction():
            advance(self._db)
            self._db.execute("DELETE FROM passage_vectors WHERE document = ?", (document,))
            self._db.execute(
                "INSERT INTO passage_vectors (document, model, vectors)"
                " SELECT id, ?, ? FROM documents WHERE id = ?",
                (model, blob, document),
            )

    def vectors(self, model: str) -> Iterator[tuple[int, bytes, int]]:
        """Iterate over the embeddings of all documents: id, float16 bytes, number of passages."""
        rows = self._db.each(
            "SELECT v.document, v.vectors, d.passages FROM passage_vectors AS v"
            " JOIN documents AS d ON d.id = v.document WHERE v.model = ? ORDER BY v.document",
            (model,),
            size=200,
        )
        for row in rows:
            yield row[0], row[1], row[2]

    def titles(self) -> dict[int, tuple[str, str]]:
        """Return title and path of every document that a file contains, by its id."""
        rows = self._db.each(
            "SELECT d.id, d.title, min(f.path) AS path FROM documents AS d"
            " JOIN files AS f ON f.document = d.id GROUP BY d.id ORDER BY d.id"
        )
        return {row["id"]: (row["title"], row["path"]) for row in rows}

    def generation(self) -> str:
        """Return the number of the index; the same number means the same files, documents and
        embeddings.
        """
        return generation(self._db)

    def authored(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield path and metadata of every document that names its authors."""
        rows = self._db.each(
            "SELECT min(f.path) AS path, d.about FROM documents AS d"
            " JOIN files AS f ON f.document = d.id"
            " WHERE json_array_length(d.about, '$.authors') > 0 GROUP BY d.id ORDER BY 1"
        )
        yield from ((row["path"], json.loads(row["about"])) for row in rows)

    def get(self, documents: Sequence[int]) -> dict[int, StoredDocument]:
        """Return documents by id."""
        rows = self._db.rows(
            "SELECT d.*, (SELECT min(path) FROM files AS f WHERE f.document = d.id) AS path"
            " FROM documents AS d WHERE d.id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(documents)),),
        )
        with self._db.read_rows():
            return {row["id"]: _stored(row) for row in rows}

    def at(self, path: str) -> StoredDocument | None:
        """Return the document that a file contained when it was last read."""
        found: int | None = self._db.value("SELECT document FROM files WHERE path = ?", (path,))
        return None if found is None else self.get([found]).get(found)

    def record(self, document: int, record: str, now: datetime) -> None:
        """Store what an index says about a document, or "" if none has it."""
        self._db.execute(
            "UPDATE documents SET record = ?, looked_up_at = ? WHERE id = ?",
            (record, now.isoformat(), document),
        )

    def looked_up_at(self, document: int) -> datetime | None:
        """Return when an index was last queried for a document."""
        found = self._db.value("SELECT looked_up_at FROM documents WHERE id = ?", (document,))
        return datetime.fromisoformat(found) if found else None


def _stored(row: Row) -> StoredDocument:
    return StoredDocument(
        id=row["id"],
        path=row["path"] or "",
        digest=row["digest"],
        title=row["title"],
        about=json.loads(row["about"]),
        text=zlib.decompress(row["text"]).decode("utf-8"),
        spans=[(start, end) for start, end in json.loads(row["spans"])],
        record=row["record"],
    )
