"""What a follow-up question leaves unsaid: the subject of the questions before it.

The rules are for English. A question that needs nothing from before is left as it is.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daemon.language.guess import guess
from daemon.language.stop_words import is_stop_word
from daemon.language.words import segments
from daemon.model.threads import Turn

_OPENS = re.compile(
    r"^\W*(?:(?:and|but|so|also|or|then|what about|how about|what else|anything else|more"
    r"|which (?:one|of))\b|(?:why(?: not| so)?|how so|since when)\W*$)",
    re.IGNORECASE,
)
# "is it true that …" and "does it pay" refer to nothing before.
_REFERS = re.compile(
    r"\b(?:(?<!is )(?<!does )(?<!was )it|its|they|theirs?|them|these|those|he|him|his|she|hers?"
    r"|the (?:latter|former|same|other|others|second|first|next) ?(?:one)?)\b"
    r"|\b(?:is|does|was|did|has|can) (?:it|this|that)\b"
    r"(?! (?:true|worth|better|possible|pay|make|take))"
    r"|\b(?:of|about|for|with|to|from|on|like|than|after|before) (?:this|that|it|one)\b",
    re.IGNORECASE,
)
_FRAGMENT = 3  # words of a question that is no sentence
_ASKS = re.compile(
    r"^\W*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|has|have|had"
    r"|can|could|will|would|should|may|might)\b",
    re.IGNORECASE,
)
_MOST_WORDS = 8  # of a subject
# What a question asks for, rather than what it is about.
_EMPTY = frozenset(
    {
        "tell", "show", "list", "name", "give", "find", "explain", "define", "describe",
        "summarise", "summarize", "compare", "many", "much", "long", "often", "old", "far",
        "happen", "happens", "mean", "means", "work", "works", "say", "says", "think", "thinks",
        "note", "notes",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question with the subject of those before it; `subject` is "" if it needs none."""

    question: str
    subject: str = ""

    @property
    def whole(self) -> str:
        """The question with its subject, for search and for models."""
        return f"{self.question.rstrip(' ?')} ({self.subject})?" if self.subject else self.question


@dataclass(frozen=True, slots=True)
class Context:
    """A question in its thread: with its subject, the notes cited before, and an earlier route."""

    asked: FollowUp
    notes: tuple[str, ...] = ()
    route: Mapping[str, Any] | None = None


def context_of(question: str, turns: Sequence[Turn]) -> Context:
    """Return a question in its thread, oldest turn first."""
    asked = in_thread(question, [turn.question for turn in turns])
    if not asked.subject:
        return Context(asked)
    last = turns[-1].answer
    cited = (each for each in last.get("citations", ()) if each.get("origin") == "note")
    notes = tuple(dict.fromkeys(str(each["path"]) for each in cited))
    return Context(asked, notes, last.get("route"))


def in_thread(question: str, earlier: Sequence[str]) -> FollowUp:
    """Return a question with what the earlier ones of its thread, oldest first, are about."""
    if not earlier or not is_follow_up(question):
        return FollowUp(question)
    return FollowUp(question, " ".join(_subject(earlier, subject_words(question))))


def is_follow_up(question: str) -> bool:
    """Return whether a question leaves its subject to an earlier one."""
    return bool(_is_fragment(question) or _OPENS.search(question) or _REFERS.search(question))


def _is_fragment(question: str) -> bool:
    """Return whether an English question is no sentence, nor keywords enough to stand alone."""
    is_short = len(question.split()) <= _FRAGMENT and len(subject_words(question)) < _FRAGMENT
    return is_short and not _ASKS.search(question) and guess(question) == "en"


def _subject(earlier: Sequence[str], own: Sequence[str]) -> list[str]:
    """Return the words that the last question is about, after those of what it refers to."""
    begin = len(earlier) - 1
    while begin > 0 and is_follow_up(earlier[begin]):
        begin -= 1
    words = [word for each in earlier[begin:] for word in subject_words(each)]
    new = [word for word in dict.fromkeys(words) if word not in own]
    first = [word for word in dict.fromkeys(subject_words(earlier[begin])) if word in new]
    return list(dict.fromkeys([*first[:_MOST_WORDS], *new[-_MOST_WORDS:]]))[:_MOST_WORDS]


def subject_words(question: str) -> list[str]:
    """Return the words that a question is about, as they are written."""
    return [word for word in segments(question) if not is_stop_word(word) and word not in _EMPTY]
