"""Search notes by words and by embeddings, combined by reciprocal rank fusion."""

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from daemon.index.calibrate import scale_of
from daemon.index.filters import Filters, read_filters
from daemon.index.snippet import snippet
from daemon.index.vectors import VectorIndex, VectorReader
from daemon.language.scripts import LATIN, script_language
from daemon.model.embedding_models import Scale, model_of
from daemon.model.errors import LateModelError, ModelError
from daemon.model.evidence import Match
from daemon.model.notes import ChunkRow
from daemon.ports import Embedder, Vectors
from daemon.store.notes import NoteStore
from daemon.store.query import parse_query
from vault_adapters.note import Role

_log = logging.getLogger(__name__)

_K = 60  # of the fusion: how little the first ranks stand out
_CHUNKS_A_NOTE = 5  # chunks considered for each requested note
_MIN_COSINE = 0.2  # beyond it the nearest is not similar
_MIN_COSINE_WITHOUT_WORDS = 0.3  # the same for a query whose words are in no note
_MIN_COSINE_OF_SHORT = 0.4  # then, for a very short text: meaningless words are similar to it
_SHORT = 20  # characters
_MAY_FILTER = re.compile(r'[:"]|(?:^|\s)-\S')  # whether a query may be more than words
_DIGITS = 5  # digits of a cosine: further ones depend on the order of summing

# The weight of meaning for notes in a language that the model does not support: in a known script
# it recognises some words; in another script none, and only breaks ties.
_UNKNOWN_LATIN, _UNKNOWN = 0.2, 0.02

_Hit = tuple[int, float]  # id of an embedding, cosine


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A search result, with its best chunk. `score` is in [0, 1]: 1 is first in every ranking.

    `has_no_words` if no note contains any word of the query: this one is only similar.
    """

    path: str
    heading: str
    score: float
    snippet: str
    has_no_words: bool = False


class Search:
    """Searches one vault's index. Without an embedder, or without its model, by words alone."""

    def __init__(
        self,
        notes: NoteStore,
        vectors: VectorIndex | VectorReader | None,
        embedder: Embedder | None,
    ) -> None:
        self._notes = notes
        self._vectors = vectors
        self._embedder = embedder

    def with_embedder(self, embedder: Embedder | None) -> "Search":
        """Return a search of the same index with another embedder of the same model, or by words
        alone.
        """
        return Search(self._notes, self._vectors, embedder)

    def search(self, query: str, limit: int = 10) -> list[SearchResult]:
        """Return at most `limit` notes, best first; no query is an error.

        For a query with filters (see `filters`) and without words, the notes by path.
        """
        if limit < 1 or not query.strip():
            return []
        wanted = self.filters(query)
        if not wanted.conditions:
            return self._ranked(query, limit)
        allowed = self.allowed(wanted)
        if not allowed or not wanted.words:
            return self._beginnings(allowed, limit)
        every = self._ranked(wanted.words, max(limit, self._notes.counts()[0]))
        return [each for each in every if each.path in allowed][:limit]

    def passages(self, query: str, limit: int) -> list[ChunkRow]:
        """Return at most `limit` chunks, best first; several may be of one note."""
        depth = limit * _CHUNKS_A_NOTE + 20
        by_words = self._by_words(query, depth)
        by_meaning = self._by_meaning(query, depth) or []
        weight = self._weight_of_meaning(self._embedder.model, query) if self._embedder else 0.0
        scores: dict[int, float] = {}
        chunks: dict[int, ChunkRow] = {}
        for ranking, share in ((by_words, 1.0), (by_meaning, weight)):
            for rank, chunk in enumerate(ranking):
                chunks[chunk.id] = chunk
                scores[chunk.id] = scores.get(chunk.id, 0.0) + share / (_K + rank)
        return [chunks[id_] for id_ in sorted(scores, key=lambda id_: (-scores[id_], id_))[:limit]]

    def filters(self, query: str) -> Filters:
        """Parse a query: words, and filters on properties, tags, paths and phrases."""
        if not _MAY_FILTER.search(query):
            return Filters(query)
        return read_filters(query, {name for row in self._notes.all() for name in row.frontmatter})

    def allowed(self, filters: Filters) -> frozenset[str]:
        """Return the paths of the notes that pass all filters."""
        paths = {row.path for row in self._notes.all() if filters.allows(row)}
        for each in filters.phrases:
            holding = self._notes.notes_with_phrase(each.value)
            paths = paths - holding if each.is_excluded else paths & holding
        return frozenset(paths)

    def _beginnings(self, paths: Iterable[str], limit: int) -> list[SearchResult]:
        """Return the beginning of each note that has a text, by path."""
        firsts = (next(iter(self._notes.chunks(path)), None) for path in sorted(paths))
        shown = (_result(chunk, 1.0, ()) for chunk in firsts if chunk is not None)
        return list(islice(shown, limit))

    def _ranked(self, query: str, limit: int) -> list[SearchResult]:
        depth = limit * _CHUNKS_A_NOTE + 20
        rankings = [self._by_words(query, depth)]
        has_no_words = not rankings[0]
        by_meaning = self._by_meaning(query, depth, has_no_words=has_no_words)
        weights = [1.0]
        if by_meaning is not None and self._embedder is not None:
            rankings.append(by_meaning)
            weights.append(self._weight_of_meaning(self._embedder.model, query))
        terms = parse_query(query).terms
        found = self._first_named(query, fuse(rankings, weights))
        shown = [_result(chunk, score, terms) for chunk, score in found[:limit]]
        return [replace(each, has_no_words=has_no_words) for each in shown]

    def _weight_of_meaning(self, model: str, query: str) -> float:
        """Return the weight of meaning relative to words: the share of the script's notes that the
        model supports.
        """
        script = script_language(query)
        known = model_of(model)
        counts = self._notes.languages.counts()
        share = self._notes.languages.share_known(
            [language for language in (*counts, script) if known.knows(language)], script
        )
        least = _UNKNOWN_LATIN if script == LATIN else _UNKNOWN
        return max(share, least)

    def _first_named(
        self, query: str, found: Sequence[tuple[ChunkRow, float]]
    ) -> Sequence[tuple[ChunkRow, float]]:
        """Move the notes whose name is the query to the front."""
        ids = self._notes.named(query)
        if not ids:
            return found
        scores = {chunk.note: (chunk, score) for chunk, score in found}
        chunks = self._notes.chunks_by_id(ids)
        named = [(scores.get(chunks[id_].note, (chunks[id_], 1.0))[0], 1.0) for id_ in ids]
        named.sort(key=lambda each: -scores.get(each[0].note, (each[0], 0.0))[1])
        first = {chunk.note for chunk, _ in named}
        return [*named, *(each for each in found if each[0].note not in first)]

    def nearest_chunks(self, vectors: Vectors, limit: int) -> list[list[Match]]:
        """Return per row of `(n, d)` vectors the notes nearest to it, each by its best chunk.

        Similarities are on the scale of the default model, whatever the model. Only notes of the
        user's own thinking are included, see `Role.NOTE`.
        """
        if self._vectors is None or not len(vectors):
            return [[] for _ in vectors]
        own, scale = self._notes.paths(Role.NOTE), self._scale()
        total = len(self._vectors)
        depth = limit * _CHUNKS_A_NOTE
        while True:
            found = self._vectors.search_many(vectors, depth)
            near = [
                self._nearest_notes(_normalised(hits, total), own, limit, scale) for hits in found
            ]
            if depth >= total or all(len(each) >= limit for each in near):
                return near
            depth *= 4

    def _nearest_notes(
        self, hits: Sequence[_Hit], own: frozenset[str], limit: int, scale: Scale
    ) -> list[Match]:
        near: dict[str, Match] = {}
        for chunk, cosine in self._chunks_of(hits):
            if chunk.note in own and chunk.note not in near:
                similarity = round(min(scale.similarity(cosine), 1.0), _DIGITS)
                near[chunk.note] = Match(chunk.note, chunk.heading, similarity)
        return list(near.values())[:limit]

    def _chunks_of(self, hits: Sequence[_Hit]) -> list[tuple[ChunkRow, float]]:
        """Return the chunks with these embeddings, nearest first, ties by position."""
        of_embedding = self._notes.embeddings.chunk_ids([id_ for id_, _ in hits])
        chunks = self._notes.chunks_by_id([id_ for ids in of_embedding.values() for id_ in ids])
        found = [
            (chunks[chunk], round(cosine, _DIGITS))
            for id_, cosine in hits
            for chunk in of_embedding.get(id_, ())
            if chunk in chunks
        ]
        return sorted(found, key=lambda each: (-each[1], each[0].note, each[0].ordinal))

    def _by_words(self, query: str, depth: int) -> list[ChunkRow]:
        ids = self._notes.by_words(query, depth)
        chunks = self._notes.chunks_by_id(ids)
        return [chunks[id_] for id_ in ids if id_ in chunks]

    def _by_meaning(
        self, query: str, depth: int, *, has_no_words: bool = False
    ) -> list[ChunkRow] | None:
        """Return similar chunks, best first; None without a model.

        If no note has the words, a note that is not similar either is not a match.
        """
        if self._embedder is None or self._vectors is None or not len(self._vectors):
            return None
        try:
            prefix = model_of(self._embedder.model).query_prefix
            vector = self._embedder.embed([prefix + query])[0]
        except LateModelError:  # its caller reports it
            return None
        except ModelError as error:
            _log.warning("searching by words alone: %s", error)
            return None
        hits = _normalised(self._vectors.search(vector, depth), len(self._vectors))
        least = _MIN_COSINE_WITHOUT_WORDS if has_no_words else _MIN_COSINE
        of_short = _MIN_COSINE_OF_SHORT if has_no_words else _MIN_COSINE
        scale = self._scale()
        floors = scale.cosine(least), scale.cosine(of_short)
        return [
            chunk
            for chunk, cosine in self._chunks_of(hits)
            if cosine >= floors[len(chunk.text.strip()) <= _SHORT]
        ]

    def _scale(self) -> Scale:
        """Return the scale of the model's cosines in this vault."""
        model = self._vectors.model if self._vectors is not None else ""
        return scale_of(self._notes, model)


def _normalised(hits: list[_Hit], total: int) -> list[_Hit]:
    """Drop the last of the hits and its ties: others like them may have been cut off."""
    if not hits or len(hits) == total:
        return hits
    last = round(hits[-1][1], _DIGITS)
    return [hit for hit in hits if round(hit[1], _DIGITS) > last]


def fuse(
    rankings: Sequence[Sequence[ChunkRow]], weights: Sequence[float] = ()
) -> list[tuple[ChunkRow, float]]:
    """Fuse rankings of chunks into one of notes, each with its best chunk and a score in [0, 1].

    Reciprocal rank fusion with a weight for each ranking (default: 1), scaled so that first in
    every ranking is 1. The best chunk is that of the first ranking with the note.
    """
    weighed = weights or [1.0] * len(rankings)
    scores: dict[str, float] = {}
    best: dict[str, ChunkRow] = {}
    for ranking, weight in zip(rankings, weighed, strict=True):
        of_note: dict[str, ChunkRow] = {}
        for chunk in ranking:
            of_note.setdefault(chunk.note, chunk)
        for rank, (note, chunk) in enumerate(of_note.items(), start=1):
            share = weight / sum(weighed)
            scores[note] = scores.get(note, 0.0) + share * (_K + 1) / (_K + rank)
            best.setdefault(note, chunk)
    top = sorted(scores, key=lambda note: (-scores[note], note))
    return [(best[note], scores[note]) for note in top]


def _result(chunk: ChunkRow, score: float, terms: Sequence[str]) -> SearchResult:
    name = chunk.note.rpartition("/")[2].removesuffix(".md")
    shown = snippet(chunk.text, terms) or chunk.heading or name
    return SearchResult(chunk.note, chunk.heading, round(score, 4), shown)
