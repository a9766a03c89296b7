"""Answers that depend on words of the whole vault, kept from one analysis to the next.

Each answer is stored with the terms, names and word sequences that were looked up for it. If all of
these lookups still have the same result, the answer is the same. Of terms that were only looked up
to rank them, it is enough that the best still have the same order.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from daemon.analysis.lexicon import Lexicon, Ranking
from daemon.analysis.query_text import Known
from daemon.analysis.spread import coarse
from daemon.store.derived import RANKINGS, Derived

# Of each lookup of a term its number, how many notes of the group have it, and whether it was only
# ranked: `(n, 3)`.
_Terms = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class _CachedAnswer:
    answer: Any
    names: dict[str, bool]  # looked up, and whether the vault has them
    texts: tuple[str, ...]  # looked up in the vault's text
    sizes: tuple[int, ...]  # of groups outside which notes were counted
    terms: _Terms  # looked up; two with the same number count as one


class AnswerCache:
    """The answers of the last analysis by key, as long as they are valid.

    An answer is a JSON value. Its key covers everything that it depends on besides lookups.
    """

    def __init__(
        self, name: str, lexicon: Lexicon, derived: Derived, moved: Known | None = None
    ) -> None:
        """Take the stored answers, and the texts added to or removed from the vault."""
        self._name, self._lexicon, self._derived = name, lexicon, derived
        self._now: dict[str, _CachedAnswer] = {}
        self._before = _read(derived, name) if lexicon.moved is not None else {}
        self._counts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for term, counts in (lexicon.moved or {}).items():
            self._counts[crc32(term.encode())].append(counts)
        self._terms = np.array(sorted(self._counts), np.uint32)
        self._moved = moved

    def get(self, key: str) -> Any | None:
        """Return the answer with this key if it is known and still valid."""
        kept = self._before.get(key)
        if kept is None or not self._is_counted_alike(key, kept):
            return None
        if any(self._lexicon.names.has(name) != was for name, was in kept.names.items()):
            return None
        if self._moved is not None and any(map(self._moved.touches, kept.texts)):
            return None
        self._now[key] = kept
        return kept.answer

    def _is_counted_alike(self, key: str, kept: _CachedAnswer) -> bool:
        """Return whether the terms behind an answer are counted and ranked as before."""
        before, now = self._lexicon.known
        if any(coarse(before - size) != coarse(now - size) for size in kept.sizes):
            return False
        moved = self._moved_lookups(kept.terms)
        if not all(is_ranked for *_, is_ranked in moved):
            return False
        return (before == now and not moved) or self._is_ranked_alike(key)

    def _moved_lookups(self, terms: _Terms) -> list[list[int]]:
        """Return which lookups of these would give another count now than before."""
        return [
            lookup
            for lookup in terms[np.isin(terms[:, 0], self._terms)].tolist()
            for before, now in self._counts[lookup[0]]
            if coarse(before - lookup[1]) != coarse(now - lookup[1])
        ]

    def _is_ranked_alike(self, key: str) -> bool:
        """Return whether the best terms behind an answer are those that they were."""
        bodies = [body for _, body in self._derived.bodies(RANKINGS, [self._path(key)])]
        rankings = [each for body in bodies for each in json.loads(body)]
        return bool(bodies) and all(
            self._lexicon.best(Ranking(*ranking)) == best for ranking, best in rankings
        )

    def _path(self, key: str) -> str:
        return f"{self._name} {key}"

    def begin(self) -> None:
        """Forget the lookups so far: those that follow belong to one answer."""
        self._lexicon.forget_lookups()

    def put(self, key: str, answer: Any, texts: Iterable[str] = ()) -> None:
        """Keep an answer with the lookups since `begin`, and the `texts` that were looked up."""
        lexicon = self._lexicon
        names = {name: lexicon.names.has(name) for name in sorted(lexicon.names.asked)}
        ranked = ((term, ours) for one, _ in lexicon.rankings for term, *_, ours in one.terms)
        terms = _numbers(
            [*((*each, 0) for each in lexicon.asked), *((*each, 1) for each in ranked)]
        )
        sizes = tuple(sorted(lexicon.asked_sizes))
        self._now[key] = _CachedAnswer(answer, names, tuple(sorted(texts)), sizes, terms)
        self._derived.put(RANKINGS, [(self._path(key), b"", json.dumps(lexicon.rankings).encode())])

    def save(self) -> None:
        """Keep only the answers that were computed or confirmed in this analysis."""
        is_same = all(self._before.get(key) is each for key, each in self._now.items())
        if is_same and len(self._now) == len(self._before):
            return
        kept = [
            (key, each.answer, each.names, each.texts, each.sizes, len(each.terms))
            for key, each in self._now.items()
        ]
        self._derived.put_single(self._name, json.dumps(kept).encode())
        paths = set(map(self._path, self._now))
        known = (path for path in self._derived.keys(RANKINGS) if path.startswith(self._path("")))
        self._derived.drop(RANKINGS, [path for path in known if path not in paths])
        terms = b"".join(each.terms.astype("<u4").tobytes() for each in self._now.values())
        self._derived.put_single(f"{self._name} terms", terms)


def _read(derived: Derived, name: str) -> dict[str, _CachedAnswer]:
    terms, at = np.frombuffer(derived.single(f"{name} terms"), "<u4").reshape(-1, 3), 0
    found = {}
    for key, answer, names, texts, sizes, count in json.loads(derived.single(name) or b"[]"):
        found[key] = _CachedAnswer(
            answer, names, tuple(texts), tuple(sizes), terms[at : at + count]
        )
        at += count
    return found


def _numbers(terms: Iterable[tuple[str, int, int]]) -> _Terms:
    numbers = sorted((crc32(term.encode()), *rest) for term, *rest in terms)
    return np.array(numbers, np.uint32).reshape(-1, 3)
