"""The subtopics of a part of the vault: its subfolders, else what several of its notes are about.

A subtopic has the name that its notes use. Pure.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from daemon.analysis.own_text import is_common_heading
from daemon.asking.statements import Passage
from daemon.reports.facets import GENERIC
from daemon.reports.subjects import Subject
from daemon.research.bm25 import terms

Rarity = Callable[[str], float]
"""Returns how rare a word is in the vault: 1 if no note contains it, near 0 if all do."""

OTHERS = "Other notes"
_SMALLEST = 2  # notes of a subtopic
_OF_WORD = 3  # notes that have one word as the name of a subtopic in theirs
_SHARE = 0.5  # of the notes, that subfolders must hold to divide them
_WHOLLY = 4  # notes that are not divided
_WHOLE = 0.7  # of the notes: a subject of more divides nothing
_MOST = 8  # subtopics by subject
_LONGEST = 5  # words of a name
_PHRASE = 1.3  # weight of a name of several words
_NAMED_SO = 0.5  # of the notes of a subtopic, that their owner named so
_MOSTLY = 1 / 3  # of the notes that have a word, those that are about it
_TYPICAL = 2.0  # times as frequent here as in the vault

# A word after one of these is a noun, in the languages with such words.
_DETERMINER = (
    r"\b(?:an?|the|your|my|our|this|each|every|of|in|with|for|some|all|der|die|das|ein|eine|den|dem"
    r"|le|la|les|un|une|des|el|los|las|una)"
)

Key = tuple[str, ...]


def nowhere(_word: str) -> float:
    """Return that no note of the vault has a word."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Subtopic:
    """Notes on one subject, the most central first, with their passages on it."""

    name: str
    notes: Mapping[str, Sequence[Passage]]


@dataclass(frozen=True, slots=True)
class Ground:
    """What divides a part of the vault: `place` is its folder, "" if it is none, None if folders
    say nothing on it; `subjects` are those of each note; `share` is that of all notes of the vault
    that have a word, `size` is their number.
    """

    place: str | None = ""
    subjects: Mapping[str, Sequence[Subject]] = field(default_factory=dict)
    share: Callable[[str], float] = nowhere
    size: int = 0


def subtopics_of(
    whole: str, notes: Mapping[str, Sequence[Passage]], ground: Ground, rarity: Rarity
) -> list[Subtopic]:
    """Divide notes (the most linked first) into subtopics, the largest first; the rest is the
    last. `whole` is the name of all of them.
    """
    groups = _by_folder(notes, ground.place)
    left = _without(notes, groups)
    if len(left) > _WHOLLY:
        groups += _Subjects(whole, notes, ground, rarity).divided(left)
    groups.sort(key=lambda group: -len(group[1]))
    left = _without(notes, groups)
    if left:
        groups.append((OTHERS if groups else whole, list(left)))
    return [Subtopic(name, {path: notes[path] for path in paths}) for name, paths in groups]


def _without(
    notes: Mapping[str, Sequence[Passage]], groups: Iterable[tuple[str, Sequence[str]]]
) -> dict[str, Sequence[Passage]]:
    grouped = {path for _, paths in groups for path in paths}
    return {path: each for path, each in notes.items() if path not in grouped}


def _by_folder(notes: Iterable[str], place: str | None) -> list[tuple[str, list[str]]]:
    """Return the subfolders, if they hold half of the notes and are several."""
    if place is None:
        return []
    folders: dict[str, list[str]] = defaultdict(list)
    every = list(notes)
    for path in every:
        if folder := _subfolder(path.removesuffix(".md"), place):
            folders[folder].append(path)
    several = [(name, paths) for name, paths in folders.items() if len(paths) >= _SMALLEST]
    several = [
        (name, sorted(paths, key=_stem) if "." in place else paths) for name, paths in several
    ]
    held = sum(len(paths) for _, paths in several)
    return several if len(several) > 1 and held >= _SHARE * len(every) else []


def _stem(path: str) -> str:
    return path.removesuffix(".md")


def _subfolder(name: str, place: str) -> str:
    """Return the folder of a note below another one; in a hierarchy of names (`a.b.c`) a note is
    one, too. Returns "" for a note that is not below it, or in no folder.
    """
    if place and not name.startswith((f"{place}/", f"{place}.")):
        name = name.rpartition("/")[2]  # a hierarchy of names in a folder of the vault
        if not name.startswith(f"{place}."):
            return ""
    rest = name[len(place) :]
    if rest.startswith("."):
        return rest[1:].partition(".")[0]
    folder, _, inside = rest.lstrip("/").partition("/")
    return folder if inside else ""


class _Subjects:
    """The subjects of notes, by the keys of their words, and which notes are about each."""

    def __init__(
        self,
        whole: str,
        notes: Mapping[str, Sequence[Passage]],
        ground: Ground,
        rarity: Rarity,
    ) -> None:
        self._rarity, self._share, self._vault = rarity, ground.share, ground.size
        self._outside = set(terms(whole))
        self._spelled: dict[Key, Counter[str]] = defaultdict(Counter)
        self._named: dict[Key, set[str]] = defaultdict(set)
        self._own: dict[Key, set[str]] = defaultdict(set)
        self._about: dict[str, set[Key]] = {}
        self._said = {
            path: {term for each in passages for term in terms(f"{each.name} {each.text}")}
            for path, passages in notes.items()
        }
        self._texts = [each.text for its in notes.values() for each in its]
        self._nouns: dict[Key, bool] = {}
        for path in notes:
            self._read(path, ground.subjects.get(path, ()))
        self._candidates = [key for key in self._spelled if self._may_name(key)]

    def _read(self, path: str, subjects: Iterable[Subject]) -> None:
        keys: set[Key] = set()
        for each in subjects:
            key = tuple(terms(each.text))
            if not 0 < len(key) <= _LONGEST:
                continue
            self._spelled[key][each.text] += 1
            self._named[key].add(path)
            its = [key, *_parts(key)]
            keys.update(its)
            if each.is_own:
                for part in its:
                    self._own[part].add(path)
        self._about[path] = keys

    def _may_name(self, key: Key) -> bool:
        words = set(key)
        name = self._spelled[key].most_common(1)[0][0]
        is_empty = all(word.casefold() in GENERIC for word in name.split())
        return bool(words - self._outside) and not is_empty and not is_common_heading(name)

    def divided(self, notes: Collection[str]) -> list[tuple[str, list[str]]]:
        """Return the subjects that most of these notes share, the most telling first."""
        found: list[tuple[str, list[str]]] = []
        left, used = list(notes), set[str]()
        while len(found) < _MOST and len(left) > _SMALLEST:
            worth = {
                key: self._worth(key, left)
                for key in self._candidates
                if not used & set(key) - self._outside
            }
            best = max(worth, key=lambda key: (worth[key], key), default=())
            if not best or worth[best] <= 0:
                break
            its = self._its(best, left)
            found.append((self._name(best), its))
            used |= set(best)
            left = [path for path in left if path not in its]
        return found

    def _its(self, key: Key, left: Iterable[str]) -> list[str]:
        """Return the notes on a subject."""
        return [path for path in left if key in self._about[path]]

    def _worth(self, key: Key, left: Sequence[str]) -> float:
        """Return how well a subject divides notes; 0 if it should not.

        One word names a subtopic if three notes are named so, or all that have it.
        """
        its = self._its(key, left)
        if len(its) < _SMALLEST or len(its) > _WHOLE * len(left):
            return 0.0
        exactly = self._named[key] & set(its)
        if len(exactly) < _SMALLEST and not (exactly & self._own[key]):
            return 0.0
        words = [word for word in key if word not in self._outside]
        said = sum(set(words) <= self._said[path] for path in self._said)
        mostly = min(1.0, len(its) / max(said, 1))
        own = len(self._own[key] & set(its))
        if own < max(_SMALLEST, _NAMED_SO * len(its)):
            return 0.0
        if len(words) == 1 and not (
            own >= _OF_WORD
            and mostly >= _MOSTLY
            and self._is_typical(words[0], said)
            and self._is_noun(key)
        ):
            return 0.0
        rare = sum(map(self._rarity, words)) / len(words)
        weight = _PHRASE if len(words) > 1 else 1.0
        return len(its) * (1 - len(its) / len(left)) * mostly * rare * weight

    def _is_typical(self, word: str, said: int) -> bool:
        """Return whether a word is more frequent in these notes than in the vault, if they are not
        most of it.
        """
        if 2 * len(self._said) > self._vault > 0:
            return True
        return said >= _TYPICAL * self._share(word) * len(self._said)

    def _is_noun(self, key: Key) -> bool:
        """Return whether notes use a word as a thing: "the stash", "branches", "Kubernetes"."""
        if key not in self._nouns:
            forms = "|".join(map(re.escape, self._spelled[key]))
            used = re.compile(rf"{_DETERMINER} (?:{forms})s?\b", re.IGNORECASE)
            is_latin = all(map(str.isascii, self._spelled[key]))
            self._nouns[key] = not is_latin or any(used.search(each) for each in self._texts)
        return self._nouns[key]

    def _name(self, key: Key) -> str:
        forms = self._spelled[key]
        name = min(forms, key=lambda form: (-forms[form], len(form), form))
        return name[:1].upper() + name[1:]


def _parts(key: Key) -> Iterator[Key]:
    """Yield each row of words in a key, two at least."""
    for start in range(len(key)):
        for end in range(start + 2, len(key) + 1):
            yield key[start:end]
