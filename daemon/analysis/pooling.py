"""From the vectors of chunks to those of notes, without what many notes share."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from daemon.analysis.meaning import Lots, lots_of
from daemon.analysis.repeats import Stretch, stretches
from daemon.index.calibrate import scale_of
from daemon.store.notes import NoteStore, Vector

# From this share of a chunk on, all of what its kin have in common is taken out of it. Of a chunk
# that shares a line or two only a part is: its kin may well be about the same.
_MOSTLY_SHARED = 0.5
_KIN = 64  # chunks that tell what all of their kin have in common


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
        weights = chunks.own[start:end]
        if not weights.any():
            weights = np.ones_like(weights)
        mean: Vector = weights @ chunks.matrix[start:end]
        length = float(np.linalg.norm(mean))
        if length > 0:
            found[chunks.notes[start]] = (mean / length).astype(np.float32)
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
    for rows in kin.values():
        few = sorted(rows, key=lots.__getitem__)[:_KIN]
        common = matrix[few].mean(axis=0)
        common /= max(float(np.linalg.norm(common)), 1e-6)
        shared = np.array([1.0 - parts[row].own for row in rows], np.float32)
        taken = np.minimum(shared / _MOSTLY_SHARED, 1.0) * (matrix[rows] @ common)
        matrix[rows] -= taken[:, None] * common
        lengths = np.linalg.norm(matrix[rows], axis=1, keepdims=True)
        matrix[rows] /= np.maximum(lengths, np.float32(1e-6))
    return matrix
