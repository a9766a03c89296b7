"""Compute note vectors from chunk vectors, without what many notes share."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from daemon.analysis.meaning import TieBreakers, tie_breakers
from daemon.analysis.repeats import Stretch, stretches
from daemon.index.calibrate import scale_of
from daemon.model.notes import Vector
from daemon.store.notes import NoteStore

# From this shared proportion of a chunk on, all of its kin's common part is removed. If a chunk
# shares only a line or two, only a proportion is: its kin may well be about the same subject.
_MAJORITY_SHARED = 0.5
OVERLAP = 64  # chunks from which the common part of their kin is estimated


@dataclass(frozen=True, slots=True)
class ChunkVectors:
    """The embedded chunks of a vault, those of one note together, notes in path order.

    `matrix` is `(n, d)` float32 of unit length; the part that a chunk shares with many notes is
    removed where it can be determined. `own` is the share of its words that is its own.
    """

    notes: tuple[str, ...]  # of each chunk
    matrix: Vector
    own: Vector


def chunk_vectors(
    notes: NoteStore, model: str, among: Collection[str] | None = None
) -> ChunkVectors:
    """Return the vectors of all embedded chunks, or of those of some notes."""
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
    return ChunkVectors(tuple(of), _without_overlap(matrix, parts, tie_breakers(of)), own)


def note_vectors(chunks: ChunkVectors) -> dict[str, Vector]:
    """Return per path the mean of the note's chunks, weighted by their own share: `(d,)`, unit
    length.

    A note without anything of its own is the mean of what it shares.
    """
    found: dict[str, Vector] = {}
    starts = [n for n, note in enumerate(chunks.notes) if not n or chunks.notes[n - 1] != note]
    for start, end in pairwise((*starts, len(chunks.notes))):
        vector = pooled(chunks.matrix[start:end], chunks.own[start:end])
        if vector is not None:
            found[chunks.notes[start]] = vector
    return found


def pooled(rows: Vector, own: Vector) -> "Vector | None":
    """Return the vector of a note from those of its chunks, `(n, d)`; None if it has no
    direction.
    """
    weights = own if own.any() else np.ones_like(own)
    # Not a matrix product: its last digits may depend on what else is in memory.
    mean: Vector = (weights[:, None] * rows).sum(axis=0)
    length = float(np.sqrt((mean * mean).sum()))
    return (mean / np.float32(length)).astype(np.float32) if length > 0 else None


def without_common(rows: Vector, own: Vector, common: Vector) -> Vector:
    """Remove the direction of their kin from chunks, `(n, d)`, each by its shared proportion."""
    taken = np.minimum((np.float32(1.0) - own) / np.float32(_MAJORITY_SHARED), np.float32(1.0))
    rest: Vector = rows - (taken * (rows * common).sum(axis=1))[:, None] * common
    lengths = np.sqrt((rest * rest).sum(axis=1, keepdims=True))
    rest /= np.maximum(lengths, np.float32(1e-6))
    return rest


def direction(total: npt.NDArray[np.float64]) -> Vector:
    """Return the direction of a sum of vectors, `(d,)`, of unit length."""
    length = max(float(np.sqrt((total * total).sum())), 1e-6)
    found: Vector = (total / length).astype(np.float32)
    return found


def nearest_among(
    notes: NoteStore, model: str, path: str, among: Collection[str]
) -> list[tuple[str, float]]:
    """Sort notes by similarity to one, with the cosine on the scale of the default model.

    What many of them share does not count. A note that was not embedded has no similar ones.
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


def _without_overlap(matrix: Vector, parts: Sequence[Stretch], tie_breakers: TieBreakers) -> Vector:
    """Remove from each chunk the direction of those that share its widest sequence.

    Of many, it is estimated from a few that are chosen by their notes' paths: a change in another
    must not move them all.
    """
    overlaps: defaultdict[int, list[int]] = defaultdict(list)
    for row, part in enumerate(parts):
        if part.overlaps >= 0:
            overlaps[part.overlaps].append(row)
    own = np.array([part.own for part in parts], np.float32)
    for rows in overlaps.values():
        few = sorted(sorted(rows, key=tie_breakers.__getitem__)[:OVERLAP])
        common = direction(matrix[few].sum(axis=0, dtype=np.float64))
        matrix[rows] = without_common(matrix[rows], own[rows], common)
    return matrix
