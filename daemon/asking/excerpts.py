"""Answer a question by excerpts of passages, each with its citation; or say that none answers.

The cross-encoder, if there is one, reads the passages, then the statements of the best. Without one
the question's words and its similarity decide.
"""

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from daemon.asking.statements import Passage, Statement, statements_of
from daemon.index.plain_text import plain
from daemon.model.arrays import np
from daemon.model.embedding_models import DEFAULT_SCALE, model_of
from daemon.model.errors import ModelError
from daemon.ports import Embedder, Reranker, Vectors
from daemon.research.asked_for import beginnings, contains_answer_kind, is_about_others, names_in
from daemon.research.bm25 import terms
from daemon.research.prior import announces, prior
from daemon.research.scores import can_read

_log = logging.getLogger(__name__)

_LONGEST = 420  # characters of an excerpt, unless one statement is longer
_UNREAD = -12.0  # a logit lower than any that was read

# Words that are in few notes, given as a share of all notes: 1 for a word that none has.
Rarity = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Effort:
    """How many passages are ranked, of how many the statements are read, and how many are shown."""

    passages: int
    read: int
    shown: int


QUICK = Effort(passages=12, read=4, shown=3)
THOROUGH = Effort(passages=20, read=6, shown=5)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a passage says: the statement that answers best, and those around it.

    `source` is the first of them as it is written in the note.
    `score` is comparable among the excerpts of one question: higher answers better.
    """

    passage: Passage
    text: str
    statement: str
    source: str
    score: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The excerpts that answer a question, best first; or the `nearest`, which do not.

    `by` is the method: "cross-encoder", "meaning" or "words".
    """

    excerpts: tuple[Excerpt, ...]
    nearest: tuple[Excerpt, ...]
    by: str


@dataclass(frozen=True, slots=True)
class _Method:
    """How to score: `least` answers; `below` is how far below the best another excerpt may be."""

    name: str
    statement: float  # weight of the best statement
    kind: float  # for a statement without the requested kind of value
    aside: float  # for one that only announces
    form: float
    least: float
    below: float


# Measured on COVID-QA laid out as a vault, see docs/ask.md: a paper's question asked with and
# without that paper.
_CROSS_ENCODER = _Method("cross-encoder", 0.5, 3.0, 4.0, 0.5, least=5.5, below=9.0)
_MEANING = _Method("meaning", 0.5, 0.2, 0.2, 0.03, least=1.0, below=0.35)
_WORDS = _Method("words", 0.5, 0.2, 0.2, 0.03, least=1.2, below=0.35)


class Answering:
    """Answers questions from passages. Without models by words alone."""

    def __init__(
        self, embedder: Embedder | None, reranker: Reranker | None, rarity: Rarity
    ) -> None:
        self._embedder, self._reranker, self._rarity = embedder, reranker, rarity

    def answer(self, question: str, passages: Sequence[Passage], effort: Effort) -> Answer:
        """Return the excerpts that answer; `passages` are those found for it, best first."""
        passages = passages[: effort.passages]
        method, scores = self._rank(question, passages)
        names = names_in(question)
        order = sorted(range(len(passages)), key=lambda place: (-scores[place], place))
        found: list[Excerpt] = []
        for place in order[: effort.read]:
            passage, statements = passages[place], statements_of(passages[place])
            if not statements or _is_of_others(names, passage):
                continue
            worth = self._worth(method, question, passage, [one.text for one in statements])
            best = int(np.argmax(worth))
            score = round(float(scores[place] + method.statement * worth[best]), 3)
            found.append(_excerpt(statements, best, score))
        found.sort(key=lambda one: -one.score)
        shown = [one for one in found if one.score >= found[0].score - method.below]
        shown = _distinct(shown)[: effort.shown]
        if not shown or shown[0].score < method.least:
            return Answer((), tuple(shown), method.name)
        return Answer(tuple(shown), (), method.name)

    def _rank(self, question: str, passages: Sequence[Passage]) -> tuple[_Method, Vectors]:
        """Return the best available method, and `(n,)` the score of each passage."""
        texts = [plain(each.text) for each in passages]
        logits = self._logits(question, texts)
        if logits is not None:
            return _CROSS_ENCODER, logits
        named = [f"{each.name} {text}" for each, text in zip(passages, texts, strict=True)]
        return self._compared(question, named)

    def _worth(
        self, method: _Method, question: str, passage: Passage, said: Sequence[str]
    ) -> Vectors:
        """Return `(n,)` how well each statement answers; with the name of its note, if it helps."""
        if method is _CROSS_ENCODER:
            pairs = [*said, *(f"{passage.name}. {each}" for each in said)]
            logits = self._logits(question, pairs)
            unread = np.full(len(pairs), _UNREAD, dtype=np.float32)
            bare = unread if logits is None else logits
            best = map(max, bare[: len(said)].tolist(), bare[len(said) :].tolist())
            worth: Vectors = np.array(list(best), dtype=np.float32)
        else:
            worth = self._compared(question, said)[1]
        for place, each in enumerate(said):
            worth[place] += method.form * prior(each, question)
            worth[place] -= method.kind * (not contains_answer_kind(question, [each]))
            worth[place] -= method.aside * announces(each)
        return worth

    def _logits(self, question: str, texts: Sequence[str]) -> "Vectors | None":
        if self._reranker is None or not texts or not can_read(self._reranker.model, question):
            return None
        try:
            return self._reranker.score(question, texts)
        except ModelError as error:
            _log.warning("answering without a cross-encoder: %s", error)
            self._reranker = None
            return None

    def _compared(self, question: str, texts: Sequence[str]) -> tuple[_Method, Vectors]:
        """Return `(n,)` the mean of the covered words and the similarity, from 0 to 1."""
        weights = {term: self._rarity(term) for term in set(terms(question))}
        total = sum(weights.values()) or 1.0
        shares = [_covered(weights, each) / total for each in texts]
        words: Vectors = np.array(shares, dtype=np.float32)
        if self._embedder is None or not texts:
            return _WORDS, words
        known = model_of(self._embedder.model)
        try:
            vectors = self._embedder.embed([known.query_prefix + question, *texts])
        except ModelError as error:
            _log.warning("answering by words alone: %s", error)
            self._embedder = None
            return _WORDS, words
        cosines = vectors[1:] @ vectors[0]
        scale = known.scale or DEFAULT_SCALE
        both = [
            (w + scale.similarity(c)) / 2 for w, c in zip(shares, cosines.tolist(), strict=True)
        ]
        return _MEANING, np.array(both, dtype=np.float32)


def _covered(weights: Mapping[str, float], text: str) -> float:
    """Return the sum of the weights of the words that a text has."""
    return sum(weights[term] for term in weights.keys() & set(terms(text)))


def _is_of_others(names: frozenset[str], passage: Passage) -> bool:
    text = f"{passage.name} {passage.heading} {passage.text}"
    return is_about_others(names, beginnings(terms(text)))


def _excerpt(statements: Sequence[Statement], best: int, score: float) -> Excerpt:
    """Take the statements around the best one, after it first, as far as there is space."""
    first = last = best
    length = len(statements[best].text)
    for place in (best + 1, best - 1, best + 2, best - 2):
        is_next = 0 <= place < len(statements) and place in (first - 1, last + 1)
        if is_next and length + len(statements[place].text) <= _LONGEST:
            first, last = min(first, place), max(last, place)
            length += len(statements[place].text) + 1
    shown = statements[first : last + 1]
    text = " ".join(one.text for one in shown)
    return Excerpt(shown[0].passage, text, statements[best].text, shown[0].source, score)


def _distinct(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    """Drop what says the same as a better one."""
    seen: set[str] = set()
    kept = []
    for one in excerpts:
        key = one.statement.casefold()
        if key not in seen:
            seen.add(key)
            kept.append(one)
    return kept


def rarity_of(notes_with: int, notes: int) -> float:
    """Return the rarity of a word that is in `notes_with` of `notes` notes; 1 where none has it."""
    return math.log(1 + notes / (1 + notes_with)) / math.log(1 + notes) if notes else 1.0
