"""All signals that two notes belong together, as numbers."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from daemon.analysis.centred import centred
from daemon.analysis.graph import LinkGraph, link_graph
from daemon.analysis.lexical import Names, Phrase, TermIndex
from daemon.analysis.pooling import ChunkVectors, note_vectors
from daemon.analysis.repeats import stretches
from daemon.analysis.ties import Peers, Walks
from daemon.analysis.tokens import terms, tokens
from daemon.model.notes import ChunkRow, LinkRow, NoteRow
from daemon.store.query import fold

Floats = npt.NDArray[np.float32]

MEANING = ("whole", "part")
WORDS = ("said", "named", "naming")
TIES = ("walk", "linked", "peers")
SIGNALS = (*MEANING, *WORDS, *TIES)

_TITLE, _HEADING = 3, 1  # weight of a word there, relative to the text
_LINK = re.compile(r"!?\[\[[^\[\]]*\]\]|!?\[[^\[\]]*\]\([^()]*\)")


class Signals:
    """The counted notes of a vault, and what each has in common with every other.

    whole   the cosine of two notes as a whole, after centring
    part    the best cosine of a part of one and a part of the other
    said    the cosine of their words (TF-IDF)
    named   how specifically the text of this note names the other
    naming  how specifically the text of the other names this one
    walk    how likely a walk along links from this note reaches the other
    linked  how many notes link to the other
    peers   how many notes with similar words link to the other

    What many notes share counts neither as meaning nor as words.
    """

    def __init__(
        self,
        notes: Sequence[NoteRow],
        links: Sequence[LinkRow],
        chunks: Sequence[ChunkRow],
        vectors: ChunkVectors,
    ) -> None:
        self.graph: LinkGraph = link_graph(notes, links)
        self.paths = self.graph.notes
        self.ids = {path: n for n, path in enumerate(self.paths)}
        self._rows = {note.path: note for note in notes if note.path in self.ids}
        self._links: defaultdict[tuple[str, str], list[LinkRow]] = defaultdict(list)
        for link in links:
            if link.resolved is not None:
                self._links[link.source, link.resolved].append(link)
        self._read_words(chunks)
        self._read_vectors(vectors)
        self._walks = Walks(self.graph)
        self._peers = Peers(self.graph)

    def __len__(self) -> int:
        return len(self.paths)

    def features(self, source: int, without: int | None = None) -> Floats:
        """Return `(n, 8)`, a column for each of SIGNALS, for the note with this index.

        `without` is a note to which it is treated as having no link, and never having had one.
        """
        words = self._words[source] if without is None else self._words_without(source, without)
        counts = self._sayings.similarities(self._term_counts(source, words))
        columns = (
            *self._meaning(source),
            counts,
            self._names.named_in(words),
            self._names.naming(source),
            self._walks.visits(source, without),
            self._walks.linked(without),
            self._peers.linking(source, counts),
        )
        return np.stack(columns, axis=1)

    def may_be_new(self, source: int, without: int | None = None) -> npt.NDArray[np.bool_]:
        """Return which notes are neither this one nor linked with it, `(n,)`."""
        new = np.ones(len(self), np.bool_)
        new[[source, *(self.ids[path] for path in self.graph.neighbours(self.paths[source]))]] = (
            False
        )
        if without is not None:
            new[without] = True
        return new

    def _meaning(self, source: int) -> tuple[Floats, Floats]:
        part = np.zeros(len(self), np.float32)
        own = self._parts[self._parts_of == source]
        if not len(own):
            return part, part
        if len(self._starts):
            best = np.maximum.reduceat((self._parts @ own.T).max(axis=1), self._starts)
            part[self._parts_of[self._starts]] = best.clip(0.0)
        return self._whole @ self._whole[source], part

    def _read_vectors(self, vectors: ChunkVectors) -> None:
        self._whole = np.zeros((len(self), vectors.matrix.shape[1]), np.float32)
        means = {path: mean for path, mean in note_vectors(vectors).items() if path in self.ids}
        if means:
            rows = [self.ids[path] for path in means]
            self._whole[rows] = centred(np.stack(list(means.values())))
        # A part that is mostly shared would be similar to all that share it.
        kept = [
            n for n, path in enumerate(vectors.notes) if path in self.ids and vectors.own[n] > 0.5
        ]
        self._parts_of = np.array([self.ids[vectors.notes[n]] for n in kept], np.int64)
        self._parts = centred(vectors.matrix[kept]) if kept else vectors.matrix[:0]
        order = np.argsort(self._parts_of, kind="stable")
        self._parts_of, self._parts = self._parts_of[order], self._parts[order]
        self._starts = np.flatnonzero(np.diff(self._parts_of, prepend=-1))

    def _read_words(self, chunks: Sequence[ChunkRow]) -> None:
        self._texts = _own_texts(chunks)
        self._words = [tokens(self._texts.get(path, "")) for path in self.paths]
        self._names = Names([sorted(_names(self._rows[path])) for path in self.paths], self._words)
        self._sayings = TermIndex(
            [self._term_counts(note, words) for note, words in enumerate(self._words)]
        )

    def _term_counts(self, note: int, words: Sequence[str]) -> Mapping[str, int]:
        row = self._rows[self.paths[note]]
        counts = terms(words)
        for term, times in terms(tokens(row.title)).items():
            counts[term] += _TITLE * times
        for heading in row.headings:
            for term, times in terms(tokens(heading.text)).items():
                counts[term] += _HEADING * times
        return counts

    def _words_without(self, source: int, target: int) -> Sequence[str]:
        """Return the words of a note as if its links to `target` were never written."""
        path = self.paths[source]
        names = {_bare(link.target) for link in self._links[path, self.paths[target]]} - {""}

        def keep(found: re.Match[str]) -> str:
            written = _bare(unquote(found[0]))
            return " " if any(name in written for name in names) else found[0]

        return tokens(_LINK.sub(keep, self._texts.get(path, "")))


def _own_texts(chunks: Sequence[ChunkRow]) -> dict[str, str]:
    """Return per path the note's text without what many notes share."""
    parts = stretches((chunk.note, f"{chunk.heading}\n{chunk.text}") for chunk in chunks)
    texts: dict[str, str] = {}
    both = zip(chunks, parts, strict=True)
    for path, of_note in groupby(both, key=lambda each: each[0].note):
        own = []
        for chunk, part in of_note:
            text = f"{chunk.heading}\n{chunk.text}"
            own.append(text if part.own == 1.0 else _unshared(text, part.shared))
        texts[path] = "\n\n".join(own)
    return texts


def _unshared(text: str, shared: npt.NDArray[np.bool_]) -> str:
    words = zip(fold(text).split(), shared.tolist(), strict=True)
    return " ".join("\n" if is_shared else word for word, is_shared in words)


def _names(row: NoteRow) -> set[Phrase]:
    own = row.frontmatter.get("title")
    names = {row.title, *row.aliases, *([own] if isinstance(own, str) else [])}
    return {phrase for name in names if (phrase := tuple(tokens(name)))}


def _bare(text: str) -> str:
    return "".join(text.removeprefix("./").removesuffix(".md").casefold().split())
