"""What a manual says of an option, a function or a setting that a note uses."""

import re
from collections.abc import Sequence
from itertools import pairwise

from daemon.analysis.code_names import CodeName, is_introduced
from daemon.research.about import Topic, is_more_specific
from daemon.research.bm25 import terms
from daemon.research.quotable import is_statement
from daemon.research.result_strength import is_qualified
from daemon.research.sentences import Sentence, sentences, terms_of, without_term

_MAX_SENTENCES = 3
_REFERS = re.compile(r"(?:for (?:more|further|details|the)\b.{0,60}\bsee|see)\b", re.IGNORECASE)
_GAP = 32  # characters between sentences: a line end and the margin of a manual page
_MIN_WORDS = 12  # significant or not, of the explanation
_MIN_NEW = 5  # significant words that the note does not have


def explanation(topic: Topic, title: str, said: Sequence[Sentence]) -> list[int]:
    """Return the indexes of the sentences that explain the code name of a topic, in order.

    That is the sentence below its name, and those that follow it at once, in the same paragraph:
    what comes after one that cannot be quoted may depend on it. Returns none
    if they say little that the note behind the topic does not say, or name no condition, limit or
    difference: a user of an option knows what it is for.
    """
    name = topic.code
    if name is None or not name.is_named_by(title):
        return []
    for place, sentence in enumerate(said):
        if any(map(name.is_introduced_by, terms_of(sentence.text))):
            block = [at for at, each in enumerate(said) if each.block == sentence.block]
            parts = [at for at in block if at >= place and not _REFERS.match(said[at].text)]
            chosen = _unbroken(parts, said)[:_MAX_SENTENCES]
            texts = [" ".join(without_term(said[at].text).split()) for at in chosen]
            if _is_new(topic, texts) and any(map(is_qualified, texts)):
                return chosen
    return []


def _unbroken(places: Sequence[int], said: Sequence[Sentence]) -> list[int]:
    """Return the first places up to a gap between their sentences."""
    gaps = (said[after].start - said[one].end > _GAP for one, after in pairwise(places))
    end = next((number for number, is_gap in enumerate(gaps, start=1) if is_gap), len(places))
    return list(places[:end])


def explains(name: CodeName, note: str, title: str, text: str) -> bool:
    """Return whether a document explains a code name to somebody who wrote a note that uses it."""
    if not is_introduced(name, text):
        return False
    known = frozenset(terms(note))
    topic = Topic(name.query, is_tagged=True, known=known, code=name)
    return any(
        explanation(topic, title, [one for one in said if is_statement(one.text)])
        for said in (sentences(text, wrapped=False), sentences(text, wrapped=True))
    )


def _is_new(topic: Topic, texts: Sequence[str]) -> bool:
    words = " ".join(texts)
    own = frozenset(terms(words)) - frozenset(terms(topic.query))
    is_enough = len(words.split()) >= _MIN_WORDS and len(own - topic.known) >= _MIN_NEW
    return is_enough and is_more_specific(own, topic.known)
