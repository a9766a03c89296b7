"""Whether a sentence only names a topic as part of something else's name."""

import re
from functools import cache

from daemon.language.stop_words import is_stop_word

_AUXILIARY = frozenset(
    "is are was were has have had may might can could will would should must do does did".split()  # noqa: SIM905
)
_INFLECTED = re.compile(r"\w+(?:ed|ing|ly)$")


def is_modifier(topic: str, sentence: str) -> bool:
    """Whether every mention of a topic stands before the noun that the sentence is about.

    "Emergency medicine residents performed more scans" is about residents, as the verb after that
    word shows; "Emergency Medicine Division" is a name. Where the topic does not stand as one
    phrase nothing can be told.
    """
    mentions = list(_mention(topic).finditer(sentence))
    return bool(mentions) and all(map(_is_before_a_noun, mentions))


def _is_before_a_noun(mention: re.Match[str]) -> bool:
    noun, after = mention["noun"] or "", (mention["after"] or "").casefold()
    if not noun or is_stop_word(noun) or _INFLECTED.match(noun) or noun in _AUXILIARY:
        return False
    is_name = noun[0].isupper() and not noun.isupper()
    return is_name or after in _AUXILIARY or after.endswith("ed")


@cache
def _mention(topic: str) -> re.Pattern[str]:
    words = r"[\s-]+".join(map(re.escape, re.findall(r"\w+", topic)))
    return re.compile(
        rf"\b{words}\b(?:\s+(?P<noun>[^\W\d_]+)(?:\s+(?P<after>[^\W\d_]+))?)?", re.IGNORECASE
    )
