"""The vectors of all notes without what many of them share, kept between analyses.

Each is stored with a key of its inputs: the note's chunks, the shared parts of them, and the chunks
of other notes from which their common part is estimated.
"""

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby

import numpy as np
import numpy.typing as npt

from daemon.analysis.meaning import NoteVectors, Vector, tie_breakers
from daemon.analysis.pooling import OVERLAP, direction, pooled, without_common
from daemon.analysis.repeats import Hashes, Shared, Words, runs_of, stretch
from daemon.analysis.shared_text import SharedText, has_changed_overlap, runs_of_notes, shared_text
from daemon.store.derived import PARTS, POOLED, Derived
from daemon.store.notes import NoteStore

_NO_OVERLAPS = 0
KEY = 16  # bytes, as in `EmbeddingStore.chunk_keys`
_FEW = 8  # notes are read one by one while they are fewer than one of so many


@dataclass(frozen=True, slots=True)
class _Parts:
    """Per chunk of a note the share of its words that is its own, and its kin or _NO_OVERLAPS."""

    own: Vector
    overlaps: Hashes

    def to_bytes(self) -> bytes:
        return self.overlaps.astype("<u8").tobytes() + self.own.astype("<f4").tobytes()

    @classmethod
    def from_bytes(cls, body: bytes) -> "_Parts":
        count = len(body) // 12
        return cls(np.frombuffer(body[8 * count :], "<f4"), np.frombuffer(body[: 8 * count], "<u8"))


_Chunks = Sequence[tuple[str, int]]  # notes, and the positions of chunks in them
_Bodies = Mapping[str, bytes]  # of the notes that share anything, their parts


def pooled_vectors(
    notes: NoteStore,
    model: str,
    derived: Derived,
    counted: Container[str],
    keys: Mapping[str, bytes],
) -> NoteVectors:
    """Return the vector of each counted note that was embedded; see `note_vectors`.

    Sharing is determined over all notes, counted or not. `keys` stand for the embedded chunks
    of each; see `EmbeddingStore.chunk_keys`.
    """
    found = shared_text(derived, keys, lambda among: _texts(notes, model, among))
    parts = _all_parts(notes, model, derived, found)
    few = _few(parts)
    signs = {overlaps: _sign(chunks, keys) for overlaps, chunks in few.items()}
    wanted = {path: _key(keys[path], parts.get(path), signs) for path in sorted(keys)}
    before = derived.keys(POOLED)
    stale = {path for path, key in wanted.items() if before.get(path) != key}
    overlaps = {
        int(each)
        for path in stale & parts.keys()
        for each in _Parts.from_bytes(parts[path]).overlaps
    }
    commons = _commons(notes, model, {each: few[each] for each in overlaps if each != _NO_OVERLAPS})
    derived.drop(POOLED, [path for path in before if path not in wanted])
    among = stale if _FEW * len(stale) <= len(keys) else None
    derived.put(
        POOLED,
        (
            (path, wanted[path], _vector(rows, parts.get(path), commons))
            for path, rows in _chunk_vectors(notes, model, among)
            if path in stale
        ),
    )
    return _stacked(derived, counted, wanted)


def _texts(
    notes: NoteStore, model: str, among: Collection[str] | None
) -> Iterator[tuple[str, str]]:
    for note, heading, text, _ in notes.embeddings.of_chunks(model, among):
        yield note, f"{heading}\n{text}"


def _chunk_vectors(
    notes: NoteStore, model: str, among: Collection[str] | None
) -> Iterator[tuple[str, Vector]]:
    every = notes.embeddings.of_chunks(model, among)
    for path, of_note in groupby(every, key=lambda each: each[0]):
        yield path, np.stack([vector for *_, vector in of_note])


def _all_parts(notes: NoteStore, model: str, derived: Derived, found: SharedText) -> _Bodies:
    """Return the shared part of each chunk, for notes that share anything, updated."""
    overlapping = _with_changed_overlap(derived, found)
    moved = found.moved | overlapping.keys()
    derived.drop(PARTS, found.gone | found.changed | moved)
    among = moved if _FEW * len(moved) <= len(found.keys) else None
    texts = groupby(_texts(notes, model, among), key=lambda each: each[0])
    words = Words()
    read = (
        (path, _parted(_second(of_note), found.shared, words, overlapping.get(path)).to_bytes())
        for path, of_note in texts
        if path in moved
    )
    derived.put(PARTS, ((path, b"", body) for path, body in read if _overlapping_rows(body)))
    return dict(derived.bodies(PARTS))


def _with_changed_overlap(derived: Derived, found: SharedText) -> dict[str, _Parts | None]:
    """Return the notes that share the same part as before, but may overlap with others.

    Each has what was known of its chunks, if anything was.
    """
    paths = sorted(found.recounted)
    parts = dict(derived.bodies(PARTS, paths))
    known = {path: _Parts.from_bytes(body) for path, body in parts.items()}
    return {
        path: known.get(path)
        for path, runs in runs_of_notes(derived, paths)
        if path not in known
        or has_changed_overlap(found, runs, np.array(_overlapping_rows(parts[path]), np.uint64))
    }


def _overlapping_rows(body: bytes) -> list[int]:
    """Return the kin of the chunks of a note that have any."""
    return [each for each in _Parts.from_bytes(body).overlaps.tolist() if each != _NO_OVERLAPS]


def _second(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (text for _, text in pairs)


def _parted(
    texts: Iterable[str], shared: Shared, words: Words, before: _Parts | None = None
) -> _Parts:
    """Return the shared parts of texts.

    With `before`, the same part is shared as then, so only texts that share anything are read.
    """
    if before is not None:
        overlaps = before.overlaps.copy()
        for place, text in enumerate(texts):
            if overlaps[place] != _NO_OVERLAPS:
                overlaps[place] = stretch(*runs_of(text, words), shared).overlaps
        return _Parts(before.own, overlaps)
    found = [stretch(*runs_of(text, words), shared) for text in texts]
    return _Parts(
        np.array([each.own for each in found], np.float32),
        np.array([max(each.overlaps, _NO_OVERLAPS) for each in found], np.uint64),
    )


def _few(parts: _Bodies) -> dict[int, _Chunks]:
    """Return the chunks of each kin from which their common part is estimated, in order."""
    tie_breaks = dict(zip(parts, tie_breakers(list(parts)).tolist(), strict=True))
    overlaps: defaultdict[int, list[tuple[int, str, int]]] = defaultdict(list)
    for path, body in parts.items():
        for place, each in enumerate(_Parts.from_bytes(body).overlaps.tolist()):
            if each != _NO_OVERLAPS:
                overlaps[each].append((tie_breaks[path], path, place))
    return {
        each: sorted((path, place) for _, path, place in sorted(chunks)[:OVERLAP])
        for each, chunks in overlaps.items()
    }


def _sign(chunks: _Chunks, keys: Mapping[str, bytes]) -> bytes:
    return b"".join(keys[path] + place.to_bytes(4, "big") for path, place in chunks)


def _key(key: bytes, parts: bytes | None, signs: Mapping[int, bytes]) -> bytes:
    if parts is None:
        return key
    hanging_on = b"".join((key, parts, *(signs[each] for each in _overlapping_rows(parts))))
    return blake2b(hanging_on, digest_size=KEY).digest()


def _commons(notes: NoteStore, model: str, few: Mapping[int, _Chunks]) -> dict[int, Vector]:
    """Return the common direction of the chunks that share text."""
    wanted: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for overlaps, chunks in few.items():
        for path, place in chunks:
            wanted[path].append((place, overlaps))
    totals: dict[int, npt.NDArray[np.float64]] = {}
    for path, rows in _chunk_vectors(notes, model, wanted.keys()) if wanted else ():
        for place, overlaps in sorted(wanted[path]):
            totals[overlaps] = totals.get(overlaps, 0.0) + rows[place].astype(np.float64)
    return {overlaps: direction(total) for overlaps, total in totals.items()}


def _vector(rows: Vector, parts: bytes | None, commons: Mapping[int, Vector]) -> bytes:
    """Return the stored vector of a note, b"" for one without a direction."""
    own = np.ones(len(rows), np.float32)
    if parts is not None:
        parts_of_note = _Parts.from_bytes(parts)
        own, rows = parts_of_note.own, rows.copy()
        for place, overlaps in enumerate(parts_of_note.overlaps.tolist()):
            if overlaps != _NO_OVERLAPS:
                one = slice(place, place + 1)
                rows[one] = without_common(rows[one], own[one], commons[overlaps])
    vector = pooled(rows, own)
    return b"" if vector is None else vector.astype("<f4").tobytes()


def _stacked(derived: Derived, counted: Container[str], keys: Mapping[str, bytes]) -> NoteVectors:
    paths: list[str] = []
    rows = bytearray()
    for some, bodies in derived.batches(POOLED):
        kept = [(path, body) for path, body in zip(some, bodies, strict=True) if body]
        kept = [each for each in kept if each[0] in counted]
        paths += [path for path, _ in kept]
        rows += b"".join([body for _, body in kept])
    matrix = np.frombuffer(rows, "<f4").reshape(len(paths), -1 if paths else 0)
    every = np.frombuffer(b"".join(map(keys.__getitem__, paths)), f"V{KEY}")
    return NoteVectors(paths, matrix, every)
