"""The direction of a sentence: what it negates, hedges, raises or lowers, and by how much.

Sentences that state the opposite are similar to any embedding; these rules separate them. They are
for English; in other languages only nearly identical sentences may agree.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cache
from importlib.resources import files

from daemon.analysis.note_words import key, words_of
from daemon.language.guess import guess
from daemon.language.stems import stem
from daemon.language.stop_words import is_significant
from daemon.research.quantities import clash, differ, quantities

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|hardly|scarcely|barely"
    r"|unable|lacks?|lacked|lacking|fails? to|failed to|absence of|free of|far from|instead of"
    r"|rather than)\b|n['’]t\b",
    re.IGNORECASE,
)
_NO_NEGATION = re.compile(
    r"\bnot (?:only|just|merely|least|to mention|until)\b|\bno (?:doubt|matter|more than|less than"
    r"|fewer than|later than|sooner)\b|\bwhether or not\b|\bnothing but\b|\bnot un\w+",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|possibl[ey]|perhaps|maybe|probabl[ey]|presumably|apparently|seem(?:s|ed)?"
    r"|appear(?:s|ed)? (?:to|that)|suggest(?:s|ed|ing)?|potential(?:ly)?|likely|unlikely|believed"
    r"|thought to|hypothesi[sz]\w*|preliminary|speculat\w*|conceivabl[ey]|allegedly|reportedly"
    r"|some evidence|limited evidence|unclear|uncertain|remains to be|in some cases|sometimes)\b",
    re.IGNORECASE,
)
_ABLE = re.compile(r"\bcan\b", re.IGNORECASE)  # as firm as "does", as careful as "may"
_BLOCKS = re.compile(  # "stops bread from going stale" is "bread does not go stale"
    r"\b(?:prevent\w*|stop(?:s|ped|ping)?|avoid\w*|avert\w*|block\w*|halt\w*|inhibit\w*"
    r"|eliminat\w*|removes?)\b",
    re.IGNORECASE,
)
_TURN = re.compile(  # the parts before and after it cannot change places
    r"\b(?:than|outperform\w*|exceed\w*|surpass\w*|superior to|inferior to|beats?|replac\w+"
    r"|caus\w+|leads? to|led to|results? in|resulted in|depends? on|precedes?|follows?)\b",
    re.IGNORECASE,
)
_PASSIVE = re.compile(r"\s+by\b", re.IGNORECASE)
_COMPARES = re.compile(r"\b(?:than|outperform|exceed|surpass|superior|inferior|beats?)", re.I)
# A figure stated without conditions, which no study, sample or moment changes.
_STATED = re.compile(
    r"\b(?:is|are|equals?|amounts? to|totals?|costs?|weighs?|measures?|has|have|contains?"
    r"|(?:boils?|melts?|freezes?) at)\s+(?:exactly\s+)?[$€]?[-−]?\d",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approximately|circa|up to|at (?:least|most)"
    r"|average\w*|mean|median|typical\w*|usual\w*|estimate[ds]?|trials?|stud(?:y|ies)|survey\w*|samples?"
    r"|cohorts?|patients?|participants?|subjects?|experiments?|observ\w+|measured|found|reported"
    r"|case|cases|here|we|our|was|were|had|took|fell|rose|(?!need|feed|speed|seed|red\b)\w{3,}ed)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:in|among|amongst|for|at|during|under|with|within|after|before|on|when|if|unless)\s+"
    r"(?P<what>[^,;:.()]+?)(?=\s+(?:in|among|amongst|for|at|during|under|with|within|after|before|on"
    r"|when|if|unless|and|but|is|are|was|were|does|do|did|has|have|had|can|may|will|than)\b|[,;:.()]|$)",
    re.IGNORECASE,
)
_ONLY_THEN = re.compile(
    r"\b(?:among|amongst|during|under|if|when|unless|only)\b"
    r"|\b(?:in|for|with)\s+(?:\w+\s+)?(?:patients|people|persons|adults|children|infants|women|men"
    r"|mice|rats|humans|animals|smokers|athletes)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;:—–]|,\s*(?=(?:and|as|but|even|if|or|so|unless|when|where|which|while|who|yet)\b)"
    r"|,?\s*\b(?=(?:although|because|but|though|since|unless|whereas)\b)",
    re.IGNORECASE,
)
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-")
_MIN_STEM_LENGTH = 4
_ALIKE = 0.55  # Dice of the significant words from which two sentences are about one thing
_VERY_ALIKE = 0.75  # from which two words of one may be missing in the other
_ALIKE_IN_NUMBERS = 0.65
_VERBATIM = 0.9  # from which sentences in a language without rules may agree


class Relation(Enum):
    """The relation of two similar sentences."""

    MAY_AGREE = auto()  # no rule says that they disagree
    OPPOSED = auto()  # about one thing, one states the opposite of the other
    DIFFERENT = auto()  # about one thing, with different figures: two results
    APART = auto()  # undecided


class Stance:
    """A sentence, read once for all comparisons, each of which is of the relevant clauses.

    "Do not repeat it, since a second treatment weakens them" says of the treatment what "A second
    treatment weakens them" says: the "not" is about another thing.
    """

    def __init__(self, text: str) -> None:
        self._clauses = [part for part in _CLAUSE.split(text) if part.strip()] or [text]
        self._stems = [_stems(clause) for clause in self._clauses]
        self.stems = frozenset().union(*self._stems)
        self.is_foreign = _is_foreign(text)
        self.has_quantities = bool(quantities(text))
        self._read: dict[tuple[int, ...], _Direction] = {}

    def relation(self, other: "Stance") -> Relation:
        """Compare two similar sentences; symmetric."""
        if self.is_foreign or other.is_foreign:
            is_verbatim = self.likeness(other) >= _VERBATIM
            return Relation.MAY_AGREE if is_verbatim else Relation.APART
        return self.facing(other).relation(other.facing(self))

    def likeness(self, other: "Stance") -> float:
        """Return the Dice coefficient of the significant words of both."""
        both = len(self.stems) + len(other.stems)
        return 2 * len(self.stems & other.stems) / both if both else 0.0

    def facing(self, other: "Stance") -> "_Direction":
        """Return the clauses that are relevant to another sentence; all, if none is."""
        every = tuple(range(len(self._clauses)))
        kept = tuple(index for index in every if _is_related(self._stems[index], other.stems))
        chosen = kept if any(self._stems[index] for index in kept) else every
        if chosen not in self._read:
            self._read[chosen] = _Direction(" ".join(self._clauses[index] for index in chosen))
        return self._read[chosen]


def _is_foreign(text: str) -> bool:
    """Return whether a sentence is clearly not English."""
    return guess(text) != "en"


def _is_related(clause: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether a clause shares two significant words, or half of its own; one without any
    depends on others.
    """
    shared = len(clause & other)
    return shared >= 2 or 2 * shared >= len(clause)


class _Direction:
    """The direction of some clauses."""

    def __init__(self, text: str) -> None:
        plain = _NO_NEGATION.sub(" ", text)
        self.words = [word.casefold().replace("’", "'") for word in words_of(text)]
        self.negations = len(_NEGATION.findall(plain))
        self.blocks = _BLOCKS.search(text) is not None
        self.is_hedged = _HEDGE.search(text) is not None
        self.is_able = _ABLE.search(text) is not None
        self.quantities = quantities(text)
        self.signs = _signs(self.words, "opposites")
        self.cases = _signs(self.words, "contrasts")
        self.vocabulary = frozenset(
            word
            for word in self.words
            if len(word) >= _MIN_STEM_LENGTH and not _sides(word, "opposites")
        )
        self.content = {
            _stem(word): frozenset(pair for pair, _ in _sides(word, "opposites"))
            for word in self.words
            if is_significant(word)
        }
        self.compares = _COMPARES.search(text) is not None
        self.is_stated = bool(_STATED.search(text)) and not _MEASURED.search(text)
        self.stems = _stems(text)
        self.conditions = frozenset().union(
            *(_stems(found["what"]) for found in _CONDITION.finditer(text))
        )
        self.is_limited = _ONLY_THEN.search(text) is not None
        turn = _TURN.search(text)
        sides = [text[: turn.start()], text[turn.end() :]] if turn else ["", ""]
        if _PASSIVE.match(sides[1]):
            sides.reverse()  # "is caused by the cold" is "the cold causes"
        self.before, self.after = map(_stems, sides)

    def relation(self, other: "_Direction") -> Relation:
        flips, is_muddled = _flips(self, other)
        if is_muddled or self._is_of_another_case(other):
            return Relation.APART
        is_turned = self._is_turned_round(other)
        if is_turned and not (self.compares and other.compares):
            return Relation.APART
        blocks = self.blocks != other.blocks
        odd = (self.negations + other.negations + flips + is_turned + blocks) % 2 == 1
        if not odd:
            return self._relation_of_one_direction(other, flips + blocks)
        if blocks:
            return Relation.APART
        is_of_one_thing = self._is_of_one_thing(other)
        are_both_hedged = self.is_hedged and other.is_hedged
        is_clear = not are_both_hedged and not clash(self.quantities, other.quantities)
        if is_of_one_thing and is_clear and not self._is_under_other_conditions(other):
            return Relation.OPPOSED
        return Relation.APART

    def _relation_of_one_direction(self, other: "_Direction", flips: int) -> Relation:
        if differ(self.quantities, other.quantities):
            is_of_one_thing = self._likeness(other) >= _ALIKE_IN_NUMBERS
            if not is_of_one_thing or self.is_hedged or other.is_hedged:
                return Relation.APART
            is_one_fact = self.is_stated and other.is_stated and self._likeness(other) == 1.0
            return Relation.OPPOSED if is_one_fact else Relation.DIFFERENT
        is_plain = flips == 0 or (flips == 1 and self.negations % 2 != other.negations % 2)
        if is_plain and self._is_as_firm_as(other) and not clash(self.quantities, other.quantities):
            return Relation.MAY_AGREE
        return Relation.APART

    def _is_as_firm_as(self, other: "_Direction") -> bool:
        if self.is_hedged == other.is_hedged:
            return True
        return self.is_able if other.is_hedged else other.is_able

    def _is_of_another_case(self, other: "_Direction") -> bool:
        """Return whether one is about summer, the other about winter, and neither about both."""
        shared = self.cases.keys() & other.cases.keys()
        return any(not set(self.cases[pair]) & set(other.cases[pair]) for pair in shared)

    def _is_under_other_conditions(self, other: "_Direction") -> bool:
        """Return whether each holds under a condition that the other does not name, or one only
        under that.
        """
        mine, its = self.conditions - other.stems, other.conditions - self.stems
        return bool((mine and its) or (mine and self.is_limited) or (its and other.is_limited))

    def _is_turned_round(self, other: "_Direction") -> bool:
        """Return whether what the one puts before "than" or "causes" the other puts after it."""
        forth = (self.before - self.after) & (other.after - other.before)
        back = (self.after - self.before) & (other.before - other.after)
        return bool(forth and back)

    def _is_of_one_thing(self, other: "_Direction") -> bool:
        """Return whether hardly a significant word of the one is missing in the other."""
        alike = self._likeness(other)
        missing = max(len(self.stems - other.stems), len(other.stems - self.stems))
        return alike >= _VERY_ALIKE or (alike >= _ALIKE and missing <= 1)

    def _likeness(self, other: "_Direction") -> float:
        """Return the Dice coefficient of the significant words, without those that have a
        direction.
        """
        pairs = self.signs.keys() & other.signs.keys()
        mine = {stem for stem, its in self.content.items() if not its & pairs}
        its = {stem for stem, its in other.content.items() if not its & pairs}
        return 2 * len(mine & its) / (len(mine) + len(its)) if mine and its else 0.0


def _flips(one: _Direction, other: _Direction) -> tuple[int, bool]:
    """Count the pairs of which the two take opposite sides; return whether that is undecided."""
    flips = 0
    for pair in one.signs.keys() & other.signs.keys():
        mine, its = one.signs[pair], other.signs[pair]
        if set(mine) & set(its):
            if mine != its and len(set(mine) | set(its)) > 1:
                return 0, True
            continue
        flips += 1
    return flips + sum(1 for _ in _prefixed(one, other)), False


def _prefixed(one: _Direction, other: _Direction) -> Iterator[str]:
    """Yield words of which one text has the plain form and the other that with un-, in-, …"""
    left, right = one.vocabulary - other.vocabulary, other.vocabulary - one.vocabulary
    for mine, its in ((left, right), (right, left)):
        for word in mine:
            if any(f"{prefix}{word}" in its for prefix in _PREFIXES):
                yield word


def _signs(words: Sequence[str], kind: str) -> Mapping[int, tuple[int, ...]]:
    """Return per pair the sides of the words, in order."""
    found: dict[int, list[int]] = {}
    for word in words:
        for pair, side in _sides(word, kind):
            found.setdefault(pair, []).append(side)
    return {pair: tuple(dict.fromkeys(sides)) for pair, sides in found.items()}


@cache
def _sides(word: str, kind: str) -> tuple[tuple[int, int], ...]:
    return tuple(
        (number, side)
        for number, sides in enumerate(_pairs(kind))
        for side, pattern in enumerate(sides)
        if pattern.fullmatch(word)
    )


@cache
def _pairs(kind: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    table = tomllib.loads(files(__package__).joinpath("opposites.toml").read_text("utf-8"))
    return tuple((_pattern(one), _pattern(other)) for one, other in table[kind])


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(word).replace(r"\*", r"\w*") for word in words.split()))


def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in words_of(text) if is_significant(word))


@cache
def _stem(word: str) -> str:
    cut = stem(word)
    return cut if len(cut) >= _MIN_STEM_LENGTH else key(word)
