"""Measure the scale of a model's cosines in this vault, if the table of models does not contain
it.
"""

from typing import TYPE_CHECKING
from zlib import crc32

from daemon.model.arrays import np
from daemon.model.embedding_models import DEFAULT_SCALE, Scale, model_of
from daemon.store.notes import NoteStore

if TYPE_CHECKING:
    from daemon.ports import Vectors

SAMPLED = 300  # chunks, which make 45,000 pairs
_MIN_CHUNKS = 100  # chunks from which a scale can be estimated
_NARROWEST = 0.01  # below it the texts are copies of each other, and give no scale
_MAJORITY = 0.5  # of the notes that a model of the table must know for the table to apply


def scale_of(notes: NoteStore, model: str) -> Scale:
    """Return the scale of a model in this vault: the table's, the measured one, or the default."""
    known = model_of(model)
    if known.scale is not None and _supports_majority(notes, model):
        return known.scale
    kept = notes.state.calibration(model).get("scale")
    return Scale(*kept) if kept else known.scale or DEFAULT_SCALE


def calibrate(notes: NoteStore, model: str) -> None:
    """Measure a model on this vault and keep the result, if the table does not apply.

    The same vault gives the same scale: the chunks are drawn by their hashes.
    """
    if model_of(model).scale is not None and _supports_majority(notes, model):
        return
    hashes = notes.embeddings.sample(model, SAMPLED)
    drawn = crc32("".join(hashes).encode())
    kept = notes.state.calibration(model)
    if kept.get("drawn") == drawn:
        return
    scale = (
        measure(notes.embeddings.of_hashes(model, hashes)) if len(hashes) >= _MIN_CHUNKS else None
    )
    found = [scale.unrelated, scale.similar] if scale is not None else None
    notes.state.save_calibration(model, {"drawn": drawn, "scale": found})


def measure(vectors: "Vectors") -> Scale | None:
    """Return the scale of `(n, d)` vectors of unit length; None if all are alike."""
    pairs = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    unrelated, similar = np.percentile(pairs, [50, 99]).round(4).tolist()
    return Scale(unrelated, similar) if similar - unrelated >= _NARROWEST else None


def _supports_majority(notes: NoteStore, model: str) -> bool:
    counts = notes.languages.counts()
    known = [language for language in counts if model_of(model).knows(language)]
    return notes.languages.share_known(known) >= _MAJORITY
