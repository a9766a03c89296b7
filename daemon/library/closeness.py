"""How similar notes and documents are, from embeddings that are stored: no model is loaded."""

from collections.abc import Iterable, Mapping

from daemon.model.arrays import np
from daemon.model.embedding_models import Scale
from daemon.model.notes import Vector
from daemon.store.library import LibraryStore

_BYTES = 2  # bytes of a stored number


class Closeness:
    """The similarity of each of some notes with each embedded document."""

    def __init__(
        self, store: LibraryStore, model: str, notes: Mapping[str, Vector], scale: Scale
    ) -> None:
        """`notes` are `(d,)` vectors by path; a document is as similar as its best passage."""
        self._place = {path: place for place, path in enumerate(notes)}
        self._scale = scale
        wanted = np.stack(list(notes.values())) if notes else np.zeros((0, 0), np.float32)
        self._ids: list[int] = []
        cosines = []
        for id_, blob, _ in store.vectors(model) if notes else ():
            passages = np.frombuffer(blob, dtype="<f2")
            if not len(passages) or len(passages) % wanted.shape[1]:
                continue
            found = wanted @ passages.reshape(-1, wanted.shape[1]).astype(np.float32).T
            self._ids.append(id_)
            cosines.append(found.max(axis=1).astype(np.float16))
        self._cosines = np.stack(cosines, axis=1) if cosines else np.zeros((len(notes), 0))
        self._column = {id_: column for column, id_ in enumerate(self._ids)}

    def of(self, path: str, document: int) -> float | None:
        """Return a similarity on the default scale, rounded; None if either is not embedded."""
        if path not in self._place or document not in self._column:
            return None
        cosine = float(self._cosines[self._place[path], self._column[document]])
        return round(self._scale.similarity(cosine), 3)

    def nearest(self, path: str, most: int) -> Iterable[int]:
        """Return the ids of the documents most similar to a note, nearest first."""
        if path not in self._place or not self._ids:
            return []
        order = np.argsort(-self._cosines[self._place[path]], kind="stable")[:most]
        return [self._ids[column] for column in order.tolist()]
