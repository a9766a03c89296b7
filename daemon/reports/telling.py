"""What notes say: the statements of each that say most about its subject, and can stand alone.

A statement counts for how near it is to the note's title and whole, for naming what the title
names, for its place and its form.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from daemon.asking.statements import Passage, Statement, is_stated, parts_of
from daemon.ingest.key_points import Embed, compared, leaves_open
from daemon.reports.said import points_elsewhere
from daemon.reports.subtopics import Rarity
from daemon.research.bm25 import terms
from daemon.research.lone_sentences import DEPENDS_ON_CONTEXT
from daemon.research.prior import prior

_WORDS = (6, 60)  # of a statement
_READ = 16  # statements of a note that are compared
_TERMS = 24  # frequent ones, that decide what matters
_BEGINNING = 8  # words of a statement in which it names its subject
_NAMES, _OPENS, _COMMON, _FORM, _BARE = 0.2, 0.1, 0.15, 0.06, 0.3
_OPENING = 2  # statements
_SHORT_QUESTION = 4  # words
# A list that follows, a property, a title of a video, what another note says, a judgement without
# its subject, the name of an image within the sentence.
_NO_POINT = re.compile(
    r":\s*$|- YouTube$|\bI (?:explained|described|showed|wrote about|covered|mentioned)\b"
    r"|^(?-i:[a-z]\w*: (?=[a-z\d\"']))"
    r"|^\W*(?:good|poor|bad|great|nice|useful|worth|best) (?:for|to|at|in)\b"
    r"|\.(?:png|jpe?g|webp|svg|gif)\b(?!\s*$)|\bexcalidraw\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|cannot|could|may|might|must|should|will"
    r"|would|becomes?|causes?|leads?|means?|needs?|makes?|uses?|shows?|gives?|takes?|works?|helps?"
    r"|requires?|includes?|contains?|allows?|prevents?|reduces?|increases?|depends?|\w+n['’]t)\b",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[A-Za-z]")  # of a language whose verbs are known here
_QUESTION = re.compile(r"[?？]\W*$")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d+[.)])[ \t]+(?:\[.\][ \t]+)?[*_\"“]*")
_TAIL = re.compile(r"^[\W_]*$")
# What is said of an example, or of one of several, is clear only beside it.
_OF_EXAMPLE = re.compile(
    r"\b(?:in|for|with|from) (?:the|our|my|that) (?:[\w'’-]+ ){0,3}example\b"
    r"|^\W*in the (?:first|second|third|latter|former)\b(?! (?:place|half|year|week))"
    r"|\b(?:look|turn|go back|return) (?:to|at) \b.{0,60}\bexamples?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A statement of a note, and how informative it is; higher is better."""

    statement: Statement
    worth: float


def subject_terms(notes: Mapping[str, Sequence[Passage]], rarity: Rarity) -> dict[str, float]:
    """Return the weights of the words that many of these notes have, and few others."""
    counts = Counter[str]()
    for passages in notes.values():
        counts.update({term for each in passages for term in terms(f"{each.name} {each.text}")})
    weights = {term: count * rarity(term) for term, count in counts.items() if count > 1}
    best = sorted(weights, key=lambda term: (-weights[term], term))[:_TERMS]
    return {term: math.sqrt(weights[term]) for term in best}


def by_weight(
    notes: Mapping[str, Sequence[Passage]], linked: Mapping[str, int], rarity: Rarity
) -> list[str]:
    """Return the paths of notes: the most linked first, then those with the weightiest sentence."""
    weights = subject_terms(notes, rarity)

    def most(path: str) -> float:
        texts = (each.text for passage in notes[path] for each in parts_of(passage))
        return max((share_in(each, weights) for each in texts if fits(each)), default=0.0)

    return sorted(notes, key=lambda path: (-linked.get(path, 0), -most(path), path))


def ranked_in(
    passages: Iterable[Passage], weights: Mapping[str, float], embed: Embed | None
) -> list[Ranked]:
    """Return the statements of a note that tell something, the most telling first.

    `weights` are those of the words that the notes around it have in common. Raises ModelError.
    """
    every = [each for passage in passages for each in parts_of(passage)]
    named = set(terms(every[0].passage.name)) if every else set()
    fitting = [
        place
        for place, each in enumerate(every)
        if fits(each.text) and not set(terms(each.text)) <= named
    ]
    if not fitting:
        return []
    name, opening = every[0].passage.name, fitting[:_OPENING]
    read = sorted({*opening, *_most_frequent(every, fitting, named)})
    texts = [every[place].text for place in read]
    near, _ = compared(name, texts, embed)
    most = max((share_in(text, weights) for text in texts), default=0.0) or 1.0
    found = [
        Ranked(
            every[place],
            near[at]
            + _NAMES * _names(text, named)
            + _OPENS * (place in opening)
            + _COMMON * share_in(text, weights) / most
            + _FORM * max(prior(text, ""), -2.0)
            - _BARE * (not _is_sentence(text)),
        )
        for at, (place, text) in enumerate(zip(read, texts, strict=True))
    ]
    found.sort(key=lambda one: -one.worth)
    return [one for one in found if is_stated(one.statement)]


def _most_frequent(
    every: Sequence[Statement], fitting: Sequence[int], named: set[str]
) -> list[int]:
    """Return the places of the statements with most of the words that a note repeats; a word of
    its name doubles that.
    """
    own = _frequent([every[place].text for place in fitting])

    def worth(place: int) -> float:
        text = every[place].text
        return share_in(text, own) * (2 if named & set(terms(text)) else 1)

    return sorted(fitting, key=lambda place: (-worth(place), place))[:_READ]


def fits(text: str) -> bool:
    """Return whether a text can be understood alone, by its form."""
    is_long = _WORDS[0] <= len(text.split()) <= _WORDS[1]
    depends = any(each.search(text) for each in (DEPENDS_ON_CONTEXT, _NO_POINT, _OF_EXAMPLE))
    return is_long and not depends and not points_elsewhere(text)


def share_in(text: str, weights: Mapping[str, float]) -> float:
    """Return how much of weighted words a text has, for its length."""
    own = set(terms(text))
    return sum(weights.get(term, 0.0) for term in own) / math.sqrt(max(len(own), _WORDS[0]))


def asked_in(passages: Iterable[Passage], weights: Mapping[str, float]) -> list[Statement]:
    """Return what notes ask in an item of a list or at the end of a section, or call unknown.

    A question within a text is answered there, or needs no answer.
    """
    return [each for passage in passages for each in parts_of(passage) if _is_asked(each, weights)]


def _is_asked(one: Statement, weights: Mapping[str, float]) -> bool:
    is_long = _SHORT_QUESTION < len(one.text.split()) <= _WORDS[1]
    depends = DEPENDS_ON_CONTEXT.match(one.text)
    if not (is_long and leaves_open(one.text) and share_in(one.text, weights)) or depends:
        return False
    return _stands_alone(one) or not _QUESTION.search(one.text)


def _stands_alone(one: Statement) -> bool:
    """Return whether a sentence is an item of a list, or all that a section ends with."""
    text, start = one.passage.text, one.passage.text.find(one.source)
    before = text[text.rfind("\n", 0, start) + 1 : start]
    line, _, rest = text[start + len(one.source) :].partition("\n")
    is_whole = start >= 0 and _TAIL.match(line) is not None
    return is_whole and (
        _ITEM.fullmatch(before) is not None or not (before.strip() or rest.strip())
    )


def _names(text: str, named: set[str]) -> bool:
    """Return whether a statement begins with what a title names."""
    begins = set(terms(" ".join(text.split()[:_BEGINNING])))
    return bool(named) and len(named & begins) * 2 > len(named)


def _is_sentence(text: str) -> bool:
    return _VERB.search(text) is not None or not _LETTERS.search(text)


def _frequent(texts: Iterable[str]) -> dict[str, float]:
    counts = Counter(term for each in texts for term in set(terms(each)))
    return {term: math.sqrt(count) for term, count in counts.most_common(40) if count > 1}
