"""Answer a question by excerpts of passages, each with its citation; or say that none answers.

The cross-encoder, if there is one, reads the passages, then the statements of the best. Without one
the question's words and its similarity decide.
"""

import logging
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from typing import Protocol

from daemon.asking.definition import place_of_definition
from daemon.asking.lists import with_list
from daemon.asking.statements import (
    Passage,
    PassageOrigin,
    Statement,
    follow_directly,
    statements_of,
)
from daemon.index.plain_text import plain
from daemon.language.stems import stem
from daemon.language.stop_words import is_stop_word
from daemon.language.words import segments
from daemon.model.embedding_models import DEFAULT_SCALE, model_of
from daemon.model.errors import LateModelError, ModelError
from daemon.ports import Embedder, Reranker
from daemon.research.asked_for import beginnings, contains_answer_kind, is_about_others, names_in
from daemon.research.bm25 import share_of, terms
from daemon.research.prior import announces, prior
from daemon.research.quotable import keys_in
from daemon.research.scores import can_read
from daemon.research.steering_vectors import steering_flags

_log = logging.getLogger(__name__)

_ENDS = re.compile(r"[.!?:;,…。！？：][\"'”’»)\]*_]*$")  # of a sentence, and of no item of a list
_FIRST = 1e-6
_AGAIN = 8  # passages that are read with their title, too
_MAX_EXCERPT_LENGTH = 420  # characters, unless one statement is longer
_MIN_BY_MEANING, _MIN_BY_WORDS = 1.0, 1.2  # scores from which an excerpt answers

_Weighed = tuple[Statement, float]
Rarity = Callable[[str], float]
"""Returns how rare a word is among the notes: 1 if no note contains it, near 0 if all do."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many passages of notes and of documents are ranked, of how many the statements are read,
    and how many are shown.
    """

    passages: int
    documents: int
    read: int
    shown: int


QUICK = Effort(passages=12, documents=4, read=4, shown=3)
THOROUGH = Effort(passages=20, documents=8, read=6, shown=5)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a passage says: the statement that answers best, and those around it.

    `source` is the first of them as it is written in the note, `last` is the last without markup.
    `score` is comparable among the excerpts of one question: higher answers better.
    """

    passage: Passage
    text: str
    statement: str
    source: str
    score: float
    last: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The excerpts that answer a question, best first; or the `nearest`, which do not.

    `by` is the method: "cross-encoder", "meaning" or "words".
    """

    excerpts: tuple[Excerpt, ...]
    nearest: tuple[Excerpt, ...]
    by: str


@dataclass(frozen=True, slots=True)
class _Weights:
    """How to score: `least` answers; `below` is how far below the best another excerpt may be."""

    statement: float  # weight of the best statement
    kind: float  # for a statement without the requested kind of value
    aside: float  # for one that only announces
    form: float
    least: float
    below: float
    most: float  # of the best statement that there could be

    def is_near(self, score: float, best: float) -> bool:
        """Return whether an excerpt is worth showing beside the best one."""
        return score >= best - self.below and (score >= self.least or best < self.least)

    def may_answer(self, score: float) -> bool:
        """Return whether a passage with this score could answer, whatever its statements are."""
        return score + self.statement * self.most >= self.least


class _Method(Protocol):
    """A way to score passages and their statements. Raises ModelError."""

    name: str
    weights: _Weights

    def passages(self, passages: Sequence[Passage]) -> list[float]:
        """Return the score of each passage."""
        ...

    def statements(self, passage: Passage, statements: Sequence[str]) -> list[float]:
        """Return the score of each statement of a passage."""
        ...


class _ByCrossEncoder:
    """A statement is read alone and with the name of its note; the better score counts."""

    name = "cross-encoder"
    # Measured on COVID-QA laid out as a vault, see docs/ask.md: a paper's question asked with and
    # without that paper.
    weights = _Weights(0.5, kind=3.0, aside=4.0, form=0.5, least=5.5, below=9.0, most=12.0)

    def __init__(self, question: str, reranker: Reranker) -> None:
        self._question, self._reranker = question, reranker

    def passages(self, passages: Sequence[Passage]) -> list[float]:
        """Read all alone, and the best again with title and heading: the mean counts."""
        texts = [plain(each.text) for each in passages]
        scores = self._logits(texts)
        best = sorted(range(len(texts)), key=lambda place: -scores[place])[:_AGAIN]
        placed = [f"{passages[at].name}. {passages[at].heading}. {texts[at]}" for at in best]
        for at, in_place in zip(best, self._logits(placed), strict=True):
            scores[at] = (scores[at] + in_place) / 2
        return scores

    def statements(self, passage: Passage, statements: Sequence[str]) -> list[float]:
        logits = self._logits([*statements, *(f"{passage.name}. {each}" for each in statements)])
        return list(map(max, logits[: len(statements)], logits[len(statements) :]))

    def _logits(self, texts: Sequence[str]) -> list[float]:
        return [float(each) for each in self._reranker.score(self._question, texts)]


class _ByWords:
    """The share of the question's words, weighted by rarity; and with a model, the similarity."""

    def __init__(self, question: str, rarity: Rarity, embedder: Embedder | None) -> None:
        words = [each for each in segments(question) if not is_stop_word(each)]
        self._shares = {stem(each): rarity(each) for each in words}
        self._question, self._embedder = question, embedder
        self.name = "words" if embedder is None else "meaning"
        least = _MIN_BY_WORDS if embedder is None else _MIN_BY_MEANING
        self.weights = _Weights(
            0.5, kind=0.2, aside=0.2, form=0.03, least=least, below=0.35, most=1.1
        )

    def passages(self, passages: Sequence[Passage]) -> list[float]:
        return self._scores([f"{each.name} {plain(each.text)}" for each in passages])

    def statements(self, passage: Passage, statements: Sequence[str]) -> list[float]:
        return self._scores(statements)

    def _scores(self, texts: Sequence[str]) -> list[float]:
        shares = [share_of(self._shares, each) for each in texts]
        if self._embedder is None:
            return shares
        known = model_of(self._embedder.model)
        vectors = self._embedder.embed([known.query_prefix + self._question, *texts])
        scale = known.scale or DEFAULT_SCALE
        cosines = (float(each) for each in vectors[1:] @ vectors[0])
        return [
            (share + scale.similarity(cosine)) / 2
            for share, cosine in zip(shares, cosines, strict=True)
        ]


class Answering:
    """Answers questions from passages. Without models by words alone."""

    def __init__(
        self,
        embedder: Embedder | None,
        reranker: Reranker | None,
        rarity: Rarity,
        check: Callable[[], None] = lambda: None,
        section: Callable[[Passage], Passage] = lambda passage: passage,
    ) -> None:
        """`section` returns a passage with what is before and after it under its heading."""
        self._embedder, self._reranker, self._rarity = embedder, reranker, rarity
        self._check = check  # raises if the answer is no longer wanted
        self._section = section

    def answer(self, question: str, passages: Sequence[Passage], effort: Effort) -> Answer:
        """Return the excerpts that answer, by the best method whose model works."""
        if not passages:
            return Answer((), (), "words")
        for method in self._methods(question):
            try:
                return self._answer(question, passages, effort, method)
            except LateModelError:  # its caller reports it
                continue
            except ModelError as error:
                _log.warning("not answered by %s: %s", method.name, error)
        return self._answer(question, passages, effort, _ByWords(question, self._rarity, None))

    def _methods(self, question: str) -> Iterator[_Method]:
        """Yield the methods that need a model, the best first."""
        if self._reranker is not None and can_read(self._reranker.model, question):
            yield _ByCrossEncoder(question, self._reranker)
        if self._embedder is not None:
            yield _ByWords(question, self._rarity, self._embedder)

    def _answer(
        self, question: str, passages: Sequence[Passage], effort: Effort, method: _Method
    ) -> Answer:
        """Read the statements of the best passages, as long as one of them may answer."""
        self._check()
        weights, scores = method.weights, method.passages(passages)
        order = sorted(range(len(passages)), key=lambda place: (-scores[place], place))
        order = order[: effort.read]
        promising = [place for place in order if weights.may_answer(scores[place])]
        found = list(self._read(question, passages, scores, promising, method))
        found.sort(key=lambda one: -one.score)
        near_best = [one for one in found if weights.is_near(one.score, found[0].score)]
        if found and found[0].score >= weights.least:
            keys = keys_in(question)
            listed = (self._with_list(each, keys) for each in _distinct(near_best))
            return Answer(tuple(islice(_once(listed), effort.shown)), (), method.name)
        by_words = _ByWords(question, self._rarity, None)
        others = self._read(question, passages, scores, order[len(promising) :], by_words)
        return Answer((), tuple(_distinct([*near_best, *others])[: effort.shown]), method.name)

    def _read(
        self,
        question: str,
        passages: Sequence[Passage],
        scores: Sequence[float],
        places: Sequence[int],
        method: _Method,
    ) -> Iterator[Excerpt]:
        """Yield what each of these passages says, with the statement that answers best."""
        names, keys, weights = names_in(question), keys_in(question), method.weights
        defining: set[str] = set()
        for place in sorted(places, key=lambda place: passages[place].line):
            self._check()
            passage, statements = passages[place], statements_of(passages[place], keys)
            if not statements or is_of_others(names, passage):
                continue
            texts = [one.text for one in statements]
            worth = _weighed(question, texts, method.statements(passage, texts), weights)
            defined = place_of_definition(question, passage.name, texts)
            if defined is not None and passage.ref in defining:
                defined = None
            if defined is not None:  # what it is comes before what is said of it
                defining.add(passage.ref)
                worth[defined] = max(worth) + _FIRST
            best, shown = self._best(list(zip(statements, worth, strict=True)), keys)
            if best is not None:
                score = round(scores[place] + weights.statement * best[1], 3)
                score += weights.aside * (defined is not None)
                yield _excerpt(shown, best[0], score)

    def _with_list(self, found: Excerpt, keys: Collection[str]) -> Excerpt:
        """Return an excerpt with the list that its statement is in or leads to, or its code."""
        section = self._section(found.passage)
        whole = with_list(section, found.statement, found.last, found.text, keys)
        if whole is None or (whole.said and any(self._steer(whole.said, keys))):
            return found
        if not whole.begins:
            return replace(found, text=whole.text)
        return replace(found, passage=section, text=whole.text, source=whole.said[0].source)

    def _best(
        self, weighed: Sequence[_Weighed], keys: Collection[str]
    ) -> tuple[_Weighed | None, Sequence[Statement]]:
        """Return the best statement, and it with those around it, none of which steers."""
        while weighed:
            best = max(range(len(weighed)), key=lambda at: weighed[at][1])
            around = _around([one for one, _ in weighed], best)
            shown = [weighed[at][0] for at in around]
            steering = [
                at for at, each in zip(around, self._steer(shown, keys), strict=True) if each
            ]
            if not steering:
                return weighed[best], shown
            weighed = [each for at, each in enumerate(weighed) if at not in steering]
        return None, ()

    def _steer(self, statements: Sequence[Statement], keys: Collection[str]) -> list[bool]:
        """Return which statements steer by their embeddings; what the owner wrote does not."""
        texts = [one.text for one in statements]
        if statements[0].passage.origin is PassageOrigin.NOTE:
            return [False] * len(texts)
        try:
            return steering_flags(texts, self._embedder, keys)
        except ModelError:  # the rules have decided
            return [False] * len(texts)


def _weighed(
    question: str, statements: Sequence[str], scores: Sequence[float], weights: _Weights
) -> list[float]:
    """Return the scores with what the form of each statement adds and takes away."""
    return [
        score
        + weights.form * prior(each, question)
        - weights.kind * (not contains_answer_kind(question, [each]))
        - weights.aside * announces(each)
        for each, score in zip(statements, scores, strict=True)
    ]


def is_of_others(names: frozenset[str], passage: Passage) -> bool:
    """Return whether a passage lacks half of the names in a question."""
    text = f"{passage.name} {passage.heading} {passage.text}"
    return is_about_others(names, beginnings(terms(text)))


def _around(statements: Sequence[Statement], best: int) -> range:
    """Return the places of the statements around the best one, after it first, as far as there is
    space.

    What stands between them in the passage ends the excerpt: a heading, a question, a suspect
    sentence.
    """
    first = last = best
    length = len(statements[best].text)
    follows = follow_directly(statements)
    for place in (best + 1, best - 1, best + 2, best - 2):
        is_next = (place == last + 1 < len(statements) and follows[place]) or (
            place == first - 1 >= 0 and follows[first]
        )
        if is_next and length + len(statements[place].text) <= _MAX_EXCERPT_LENGTH:
            first, last = min(first, place), max(last, place)
            length += len(statements[place].text) + 1
    return range(first, last + 1)


def _excerpt(shown: Sequence[Statement], best: Statement, score: float) -> Excerpt:
    text = "".join(
        one.text + (" " if _ENDS.search(one.text) else " · ") for one in shown
    ).removesuffix(" · ")
    first, last = shown[0], shown[-1]
    return Excerpt(first.passage, text.strip(), best.text, first.source, score, last.text)


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


def _once(excerpts: Iterable[Excerpt]) -> Iterator[Excerpt]:
    """Drop an excerpt of which a better one has quoted the statement."""
    shown: list[Excerpt] = []
    for one in excerpts:
        if not any(
            one.passage.ref == each.passage.ref and one.statement in each.text for each in shown
        ):
            shown.append(one)
            yield one


def both(answers: Sequence[Answer], effort: Effort) -> Answer:
    """Return the answers to the parts of a question as one: the best excerpts of each, in turn."""
    turns = chain.from_iterable(zip_longest(*(each.excerpts for each in answers)))
    most = effort.shown + len(answers) - 1
    excerpts = tuple(islice(_once(filter(None, turns)), most))
    return replace(answers[0], excerpts=excerpts, nearest=())


def rarity_of(notes_with: int, notes: int) -> float:
    """Return the rarity of a word that is in `notes_with` of `notes` notes; 1 where none has it."""
    return math.log(1 + notes / (1 + notes_with)) / math.log(1 + notes) if notes else 1.0
