"""A name for a group of notes: what it says often and the rest of the vault does not."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from daemon.analysis.words import Reader, Run, is_unspaced, is_word, key, prose

TITLE, HEADING, TEXT = 3.0, 1.5, 1.0
READ_CHARACTERS = 1_500  # the beginning of a note says what it is about
LABEL_WORDS = 4
LABEL_TERMS = 3
KEYWORDS = 8
CANDIDATES = 80
# Each further word of a phrase makes it say more, if the phrase is nearly as common.
PHRASE = 1.5
# The titles of the notes that hold a group together mostly name it.
CENTRAL = 6.0
CENTRAL_NOTES = 16  # that are read for a label
BACKGROUND_NOTES = 2_000  # that are read to know which words are common
# The log of how much more a group must say a term than the other notes: by a quarter.
LEAST_MORE = 0.2
# A phrase grows by a word that stands beside it at least this often.
GROWS = 0.6
LONGEST_UNSPACED = 6


@dataclass(frozen=True, slots=True)
class Words:
    """What a label may be made of."""

    title: str
    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Label:
    """A name of one to four words, and more words for queries, the most telling first."""

    name: str
    keywords: tuple[str, ...]


class Lexicon:
    """The words of the vault's notes, and which of them tell a group of notes from the rest.

    A term's worth is how much of the group says it (titles count more), times how much more the
    group says it than the other notes do: class-based TF-IDF, counted over notes.
    """

    def __init__(self, notes: Mapping[str, Words]) -> None:
        self._notes = notes
        self._reader = Reader()
        self._read: dict[str, list[Run]] = {}
        self._known: dict[str, dict[str, float]] = {}
        self._others = {path: self._terms(path) for path in _sample(notes)}
        self._spread = Counter(term for terms in self._others.values() for term in terms)

    def labels(self, groups: Iterable[Sequence[str]]) -> list[Label]:
        """Name each group of paths (the most central first); no two get the same name in vain."""
        used: set[str] = set()
        named = []
        for group in groups:
            central = group[:CENTRAL_NOTES]
            written = self._written(central, _without_repeats(self._telling(central, group)))
            name = _name(written, used) or self._notes[group[0]].title
            used.add(name)
            named.append(Label(name, tuple(written)))
        return named

    def keywords(self, group: Sequence[str]) -> tuple[str, ...]:
        """The words that tell a note, or a few notes, from the rest, as they are written there.

        What is said only once is left out, unless a title says it.
        """
        said = Counter(
            term for path in group for run in self._runs(path) for term in _phrases_of(run, 2)
        )
        terms = [
            term
            for term in self._telling(group, group)
            if said[term] > 1 or any(self._terms(path).get(term) == TITLE for path in group)
        ]
        return tuple(self._written(group, _without_repeats(terms)))

    def _runs(self, path: str) -> list[Run]:
        """The runs of a note's title and of the beginning of its text."""
        if path not in self._read:
            words = self._notes[path]
            text = f"{words.title}\n{prose(words.text[:READ_CHARACTERS])}"
            self._read[path] = list(self._reader.runs(text))
        return self._read[path]

    def _terms(self, path: str) -> dict[str, float]:
        """Each term of a note with the weight of the best place it stands in."""
        if path not in self._known:
            words = self._notes[path]
            found = dict.fromkeys(
                (term for run in self._runs(path) for term in _phrases_of(run, 2)), TEXT
            )
            for text, weight, longest in (
                ("\n".join(words.headings), HEADING, 2),
                (words.title, TITLE, 3),
            ):
                for run in self._reader.runs(text):
                    found.update(dict.fromkeys(_phrases_of(run, longest), weight))
            self._known[path] = found
        return self._known[path]

    def _telling(self, central: Sequence[str], group: Sequence[str]) -> list[str]:
        """The terms of a group's central notes that the notes outside the group say less."""
        inside: Counter[str] = Counter()
        worth: defaultdict[str, float] = defaultdict(float)
        for place, path in enumerate(central):
            weight_of_title = 1.0 + CENTRAL / (2 + place)
            for term, weight in self._terms(path).items():
                inside[term] += 1
                worth[term] += weight * weight_of_title if weight == TITLE else weight
        known = [self._others[path] for path in group if path in self._others]
        ours = Counter(term for terms in known for term in terms)
        others = len(self._others) - len(known)
        least = 2 if len(central) > 2 else 1
        scored = []
        for term, count in inside.items():
            if count >= least:
                there = (self._spread[term] - ours[term] + 0.5) / (others + 1)
                more = math.log(count / len(central) / there)
                if more < LEAST_MORE:
                    continue
                scored.append((-(PHRASE ** term.count(" ")) * worth[term] * more, term))
        return [term for _, term in sorted(scored)[:CANDIDATES]]

    def _written(self, group: Sequence[str], terms: Sequence[str]) -> list[str]:
        """Say each term as these notes mostly write it, as the phrase it is mostly part of."""
        wanted = {part for term in terms for part in term.split()}
        runs = [run for path in group for run in self._runs(path) if not wanted.isdisjoint(run[1])]
        unspaced = any(map(is_unspaced, terms))
        texts = [self._notes[path] for path in group] if unspaced else []
        everything = "\n".join(f"{note.title}\n{note.text[:READ_CHARACTERS]}" for note in texts)
        written: list[str] = []
        for term in terms:
            if is_unspaced(term):
                said = _grown_characters(term, everything)
            else:
                said = _mostly(_grown(term.split(), runs), runs) or term
            if not any(_overlap(said, other) for other in written):
                written.append(said)
        return written


def _sample(notes: Mapping[str, Words]) -> list[str]:
    """Notes that stand for the whole vault: all, or as many as it takes to know common words."""
    if len(notes) <= BACKGROUND_NOTES:
        return list(notes)
    return sorted(notes, key=lambda path: blake2b(path.encode()).digest())[:BACKGROUND_NOTES]


def _phrases_of(run: Run, longest: int) -> Iterator[str]:
    """Every stretch of up to `longest` telling words, by their keys."""
    keys = run[1]
    for start, phrase in enumerate(keys):
        if phrase:
            yield phrase
            for after in keys[start + 1 : start + longest]:
                if not after:
                    break
                phrase = f"{phrase} {after}"  # noqa: PLW2901 it grows on purpose
                yield phrase


def _without_repeats(ranked: Sequence[str]) -> list[str]:
    kept: list[str] = []
    said: set[str] = set()
    for term in ranked:
        parts = set(term.split())
        if not parts & said:
            kept.append(term)
            said |= parts
    return kept[:KEYWORDS]


def _overlap(one: str, other: str) -> bool:
    """Whether two terms share a word, or a pair of unspaced characters."""
    if is_unspaced(one):
        return any(one[start : start + 2] in other for start in range(len(one) - 1))
    return not {key(word) for word in one.split()}.isdisjoint(map(key, other.split()))


def _grown(parts: list[str], runs: Sequence[Run]) -> list[str]:
    """Let a phrase of two grow into the phrase of three that it is mostly part of."""
    if len(parts) != 2:
        return parts
    count, wider = 0, Counter[tuple[str, ...]]()
    for _, keys in runs:
        for start in _places(parts, keys):
            count += 1
            for low in (start - 1, start):
                if low >= 0 and len(around := keys[low : low + 3]) == 3 and all(around):
                    wider[tuple(around)] += 1
    best = min(wider, key=lambda phrase: (-wider[phrase], phrase), default=())
    return list(best) if best and wider[best] >= max(2, GROWS * count) else parts


def _mostly(parts: list[str], runs: Sequence[Run]) -> str:
    """The commonest way in which the words of a phrase are written together."""
    forms = Counter(
        " ".join(words[start : start + len(parts)])
        for words, keys in runs
        for start in _places(parts, keys)
    )
    return min(forms, key=lambda form: (-forms[form], form), default="")


def _places(parts: list[str], keys: list[str]) -> Iterator[int]:
    for start, word in enumerate(keys):
        if word == parts[0] and keys[start : start + len(parts)] == parts:
            yield start


def _grown_characters(pair: str, everything: str) -> str:
    """Let a pair of characters grow into the word that it is mostly part of."""
    grown, count = pair, everything.count(pair)
    while len(grown) < LONGEST_UNSPACED:
        wider: Counter[str] = Counter()
        start = everything.find(grown)
        while start >= 0:
            end = start + len(grown)
            wider[everything[max(0, start - 1) : end]] += 1
            wider[everything[start : end + 1]] += 1
            start = everything.find(grown, end)
        longer = [form for form in wider if len(form) > len(grown) and is_word(form)]
        best = min(longer, key=lambda form: (-wider[form], form), default="")
        if not best or wider[best] < max(2, GROWS * count):
            break
        grown = best
    return grown


def _name(written: Sequence[str], used: set[str]) -> str:
    """Join the best terms; a name that another group has gets one more."""
    picked: list[str] = []
    for term in written:
        name = ", ".join(picked)
        if len(picked) >= LABEL_TERMS and name not in used:
            break
        words = len(name.replace(",", "").split()) + len(term.split())
        if words <= LABEL_WORDS or name in used:
            picked.append(_titled(term))
    return ", ".join(picked)


def _titled(term: str) -> str:
    """Begin each word with a capital, unless it has capitals of its own."""
    words = (word.removesuffix("'s").removesuffix("’s") for word in term.split())
    return " ".join(
        word if any(map(str.isupper, word)) else word[:1].upper() + word[1:] for word in words
    )
