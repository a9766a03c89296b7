"""The notes of the vault related to a finding, each with the reason."""

import re
from collections.abc import Sequence
from typing import Protocol

from daemon.analysis.note_words import key, words_of
from daemon.model.agenda import Task
from daemon.model.evidence import Match
from daemon.model.finding import Connection
from daemon.research.support import SourceSentence
from daemon.research.synthesise import plain, surroundings
from vault_adapters.wikilink import note_name

CONNECTS_FROM = 0.35  # cosine from which a note is worth a link
MAX_CONNECTIONS = 4
_LOOKED_AT = 12  # notes per passage
_MIN_SHARED, _MAX_SHARED = 2, 3  # concepts of the sources that the note also has
_MIN_NAME_LENGTH = 4  # characters a note's name needs for its mention to mean something


class NearNotes(Protocol):
    """The queries of the vault that connecting needs; see `Recall`."""

    def near(self, texts: Sequence[str], limit: int) -> list[list[Match]]: ...
    def note(self, path: str) -> str: ...


class ConnectionFinder:
    """Finds the notes that are similar to the quotes, and what they share."""

    def __init__(self, vault: NearNotes) -> None:
        self._vault = vault

    def notes(self, task: Task, quoted: Sequence[SourceSentence]) -> list[str]:
        """Return the paths of the requesting note, and of those similar to the quotes."""
        return [*([task.note] if task.note else []), *(near.path for near in self._nearest(quoted))]

    def connections(
        self, quoted: Sequence[SourceSentence], concepts: Sequence[str]
    ) -> tuple[Connection, ...]:
        """Return the notes that a source names, then those that share concepts with it."""
        whole = "\n".join({one.document.id: one.document.text for one in quoted}.values())
        found = [
            Connection(near, _is_named(near.path, whole), self._shared(near, concepts))
            for near in self._nearest(quoted)
        ]
        earned = [one for one in found if one.is_named or len(one.shared) >= _MIN_SHARED]
        return tuple(sorted(earned, key=lambda one: not one.is_named))

    def _nearest(self, quoted: Sequence[SourceSentence]) -> list[Match]:
        texts = [plain(one.sentence.text) for one in quoted]
        texts += [surroundings(one.document.text, one.sentence) for one in quoted]
        best: dict[str, Match] = {}
        for places in self._vault.near(list(dict.fromkeys(texts)), _LOOKED_AT):
            for place in places:
                known = best.get(place.path)
                if known is None or place.similarity > known.similarity:
                    best[place.path] = place
        near = sorted(best.values(), key=lambda place: (-place.similarity, place.path))
        return [place for place in near if place.similarity >= CONNECTS_FROM][:MAX_CONNECTIONS]

    def _shared(self, near: Match, concepts: Sequence[str]) -> tuple[str, ...]:
        """Return the concepts of the sources whose words are all in the note."""
        text = f"{note_name(near.path)} {self._vault.note(near.path)}"
        known = {key(word) for word in words_of(text)}
        found = [each for each in concepts if {key(word) for word in words_of(each)} <= known]
        return tuple(found[:_MAX_SHARED])


def _is_named(path: str, text: str) -> bool:
    name = note_name(path)
    named = rf"(?<!\w){re.escape(name)}(?!\w)"
    is_name = len(name) >= _MIN_NAME_LENGTH and any(map(str.isalpha, name))  # no year
    return is_name and re.search(named, text, re.IGNORECASE) is not None
