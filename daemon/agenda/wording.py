"""Words of topics and queries: what counts, what is noise, when two topics are one."""

import re
from collections import Counter
from collections.abc import Iterable

from daemon.model.topics import topic_key

QUERY_WORDS = 12  # sources answer longer queries with nothing, or with anything
_QUERY_LONGEST = 160  # characters; some scripts write without spaces
_ENOUGH = 3  # with fewer words a topic is filled up with the area's own
_FILLED_TO = 5  # up to this many, a phrase at a time
_STRIPPED = ".,;:!?'«»‘’_/^=$%&…–—-"
_CUT_OFF = frozenset("std")  # what an apostrophe leaves alone: it's, can't, I'd
_MARKUP = re.compile(r"https?://\S+|[\[\](){}<>|\\*`\"“”~]|(?<![\w+#])[#@+]")

_NOISE = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further get got
    had has have having he her here hers him his how i if in into is it its itself just know let
    like made make many may me might more most much must my need no nor not now of off on once one
    only or other our out over own per really same see seem shall she should since so some still
    such than that the their them then there these they thing things this those through to too
    under until up use used using very via want was way we well were what when where whether which
    while who whom whose why will with within without would yes yet you your
    der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war im am zu
    zur zum von vom mit auf für bei aus wie was wer wo warum wenn als auch
    """.split()  # noqa: SIM905 - a paragraph is easier to read and to extend than a list
)


def words(text: str) -> list[str]:
    """Split into words as written, without Markdown and punctuation around them."""
    stripped = (word.strip(_STRIPPED) for word in _MARKUP.sub(" ", text).split())
    return [word for word in stripped if any(map(str.isalnum, word))]


def telling(text: str) -> list[str]:
    """Return the words of `text` that say something, as written, each once."""
    seen: dict[str, str] = {}
    for word in words(text):
        key = word.casefold()
        if key not in _NOISE and (len(key) > 1 or key.isdigit() or key.isupper()):
            seen.setdefault(key, word)
    return list(seen.values())


def commonest(text: str, count: int) -> list[str]:
    """Return the `count` words that a text repeats most, the first used first among equals."""
    counted = Counter(
        word.casefold()
        for word in words(text)
        if len(word) > 3 and word.isalpha() and word.casefold() not in _NOISE
    )
    return [word for word, times in counted.most_common(count) if times > 1]


def query_for(topic: str, area: Iterable[str]) -> str:
    """Compose a search query: the topic's telling words, and of the area's own where those are few.

    A topic of three words stands for itself; more would only keep sources from answering.
    """
    chosen = telling(topic)
    have = {stem for word in chosen for stem in _parts(word)}
    for phrase in area:
        added = [word for word in telling(phrase) if not _parts(word) <= have]
        if len(chosen) >= _ENOUGH or len(chosen) + len(added) > _FILLED_TO:
            break
        have.update(stem for word in added for stem in _parts(word))
        chosen += added
    return " ".join((chosen or words(topic))[:QUERY_WORDS])[:_QUERY_LONGEST].strip()


def is_same(one: str, other: str) -> bool:
    """Whether two topics say the same in their telling words, in whatever order."""
    ours, theirs = _stems(one), _stems(other)
    return ours == theirs if ours and theirs else topic_key(one) == topic_key(other)


def is_near(one: str, other: str) -> bool:
    """Whether two topics would bring much the same results: one within the other, or nearly."""
    ours, theirs = _stems(one), _stems(other)
    if not ours or not theirs:
        return topic_key(one) == topic_key(other)
    shared = len(ours & theirs)
    is_within = shared == min(len(ours), len(theirs)) and shared >= 2
    return is_within or shared / len(ours | theirs) >= 0.6


def is_mostly(one: str, other: str) -> bool:
    """Whether two names share most of their words, as those of an area do that drifts."""
    ours, theirs = _stems(one), _stems(other)
    return 2 * len(ours & theirs) > max(len(ours), len(theirs))


def _stems(topic: str) -> frozenset[str]:
    """The words that say something, single letters too: C is not C++, nor R."""
    said = words(topic_key(topic))
    letters = {word for word in said if len(word) == 1} - _NOISE - _CUT_OFF
    return frozenset(_stem(word) for word in telling(topic_key(topic))) | letters


def _parts(word: str) -> set[str]:
    return {_stem(part) for part in re.split(r"[-/]", word) if part}


def _stem(word: str) -> str:
    """Fold plural and singular together; no more, so that words stay what they are."""
    key = word.casefold()
    if len(key) > 4 and key.endswith("ies"):
        return key[:-3] + "y"
    if len(key) > 3 and key.endswith("s") and not key.endswith(("ss", "us", "is")):
        return key[:-1]
    return key
