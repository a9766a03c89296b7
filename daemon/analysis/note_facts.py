"""The notes' own texts, and facts about them, so that each is read only once."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from daemon.analysis.note_words import is_personal, is_unspaced, prose, words_of
from daemon.analysis.vault_names import quoted_terms
from daemon.language.guess import guess
from daemon.store.derived import TEXTS, Derived, DerivedInMemory

READ_CHARACTERS = 1_500  # the beginning of a note shows what it is about
_MIN_WORDS = 40  # of a text, in spaced script, that determines its language

_Facts = Mapping[str, Any]
_NO_FACTS: _Facts = {}


class Reading(Mapping[str, str]):
    """Path → text, with what is known about each text."""

    def __init__(
        self,
        texts: Mapping[str, str],
        keys: Mapping[str, bytes] | None = None,
        derived: Derived | None = None,
    ) -> None:
        """Take a key for each text, if there is one, and facts from earlier analyses."""
        self._texts = texts
        self._keys = keys or {}
        self._derived = derived or DerivedInMemory()
        self._facts: dict[str, _Facts] = {}
        self._before = self._derived.keys(TEXTS)
        self._new: set[str] = set()
        same: dict[bytes, _Facts] = {}  # most texts have the same facts, which are read once
        for path, body in self._derived.bodies(TEXTS):
            if self._before[path] == self._keys.get(path):
                if body not in same:
                    same[body] = json.loads(body)
                self._facts[path] = same[body]

    def __getitem__(self, path: str) -> str:
        return self._texts[path]

    def __contains__(self, path: object) -> bool:
        return path in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def quoted(self, paths: Iterable[str]) -> Iterator[str]:
        """Return the terms in scripts without spaces that notes quote or emphasise at their
        beginning.
        """
        for path in paths:
            yield from self._fact("quoted", path, _quoted)

    def is_personal(self, path: str) -> bool:
        """Return whether a note is mostly about its author."""
        return bool(self._fact("personal", path, is_personal))

    def guess(self, path: str) -> str:
        """The language of a note, by its first words."""
        return str(self._fact("guess", path, guess))

    def language(self, path: str) -> str:
        """Return the language of a note; "" for one that is too short, or in a script without
        spaces.
        """
        return str(self._fact("language", path, _language))

    def key(self, path: str) -> bytes:
        """Return the key of a note's text."""
        return self._keys.get(path, b"")

    def save(self) -> None:
        """Keep what was read in this analysis, and forget the rest."""
        gone = [path for path, key in self._before.items() if self._keys.get(path) != key]
        self._derived.drop(TEXTS, gone)
        self._derived.put(
            TEXTS,
            [
                (path, self._keys[path], json.dumps(self._facts[path]).encode())
                for path in sorted(self._new & self._keys.keys())
            ],
        )

    def _fact(self, name: str, path: str, read: Callable[[str], Any]) -> Any:
        facts = self._facts.get(path, _NO_FACTS)
        if name not in facts:
            facts = self._facts[path] = {**facts, name: read(self._texts.get(path, ""))}
            self._new.add(path)
        return facts[name]


def _quoted(text: str) -> list[str]:
    return sorted(set(quoted_terms(text[:READ_CHARACTERS])))


def _language(text: str) -> str:
    read = prose(text[:READ_CHARACTERS])
    words = words_of(read)
    is_spaced = not any(map(is_unspaced, words)) and len(words) >= _MIN_WORDS
    return guess(read) if is_spaced else ""
