"""Split a document's text into windows of whole sentences, small enough for a cross-encoder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from daemon.language.words import segments
from daemon.model.evidence import Document
from daemon.research.quotable import end_of_matter
from daemon.research.sentences import WRAPPED, Sentence, sentences

# Words of a window. Of 80 and 160 words, measured on whole papers, the smaller find the right paper
# as often, and take half the time.
WORDS = 80


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a text from the start of one sentence to the end of another, on one line."""

    start: int
    end: int
    text: str


def windows_of(document: Document) -> list[Window]:
    """Return the windows of a document's text, without its references and other end matter."""
    text = document.text
    end = end_of_matter(text)
    every = sentences(text, wrapped=document.extracted_by in WRAPPED)
    return windows(text, [sentence for sentence in every if sentence.end <= end])


def windows(text: str, found: Sequence[Sentence], words: int = WORDS) -> list[Window]:
    """Group consecutive sentences into windows of at most about so many words."""
    return [
        Window(
            group[0].start, group[-1].end, " ".join(text[group[0].start : group[-1].end].split())
        )
        for group in _groups(found, words)
    ]


def _groups(sentences: Sequence[Sentence], most: int) -> Iterator[list[Sentence]]:
    group: list[Sentence] = []
    length = 0
    for sentence in sentences:
        words = len(segments(sentence.text))
        if group and length + words > most:
            yield group
            group, length = [], 0
        group.append(sentence)
        length += words
    if group:
        yield group
