"""Results of earlier analyses, each part with a fingerprint of its inputs.

A part is valid only while its key is unchanged, so after a crash, a restore or another process's
writes a part is either right or not used. Each body begins with a checksum, since SQLite does not
detect a bit that a disk changes inside a value. It is a cache: it may be deleted at any time.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Protocol

from daemon.model.errors import StoreError
from daemon.store.caches import DERIVED
from daemon.store.db import Database

# Kinds of parts, each a table.
RUNS, COUNTS, PARTS, POOLED = "runs", "counts", "parts", "pooled"
TEXTS, TERMS, RANKINGS = "texts", "terms", "rankings"
_KINDS = (RUNS, COUNTS, PARTS, POOLED, TEXTS, TERMS, RANKINGS)
_AT_ONCE = 1_000  # rows that are read together
_RULES = "rules"
_FORM = "checksums"  # of the bodies; part of the rules, so that another format is discarded
_CHECKSUM = 4  # bytes before a body

Part = tuple[str, bytes, bytes]  # path, key, body


class Derived(Protocol):
    """Parts by kind and path, and a few whole objects by name."""

    def keys(self, kind: str) -> dict[str, bytes]: ...

    def bodies(self, kind: str, paths: Iterable[str] | None = None) -> Iterator[tuple[str, bytes]]:
        """Return the parts of all paths, in path order, or of some."""
        ...

    def batches(self, kind: str) -> Iterator[tuple[list[str], list[bytes]]]:
        """The parts of all paths, in path order, several at once."""
        ...

    def put(self, kind: str, parts: Iterable[Part]) -> None: ...

    def drop(self, kind: str, paths: Iterable[str]) -> None: ...

    def single(self, name: str) -> bytes: ...

    def put_single(self, name: str, body: bytes) -> None: ...


class ChangedPartError(StoreError):
    """A part was changed by the disk or another program."""


class DerivedStore:
    """Parts in a database of their own. Reading a changed one raises ChangedPartError."""

    def __init__(self, path: Path, rules: str) -> None:
        """Open it; parts computed by other `rules` are discarded. Raises StoreError."""
        self._db = Database(path, DERIVED)
        rules = f"{rules} {_FORM}"
        if self._db.get_meta(_RULES) == rules:
            return
        with self._db.transaction():
            self.forget()
            self._db.set_meta(_RULES, rules)

    def forget(self) -> None:
        """Drop all parts."""
        for table in (*_KINDS, "wholes"):
            self._db.execute(f"DELETE FROM {table}")  # noqa: S608 our own words

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def keep_if(self, is_sound: Callable[[], bool]) -> Iterator[None]:
        """Commit the writes inside the block if `is_sound` returns true at its end; otherwise
        discard them.
        """
        try:
            with self._db.transaction():
                yield
                if not is_sound():
                    raise _NotSoundError  # noqa: TRY301 undoes the transaction
        except _NotSoundError:
            return

    def keys(self, kind: str) -> dict[str, bytes]:
        sql = f"SELECT path, key FROM {kind}"  # noqa: S608 our own words
        return dict(chain.from_iterable(self._db.tuples(sql)))

    def bodies(self, kind: str, paths: Iterable[str] | None = None) -> Iterator[tuple[str, bytes]]:
        if paths is None:
            for each in self.batches(kind):
                yield from zip(*each, strict=True)
            return
        wanted = list(paths)
        sql = (
            f"SELECT k.path, k.body FROM json_each(?) AS wanted CROSS JOIN {kind} AS k"  # noqa: S608 our own words
            " ON k.path = wanted.value ORDER BY wanted.key"
        )
        for start in range(0, len(wanted), _AT_ONCE):
            some = json.dumps(wanted[start : start + _AT_ONCE])
            for rows in self._db.tuples(sql, (some,), size=_AT_ONCE):
                yield from ((path, _opened(body)) for path, body in rows)

    def batches(self, kind: str) -> Iterator[tuple[list[str], list[bytes]]]:
        sql = f"SELECT path, body FROM {kind} ORDER BY path"  # noqa: S608 our own words
        for rows in self._db.tuples(sql, size=_AT_ONCE):
            yield [path for path, _ in rows], [_opened(body) for _, body in rows]

    def put(self, kind: str, parts: Iterable[Part]) -> None:
        rows = ((path, key, _sealed(body)) for path, key, body in parts)
        self._db.executemany(f"INSERT OR REPLACE INTO {kind} VALUES (?, ?, ?)", rows)  # noqa: S608

    def drop(self, kind: str, paths: Iterable[str]) -> None:
        self._db.executemany(f"DELETE FROM {kind} WHERE path = ?", ((path,) for path in paths))  # noqa: S608

    def single(self, name: str) -> bytes:
        body = self._db.value("SELECT body FROM wholes WHERE name = ?", (name,))
        return b"" if body is None else _opened(body)

    def put_single(self, name: str, body: bytes) -> None:
        self._db.execute("INSERT OR REPLACE INTO wholes VALUES (?, ?)", (name, _sealed(body)))


def _sealed(body: bytes) -> bytes:
    return zlib.crc32(body).to_bytes(_CHECKSUM) + body


def _opened(value: object) -> bytes:
    """Return the body of a value. Raises ChangedPartError."""
    if not isinstance(value, bytes):  # the type of a value is a bit on the disk, too
        raise ChangedPartError("a computed part of the analysis was changed")
    body = value[_CHECKSUM:]
    if int.from_bytes(value[:_CHECKSUM]) != zlib.crc32(body):
        raise ChangedPartError("a computed part of the analysis was changed")
    return body


class DerivedInMemory:
    """Parts that are kept for one analysis only, if there is no disk for them."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[str, tuple[bytes, bytes]]] = {kind: {} for kind in _KINDS}
        self._wholes: dict[str, bytes] = {}

    def keys(self, kind: str) -> dict[str, bytes]:
        return {path: key for path, (key, _) in self._parts[kind].items()}

    def bodies(self, kind: str, paths: Iterable[str] | None = None) -> Iterator[tuple[str, bytes]]:
        found = self._parts[kind]
        wanted: Sequence[str] = sorted(found) if paths is None else list(paths)
        return ((path, found[path][1]) for path in wanted if path in found)

    def batches(self, kind: str) -> Iterator[tuple[list[str], list[bytes]]]:
        paths = sorted(self._parts[kind])
        for start in range(0, len(paths), _AT_ONCE):
            some = paths[start : start + _AT_ONCE]
            yield some, [self._parts[kind][path][1] for path in some]

    def put(self, kind: str, parts: Iterable[Part]) -> None:
        self._parts[kind].update((path, (key, body)) for path, key, body in parts)

    def drop(self, kind: str, paths: Iterable[str]) -> None:
        for path in paths:
            self._parts[kind].pop(path, None)

    def single(self, name: str) -> bytes:
        return self._wholes.get(name, b"")

    def put_single(self, name: str, body: bytes) -> None:
        self._wholes[name] = body


class _NotSoundError(Exception):
    """The new parts must not be kept."""
