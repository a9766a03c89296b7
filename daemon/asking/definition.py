"""Questions such as "what is a schema?": what they ask to define, and what defines it. Pure."""

import re
from collections.abc import Sequence

from daemon.language.stop_words import is_stop_word
from daemon.research.bm25 import terms

_DEFINED = re.compile(
    r"^\W*(?:what|who)(?:['’]s| is| are| was| were) (?:an? |the )?([^?]+)", re.IGNORECASE
)
_WHERE = re.compile(r"\s(?:in|according to)\s", re.IGNORECASE)
_LONGEST_SUBJECT = 3  # words
_BEGINNING = 6  # words of a definition, that name what it defines


def asked_to_define(question: str) -> list[str]:
    """Return the words that a question asks to define; none of another question."""
    match = _DEFINED.match(question)
    subject = _WHERE.split(match[1])[0] if match else ""  # without the tool or field
    words = [word for word in subject.split() if not is_stop_word(word)]
    return words if len(words) <= _LONGEST_SUBJECT else []


def is_on_what_is_asked(question: str, heading: str) -> bool:
    """Return whether a heading is what a question asks to define: its section says what it is."""
    wanted = set(terms(" ".join(asked_to_define(question))))
    return bool(wanted) and set(terms(heading)) == wanted


def place_of_definition(question: str, name: str, statements: Sequence[str]) -> int | None:
    """Return which statement of a note with this name says first what the question asks to define;
    None if there is none, or if the note has another name.
    """
    wanted, named = set(terms(" ".join(asked_to_define(question)))), set(terms(name))
    if not wanted or named != wanted:  # "the half-life of caffeine" is not what caffeine is
        return None
    begins = (set(terms(" ".join(each.split()[:_BEGINNING]))) for each in statements)
    return next((place for place, each in enumerate(begins) if named <= each), None)
