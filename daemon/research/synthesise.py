"""The two or three sentences of a document that best answer a task, word for word.

A sentence counts for being near to the question, to the note that asked, to the rest of its
document and to what the other documents say, and for naming the question's words; and the less, the
more it repeats what is chosen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from daemon.model.agenda import Task
from daemon.model.evidence import Document, Passage
from daemon.ports import Vectors
from daemon.research.quotable import keys_in
from daemon.research.recall import Recall, similarity
from daemon.research.sentences import Sentence

MOST_QUOTES = 3
# Cosines of all-MiniLM-L6-v2, mean of the three nearest sentences. Of 31 real pages, asked for by
# their titles, 77 % lie above it for their own title and 1.6 % for another's; in the sample
# library what answers a task has 0.38 to 0.70, and what does not has at most 0.35.
RELEVANCE_FLOOR = 0.355
_QUOTE_FLOOR = 0.25
_BEST = 3  # sentences whose nearness to the question is the document's
_GIST = 5  # sentences that stand for what a document says to the question
# Of the best sentence's score: below it, a second, or a third, only adds length.
_WORTH = (0.0, 0.5, 0.7)
_REPEATS = 0.85  # cosine from which two sentences say the same
_MOST_CHARACTERS = 700  # of all quotes together

_LEANS = re.compile(
    r"^[\"'“‘(\[*_]*(?:this|that|these|those|it|its|they|their|them|he|she|his|her|such|both|however"
    r"|but|and|or|so|thus|therefore|hence|then|instead|otherwise|moreover|furthermore|also|besides"
    r"|in (?:addition|contrast|effect|fact|short|general|particular|other words|this|that|these)"
    r"|as (?:a result|such|before)|by contrast|after all|at the same time|on the other hand"
    r"|for example|for instance|similarly|likewise|here|there"
    r"|the (?:latter|former|same|other|result|first|second|third))\b",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\*\*|__|`|\[\[|\]\(|\||<[a-z/]|\$|\\[a-z]|\{|https?://|\b_\w|\*\w|::|\(\)")
_CAPTION = re.compile(
    r"^\W*(?:fig(?:ure|\.)?|table|sketch|image|photo\w*|illustration|caption|source|credit|note)\b"
    r"[^.]{0,12}[:.,—]",
    re.IGNORECASE,
)
_PERSONAL = re.compile(r"\b(?:I|I'm|I've|my|me|we|our|us)\b")


@dataclass(frozen=True, slots=True)
class Question:
    """A task in the form that sentences are compared with. `note` is `(n, d)`, n 0 or more."""

    task: Task
    asked: Vectors  # (m, d): the query and the topic
    note: Vectors
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A document read for one task: how well it answers it, and its best sentences.

    `relevance` is comparable across the documents of a task, and so is `worth`, which holds a
    score for each of `quotes`: higher answers better.
    """

    task: Task
    document: Document
    relevance: float
    quotes: tuple[Sentence, ...]
    worth: tuple[float, ...] = ()


def question(task: Task, note_text: str, recall: Recall) -> Question:
    """Put a task into the form that sentences are compared with."""
    asked = list(dict.fromkeys((task.query, task.topic)))
    about = passages(note_text)
    note = recall.vectors(about) if about else np.zeros((0, 1), dtype=np.float32)
    return Question(task, recall.vectors(asked), note, keys_in(f"{task.query} {task.topic}"))


def read(
    asked: Question,
    document: Document,
    sentences: Sequence[Sentence],
    vectors: Vectors,
    others: "Vectors | None" = None,
) -> Reading:
    """Choose from `sentences` and their `(n, d)` vectors; no quotes when none is near enough.

    `others` is `(m, d)`: what the other documents of the task say to it, see `gist`.
    """
    near = similarity(vectors, asked.asked).max(axis=1)
    relevance = round(float(np.sort(near)[::-1][:_BEST].mean()), 4)
    scores = _scores(asked, sentences, vectors, near, others)
    chosen = _chosen(sentences, scores, near, similarity(vectors, vectors))
    quotes = tuple(sentences[index] for index in sorted(chosen))
    worth = tuple(float(scores[index]) for index in sorted(chosen))
    return Reading(asked.task, document, relevance, quotes, worth)


def gist(asked: Question, vectors: Vectors) -> Vectors:
    """Return the `(1, d)` mean direction of a document's sentences nearest to the question."""
    near = similarity(vectors, asked.asked).max(axis=1)
    order = sorted(range(len(near)), key=lambda index: (-near[index], index))
    return _direction(vectors[order[:_GIST]])


def passage(document: Document, sentence: Sentence) -> Passage:
    return Passage(document.id, sentence.start, sentence.end, sentence.text)


def plain(text: str) -> str:
    """Return a sentence as it is embedded: on one line."""
    return " ".join(text.split())


def passages(text: str, size: int = 900, most: int = 3) -> list[str]:
    """Cut a note's text at paragraphs into at most `most` passages of about `size` characters."""
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        line = plain(paragraph)
        if found and len(found[-1]) + len(line) < size:
            found[-1] = f"{found[-1]} {line}".strip()
        elif line:
            found.append(line[:size])
    return found[:most]


def surroundings(text: str, sentence: Sentence, *, size: int = 500) -> str:
    """Return the words around a sentence, about as many as a chunk of a note has."""
    start = max(text.rfind("\n\n", 0, sentence.start), sentence.start - size, 0)
    after = text.find("\n\n", sentence.end)
    end = min(after if after >= 0 else len(text), sentence.end + size)
    return plain(text[start:end])


def _scores(
    asked: Question,
    sentences: Sequence[Sentence],
    vectors: Vectors,
    near: Vectors,
    others: "Vectors | None",
) -> Vectors:
    central = similarity(vectors, _direction(vectors))[:, 0]
    if others is not None and len(others):
        central = (central + similarity(vectors, others).mean(axis=1)) / 2
    to_note = similarity(vectors, asked.note).max(axis=1) if len(asked.note) else central * 0
    names = np.array([_named(sentence.text, asked.terms) for sentence in sentences])
    lead = np.array([1 / (1 + 0.1 * index) for index in range(len(sentences))])
    clumsy = np.array([_clumsiness(sentence.text) for sentence in sentences])
    total = 0.55 * near + 0.15 * to_note + 0.15 * names + 0.1 * central + 0.05 * lead - clumsy
    scores: Vectors = np.round(total, 4)
    return scores


def _chosen(
    sentences: Sequence[Sentence], scores: Vectors, near: Vectors, alike: Vectors
) -> list[int]:
    """Take the best sentence, then those that add most to what is taken (MMR)."""
    chosen: list[int] = []
    open_ = [index for index in range(len(sentences)) if near[index] >= _QUOTE_FLOOR]
    length = 0
    while open_ and len(chosen) < MOST_QUOTES:
        gains = {
            index: scores[index] - 0.3 * max((alike[index, other] for other in chosen), default=0)
            for index in open_
        }
        best = min(open_, key=lambda index: (-round(float(gains[index]), 4), index))
        open_.remove(best)
        length += len(sentences[best].text)
        if chosen and (
            scores[best] < _WORTH[len(chosen)] * scores[chosen[0]]
            or length > _MOST_CHARACTERS
            or max(alike[best, other] for other in chosen) > _REPEATS
        ):
            length -= len(sentences[best].text)
            continue
        chosen.append(best)
    return chosen


def _direction(vectors: Vectors) -> Vectors:
    mean = vectors.mean(axis=0, keepdims=True)
    direction: Vectors = mean / max(float(np.linalg.norm(mean)), 1e-12)
    return direction


def _named(text: str, terms: frozenset[str]) -> float:
    return len(keys_in(text) & terms) / len(terms) if terms else 0.0


def _clumsiness(text: str) -> float:
    """What makes a sentence hard to read where it does not belong."""
    return (
        (0.08 if _LEANS.match(text) else 0.0)
        + (0.08 if _MARKUP.search(text) else 0.0)
        + (0.12 if _CAPTION.match(text) else 0.0)
        + (0.04 if _PERSONAL.search(text) else 0.0)
    )
