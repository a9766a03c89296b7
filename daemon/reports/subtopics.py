"""The subtopics of a part of the vault: by its subfolders, its clusters, its most linked notes.

Where the part is a few notes on one subject, their headings are the subtopics. Pure.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from daemon.asking.statements import Passage
from daemon.language.words import segments
from daemon.research.bm25 import terms

Rarity = Callable[[str], float]
"""Returns how rare a word is in the vault: 1 if no note contains it, near 0 if all do."""

_FEW = 2  # notes, whose headings are the subtopics
_ALONE = 8  # notes of one cluster that each stand for themselves
_SMALLEST = 2  # notes of a subtopic
_SHARE = 0.5  # of the notes, that subfolders must hold to divide a folder
_WHOLE = 0.6  # of the notes: a cluster that holds more divides nothing
_ANCHORS = 7  # notes around which the notes of one cluster are divided
_LINK = 0.25  # what a link between two notes adds to their likeness
_LIKE = 0.12  # likeness from which a note belongs to an anchor
_HEADINGS = 8
_MOST_COMMON = 2  # words of a name
_SIGNIFICANT = 40  # words of a note that are compared


# A path or a number within a name: of a file, and not of a subject.
_IS_CODE = re.compile(r"\w\.\w|(?:^|[\s,])\d+(?:$|[\s,])")


@dataclass(frozen=True, slots=True)
class Subtopic:
    """Notes on one subject, the most central first, with their passages on it."""

    name: str
    notes: Mapping[str, Sequence[Passage]]


@dataclass(frozen=True, slots=True)
class Ground:
    """What divides a part of the vault: `place` is its folder, "" if it is none, None if folders
    say nothing on it; `clusters` are labels with paths, the largest cluster first and in each the
    most central note; `links` are pairs of paths.
    """

    place: str | None = ""
    clusters: Sequence[tuple[str, Sequence[str]]] = ()
    links: Collection[tuple[str, str]] = ()


def subtopics_of(
    whole: str, notes: Mapping[str, Sequence[Passage]], ground: Ground, rarity: Rarity
) -> list[Subtopic]:
    """Divide notes (the most linked first) into subtopics, the largest first; a note that belongs
    to none is one of its own. `whole` is the name of all of them.
    """
    if len(notes) <= _FEW:
        return _by_heading(notes)
    folders = _by_folder(notes, ground.place)
    groups = folders or _by_cluster(notes, ground.clusters)
    if not groups and len(notes) > _ALONE:
        groups = _by_anchor(notes, ground.links, rarity)
    grouped = {path for _, paths in groups for path in paths}
    groups.sort(key=lambda group: -len(group[1]))
    if folders:  # the user named them
        found = [Subtopic(name, {path: notes[path] for path in paths}) for name, paths in folders]
    else:
        found = _named(groups, notes, whole, rarity)
    alone = [path for path in notes if path not in grouped]
    return [*found, *(Subtopic(notes[path][0].name, {path: notes[path]}) for path in alone)]


def _named(
    groups: Iterable[tuple[str, Sequence[str]]],
    notes: Mapping[str, Sequence[Passage]],
    whole: str,
    rarity: Rarity,
) -> list[Subtopic]:
    """Return the groups as subtopics with names that tell them apart.

    A name stays if half of its notes say it; else it is what half of their titles have in common,
    or the titles of two of them. The name of the whole is omitted.
    """
    found: list[Subtopic] = []
    for name, paths in groups:
        its = {path: notes[path] for path in paths}
        titles = list({each[0].name.casefold(): each[0].name for each in its.values()}.values())
        shared = _in_common(titles, whole, rarity)
        candidates = (_without(name, whole, its), shared, " · ".join(titles[:2]))
        taken = {frozenset(terms(each.name)) for each in found}
        fresh = (
            each
            for each in candidates
            if each and frozenset(terms(each)) not in taken and not _IS_CODE.search(each)
        )
        found.append(Subtopic(next(fresh, titles[0]), its))
    return found


def _without(name: str, whole: str, notes: Mapping[str, Sequence[Passage]]) -> str:
    """Return a name without the parts that name the whole; "" if less than half say it."""
    parts = [each for each in name.split(", ") if not set(terms(each)) <= set(terms(whole))]
    wanted = set(terms(" ".join(parts)))
    said = (
        {term for each in passages for term in terms(f"{each.name} {each.text}")} | set(terms(path))
        for path, passages in notes.items()
    )
    saying = sum(wanted <= each for each in said)
    return ", ".join(parts) if wanted and 2 * saying > len(notes) else ""


def _in_common(titles: Sequence[str], whole: str, rarity: Rarity) -> str:
    """Return the words that more than half of some titles have, as they are written there."""
    outside = set(terms(whole))
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    for title in titles:
        words = {term: word for word in segments(title) for term in terms(word)}
        for term, word in words.items():
            spelled[term][word.casefold()] += 1
    common = [
        (sum(forms.values()) * rarity(term), forms.most_common(1)[0][0])
        for term, forms in spelled.items()
        if term not in outside and 2 * sum(forms.values()) > len(titles) > _SMALLEST
    ]
    common.sort(key=lambda one: -one[0])
    name = ", ".join(word for _, word in common[:_MOST_COMMON])
    return name[:1].upper() + name[1:]


def _by_heading(notes: Mapping[str, Sequence[Passage]]) -> list[Subtopic]:
    """Return the first sections of each note, and what stands before them under its name."""
    found: dict[str, dict[str, list[Passage]]] = defaultdict(lambda: defaultdict(list))
    for path, passages in notes.items():
        for each in passages:
            found[each.heading or each.name][path].append(each)
    if len(found) > _HEADINGS:
        return [Subtopic(each[0].name, {path: each}) for path, each in notes.items()]
    return [Subtopic(name, dict(its)) for name, its in found.items()]


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
    held = sum(len(paths) for _, paths in several)
    return several if len(several) > 1 and held >= _SHARE * len(every) else []


def _subfolder(name: str, place: str) -> str:
    """Return the folder of a note below another one; in a hierarchy of names (`a.b.c`) a note is
    one, too. Returns "" for a note that is not below it, or in no folder.
    """
    if place and not name.startswith((f"{place}/", f"{place}.")):
        return ""
    rest = name[len(place) :]
    if rest.startswith("."):
        return rest[1:].partition(".")[0]
    folder, _, inside = rest.lstrip("/").partition("/")
    return folder if inside else ""


def _by_cluster(
    notes: Collection[str], clusters: Iterable[tuple[str, Sequence[str]]]
) -> list[tuple[str, list[str]]]:
    """Return what the clusters have in these notes; nothing if one cluster has most of them."""
    inside = [(name, [path for path in paths if path in notes]) for name, paths in clusters]
    several = [(name, paths) for name, paths in inside if len(paths) >= _SMALLEST]
    most = max((len(paths) for _, paths in several), default=0)
    return [] if most > _WHOLE * len(notes) else several


def _by_anchor(
    notes: Mapping[str, Sequence[Passage]], links: Collection[tuple[str, str]], rarity: Rarity
) -> list[tuple[str, list[str]]]:
    """Gather the notes around those that are linked most and are not alike."""
    vectors = {path: _vector(passages, rarity) for path, passages in notes.items()}
    linked = {frozenset(pair) for pair in links}

    def likeness(one: str, other: str) -> float:
        dot = sum(worth * vectors[other].get(term, 0.0) for term, worth in vectors[one].items())
        return dot + _LINK * (frozenset((one, other)) in linked)

    anchors: list[str] = []
    for path in notes:
        if len(anchors) == _ANCHORS:
            break
        if all(likeness(path, other) < 2 * _LIKE + _LINK for other in anchors):
            anchors.append(path)
    groups = {anchor: [anchor] for anchor in anchors}
    for path in notes:
        best = max(anchors, key=lambda anchor: likeness(path, anchor))
        if path not in groups and likeness(path, best) >= _LIKE:
            groups[best].append(path)
    return [
        (notes[anchor][0].name, paths)
        for anchor, paths in groups.items()
        if len(paths) >= _SMALLEST
    ]


def _vector(passages: Iterable[Passage], rarity: Rarity) -> dict[str, float]:
    """Return the significant words of a note by weight, of unit length."""
    counts = Counter(term for each in passages for term in terms(f"{each.name} {each.text}"))
    weights = {term: math.sqrt(count) * rarity(term) for term, count in counts.items()}
    best = sorted(weights, key=lambda term: (-weights[term], term))[:_SIGNIFICANT]
    length = math.sqrt(sum(weights[term] ** 2 for term in best)) or 1.0
    return {term: weights[term] / length for term in best}
