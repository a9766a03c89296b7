"""From the vectors of chunks to those of notes, without what many notes share."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from daemon.analysis.meaning import Lots, lots_of
from daemon.analysis.repeats import Stretch, stretches
from daemon.index.calibrate import scale_of
from daemon.model.notes import Vector
from daemon.store.notes import NoteStore

# From this share of a chunk on, all of what its kin have in common is taken out of it. Of a chunk
# that shares a line or two only a part is: its kin may well be about the same.
_MOSTLY_SHARED = 0.5
KIN = 64  # chunks that tell what all of their kin have in common


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    """The embedded chunks of a vault, those of one note together, notes in path order.

    `matrix` is `(n, d)` float32 of unit length; what a chunk shares with many notes is taken out,
    as far as that can be told. `own` is the share of its words that is its own.
    """

    notes: tuple[str, ...]  # of each chunk
    matrix: Vector
    own: Vector


def chunk_vectors(
    notes: NoteStore, model: str, among: Collection[str] | None = None
) -> ChunkVectors:
    """Return the vectors of all chunks that were embedded, or of those of some notes."""
    of: list[str] = []
    rows: list[Vector] = []

    def texts() -> Iterator[tuple[str, str]]:
        for note, heading, text, vector in notes.embeddings.of_chunks(model, among):
            of.append(note)
            rows.append(vector)
            yield note, f"{heading}\n{text}"

    parts = stretches(texts())
    if not rows:
        return ChunkVectors((), np.empty((0, 0), np.float32), np.empty(0, np.float32))
    matrix = np.empty((len(rows), len(rows[0])), np.float32)
    while rows:  # one by one, or a large vault would be in memory twice
        vector = rows.pop()
        matrix[len(rows)] = vector
    own = np.array([part.own for part in parts], np.float32)
    return ChunkVectors(tuple(of), _without_kin(matrix, parts, lots_of(of)), own)


def note_vectors(chunks: ChunkVectors) -> dict[str, Vector]:
    """Per path the mean of the note's chunks, each by what is its own: `(d,)`, unit length.

    A note that has nothing of its own is the mean of what it shares.
    """
    found: dict[str, Vector] = {}
    starts = [n for n, note in enumerate(chunks.notes) if not n or chunks.notes[n - 1] != note]
    for start, end in pairwise((*starts, len(chunks.notes))):
        vector = pooled(chunks.matrix[start:end], chunks.own[start:end])
        if vector is not None:
            found[chunks.notes[start]] = vector
    return found


def pooled(rows: Vector, own: Vector) -> "Vector | None":
    """The vector of a note from those of its chunks, `(n, d)`; None when it has no direction."""
    weights = own if own.any() else np.ones_like(own)
    # No product of matrices: its last digits may change with what else is in memory.
    mean: Vector = (weights[:, None] * rows).sum(axis=0)
    length = float(np.sqrt((mean * mean).sum()))
    return (mean / np.float32(length)).astype(np.float32) if length > 0 else None


def without_common(rows: Vector, own: Vector, common: Vector) -> Vector:
    """Take the direction of their kin out of chunks, `(n, d)`, each as far as it is shared."""
    taken = np.minimum((np.float32(1.0) - own) / np.float32(_MOSTLY_SHARED), np.float32(1.0))
    rest: Vector = rows - (taken * (rows * common).sum(axis=1))[:, None] * common
    lengths = np.sqrt((rest * rest).sum(axis=1, keepdims=True))
    rest /= np.maximum(lengths, np.float32(1e-6))
    return rest


def direction(total: npt.NDArray[np.float64]) -> Vector:
    """The direction of a sum of vectors, `(d,)`, of unit length."""
    length = max(float(np.sqrt((total * total).sum())), 1e-6)
    found: Vector = (total / length).astype(np.float32)
    return found


def nearest_among(
    notes: NoteStore, model: str, path: str, among: Collection[str]
) -> list[tuple[str, float]]:
    """Order some notes by how near they are in meaning to one, with the cosine on
    the scale of the default model.

    What many of them share counts for nothing. A note that was not embedded has none near to it.
    """
    vectors = note_vectors(chunk_vectors(notes, model, {path, *among}))
    own = vectors.pop(path, None)
    if own is None:
        return []
    scale = scale_of(notes, model)
    cosines = [
        (other, round(scale.similarity(float(own @ vector)), 6))
        for other, vector in vectors.items()
    ]
    return sorted(cosines, key=lambda each: (-each[1], each[0]))


def _without_kin(matrix: Vector, parts: Sequence[Stretch], lots: Lots) -> Vector:
    """Take out of each chunk the direction of those that share its widest stretch.

    Of many it is told from a few that are drawn by their notes' paths: another one that changes
    must not move them all.
    """
    kin: defaultdict[int, list[int]] = defaultdict(list)
    for row, part in enumerate(parts):
        if part.kin >= 0:
            kin[part.kin].append(row)
    own = np.array([part.own for part in parts], np.float32)
    for rows in kin.values():
        few = sorted(sorted(rows, key=lots.__getitem__)[:KIN])
        common = direction(matrix[few].sum(axis=0, dtype=np.float64))
        matrix[rows] = without_common(matrix[rows], own[rows], common)
    return matrix
