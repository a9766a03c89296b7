"""Whether a sentence with the words of a topic is about it, or about something else."""

import re
from functools import cache
from itertools import pairwise

from daemon.analysis.note_words import is_unspaced
from daemon.language.stop_words import is_stop_word
from daemon.research.bm25 import terms

AUXILIARY = frozenset(
    {
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "may",
        "might",
        "can",
        "could",
        "will",
        "would",
        "should",
        "must",
        "do",
        "does",
        "did",
    }
)
_PAIR = 2
_INFLECTED = re.compile(r"\w+(?:ed|ing|ly)$")


def is_modifier(topic: str, sentence: str) -> bool:
    """Return whether every mention of a topic only modifies the noun that the sentence is about.

    "Emergency medicine residents performed more scans" is about residents, as the verb after that
    word shows; "Emergency Medicine Division" is a name. If the topic does not occur as one phrase,
    nothing can be decided.
    """
    mentions = list(_mention(topic).finditer(sentence))
    return bool(mentions) and all(map(_is_before_a_noun, mentions))


def is_torn(topic: str, *texts: str) -> bool:
    """Return whether no text has the two words of a topic together: "emergency and disaster
    medicine".

    In any order; always False for a topic of more words, or of one, or in a script without spaces.
    """
    named = set(terms(topic))
    if any(map(is_unspaced, named)):
        return False
    pairs = (set(pair) for text in texts for pair in pairwise(terms(text)))
    return len(named) == _PAIR and named not in list(pairs)


def _is_before_a_noun(mention: re.Match[str]) -> bool:
    noun, after = mention["noun"] or "", (mention["after"] or "").casefold()
    if not noun or is_stop_word(noun) or _INFLECTED.match(noun) or noun in AUXILIARY:
        return False
    is_name = noun[0].isupper() and not noun.isupper()
    return is_name or after in AUXILIARY or after.endswith("ed")


@cache
def _mention(topic: str) -> re.Pattern[str]:
    words = r"[\s-]+".join(map(re.escape, re.findall(r"\w+", topic)))
    return re.compile(
        rf"\b{words}\b(?:\s+(?P<noun>[^\W\d_]+)(?:\s+(?P<after>[^\W\d_]+))?)?", re.IGNORECASE
    )
