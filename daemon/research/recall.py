"""The vault and the model as a run sees them: every answer is stored, and repeated on demand.

So a resumed or replayed run sees the same answers. In a replay there is no vault or model behind
it, and a missing answer is a ReplayError.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256

from daemon.model.arrays import np
from daemon.model.embedding_models import DEFAULT_SCALE, Scale, model_of
from daemon.model.errors import ReplayError
from daemon.model.evidence import Match
from daemon.model.topics import question_key
from daemon.ports import Embedder, Vectors
from daemon.research.credibility import Table, our_table
from daemon.research.scores import Scores
from daemon.store.evidence_json import near_from_json, near_to_json
from daemon.store.run_memory import RunMemory

# Which of these DOIs and PubMed ids are retracted papers, and the source and date.
Retractions = Callable[[Collection[str]], Mapping[str, str]]
Cited = Callable[[], Mapping[str, str]]  # key of a document → path of a note that cites it
SimilaritySearch = Callable[[Vectors, int], list[list[Match]]]
_DIGITS = 4  # of a similarity: finer differences are noise, and must not decide
_MAX_NOTE_LENGTH = 4000  # characters of a note that are stored with the run


class Recall:
    """Reads the run's memory first, then the vault and the model, if there are any."""

    def __init__(  # noqa: PLR0913 - one for each thing that a run asks
        self,
        memory: RunMemory,
        *,
        embedder: Embedder | None = None,
        near: SimilaritySearch | None = None,
        note_text: Callable[[str], str | None] | None = None,
        known_keys: Collection[str] | None = None,
        cited: Cited | None = None,
        answered: Mapping[str, str] | None = None,
        retractions: Retractions | None = None,
        table: Table | None = None,
        scores: Scores | None = None,
        is_older: bool = False,
    ) -> None:
        self._memory = memory
        self._embedder = embedder
        self._near = near
        self._note_text = note_text
        self._known = known_keys
        self._cited = cited
        self._answered = answered
        self._notes_cite: Mapping[str, str] | None = None
        self._retractions = retractions
        self._table = table
        self._is_older = is_older  # the folder of an earlier version, which stored less
        self._in_use: Table | None = None
        self.scores = scores or Scores(memory)
        self._fresh: dict[str, Vectors] = {}

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return `(n, d)` float32 vectors of unit length. Raises ModelError, ReplayError."""
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        keys = [_key(text) for text in texts]
        recorded = {**self._memory.vectors(), **self._fresh}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in recorded}
        if missing and self._is_older:
            size = len(next(iter(recorded.values()), np.zeros(1)))
            recorded.update(dict.fromkeys(missing, np.zeros(size, dtype=np.float32)))
        elif missing:
            if self._embedder is None:
                raise ReplayError(f"the run did not store {len(missing)} of its embeddings")
            new = self._embedder.embed(list(missing.values()))
            # The values used now are those that a replay will read: rounded in the same way.
            rounded = new.astype(np.float16).astype(np.float32)
            self._fresh.update(zip(missing, rounded, strict=True))
            recorded.update(self._fresh)
        stacked = np.stack([recorded[key] for key in keys])
        lengths = np.linalg.norm(stacked, axis=1, keepdims=True)
        unit: Vectors = (stacked / np.maximum(lengths, 1e-12)).astype(np.float32)
        return unit

    def scale(self) -> Scale:
        """Return the scale of the model's cosines; another model's is stored with the run."""
        recorded = self._memory.recall("scale", "embedding")
        if recorded is not None:
            return Scale(*recorded)
        scale = model_of(self._embedder.model).scale if self._embedder is not None else None
        if scale is None or scale == DEFAULT_SCALE:
            return DEFAULT_SCALE
        self._memory.keep("scale", {"embedding": [scale.unrelated, scale.similar]})
        return scale

    def model(self) -> str:
        """Return the name of the embedding model if it is a known one, else ""; stored with the
        run. A run of an earlier version stored none.
        """
        recorded = self._memory.recall("embedding", "model")
        if recorded is not None:
            return str(recorded)
        name = model_of(self._embedder.model).name if self._embedder is not None else ""
        if name:
            self._memory.keep("embedding", {"model": name})
        return name

    def save(self) -> None:
        """Store the vectors and scores made since the last call."""
        self._memory.keep_vectors(self._fresh)
        self._fresh = {}
        self.scores.save()

    def near(self, texts: Sequence[str], limit: int) -> list[list[Match]]:
        """Return per text the similar places in the vault, nearest first."""
        keys = [f"{limit}:{_key(text)}" for text in texts]
        recorded = {key: self._memory.recall("near", key) for key in keys}
        missing = {
            key: text for key, text in zip(keys, texts, strict=True) if recorded[key] is None
        }
        if missing and self._is_older:
            return [[near_from_json(place) for place in recorded[key] or ()] for key in keys]
        if missing:
            if self._near is None:
                raise ReplayError(
                    f"the run did not store {len(missing)} of its queries to the vault"
                )
            found = self._near(self.vectors(list(missing.values())), limit)
            values = {
                key: [near_to_json(_rounded(place)) for place in places]
                for key, places in zip(missing, found, strict=True)
            }
            self._memory.keep("near", values)
            recorded.update(values)
        return [[near_from_json(place) for place in recorded[key]] for key in keys]

    def note(self, path: str) -> str:
        """Return the beginning of a note's text, or "" if there is no such note."""
        recorded = self._memory.recall("notes", path)
        if recorded is None and self._is_older:
            return ""
        if recorded is None:
            if self._note_text is None:
                raise ReplayError(f"the run did not store the note {path}")
            recorded = (self._note_text(path) or "")[:_MAX_NOTE_LENGTH]
            self._memory.keep("notes", {path: recorded})
        return str(recorded)

    def known(self, keys: Sequence[str]) -> frozenset[str]:
        """Return those of `keys` that are documents offered in earlier runs."""
        recorded = {key: self._memory.recall("known", key) for key in keys}
        missing = [key for key, known in recorded.items() if known is None]
        if missing:
            if self._known is None:
                raise ReplayError("the run did not store which documents were known")
            values = {key: key in self._known for key in missing}
            self._memory.keep("known", values)
            recorded.update(values)
        return frozenset(key for key, known in recorded.items() if known)

    def is_new_question(self, query: str) -> bool:
        """Return whether no finding was ever made of a question. Earlier versions did not check."""
        key = question_key(query)
        recorded = self._memory.recall("asked", key)
        if recorded is None and self._known is not None:
            recorded = key in self._known
            self._memory.keep("asked", {key: recorded})
        return recorded is False

    def cited(self, keys: Sequence[str]) -> str:
        """Return the note that cites a document with any of these keys, or ""."""
        recorded = {key: self._memory.recall("cited", key) for key in keys}
        missing = [key for key, path in recorded.items() if path is None]
        if missing and self._cited is not None:
            if self._notes_cite is None:
                self._notes_cite = self._cited()  # an analysis of the whole vault: one is enough
            values = {key: self._notes_cite.get(key, "") for key in missing}
            self._memory.keep("cited", values)
            recorded.update(values)
        return next((str(path) for path in recorded.values() if path), "")

    def answered(self, keys: Sequence[str]) -> str:
        """Return the path of the finding with the first of these keys, or "".

        A key is a document's, or a question's: see `question_key`.
        """
        recorded = {key: self._memory.recall("answered", key) for key in keys}
        missing = [key for key, path in recorded.items() if path is None]
        if missing and self._answered is not None:
            found = {key: self._answered.get(key, "") for key in missing}
            self._memory.keep("answered", found)
            recorded.update(found)
        return next((str(path) for path in recorded.values() if path), "")

    def retracted(self, ids: Sequence[str]) -> dict[str, str]:
        """Return which of these DOIs and PubMed ids are retracted papers, and the source."""
        recorded = {id_: self._memory.recall("retracted", id_) for id_ in ids}
        missing = [id_ for id_, why in recorded.items() if why is None]
        if missing and self._retractions is not None:
            found = self._retractions(missing)
            values = {id_: found.get(id_, "") for id_ in missing}
            self._memory.keep("retracted", values)
            recorded.update(values)
        return {id_: str(why) for id_, why in recorded.items() if why}

    def table(self) -> Table:
        """Return the inputs of credibility; a user's own table is stored with the run."""
        if self._in_use is None:
            self._in_use = self._table_in_use()
        return self._in_use

    def _table_in_use(self) -> Table:
        recorded = self._memory.recall("credibility", "table")
        if recorded is not None:
            return Table.model_validate_json(recorded)
        if self._table is None or self._table == our_table():
            return our_table()
        # As text: the order of its entries matters, and that of keys is not stored.
        self._memory.keep("credibility", {"table": self._table.model_dump_json()})
        return self._table


def similarity(one: Vectors, other: Vectors) -> Vectors:
    """Return the `(n, m)` cosines of unit vectors, rounded so that noise decides nothing."""
    rounded: Vectors = np.round(one.astype(np.float64) @ other.astype(np.float64).T, _DIGITS)
    return rounded


def _rounded(place: Match) -> Match:
    return Match(place.path, place.heading, round(float(place.similarity), _DIGITS))


def _key(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
