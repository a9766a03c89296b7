"""A short text that a model writes from quoted sentences."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Quoted:
    """A sentence to write from: which source it is of, and the number that cites it."""

    source: str
    name: str
    text: str
    number: int


@dataclass(frozen=True, slots=True)
class WrittenSentence:
    """A sentence that passed every check, and the numbers of what it cites."""

    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What is kept of a text. Without sentences, `why` says why."""

    sentences: tuple[WrittenSentence, ...] = ()
    model: str = ""
    why: str = ""
