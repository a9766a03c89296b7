"""The queries of gaps, kept from one analysis to the next."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from hashlib import blake2b
from typing import Any

from daemon.analysis.health import Refused
from daemon.analysis.kept_answers import AnswerCache
from daemon.analysis.query_text import Known
from daemon.analysis.view import View
from daemon.model.agenda import Gap
from daemon.store.derived import Derived

_NAME, _WRITTEN = "queries", "queries written"
_Written = tuple[set[str], set[str]]  # names, and folders


class QueryCache:
    """The queries of gaps in the last analysis.

    A query is valid as long as the notes behind its gap are unchanged, and no lookup in the rest of
    the vault has another result.
    """

    def __init__(
        self,
        view: View,
        names: set[str],
        folders: set[str],
        languages: Sequence[str],
        derived: Derived,
    ) -> None:
        """Take the names of notes and folders, and the main languages."""
        self._view, self._derived = view, derived
        self._sign = view.lexicon.sign + repr(languages).encode()
        self._written = names, folders
        self._before = _read(derived)
        moved = [new ^ old for new, old in zip(self._written, self._before, strict=True)]
        self._kept = AnswerCache(_NAME, view.lexicon, derived, Known(moved[0] | moved[1]))
        self._digests: dict[str, bytes] = {}

    def get(self, gap: Gap) -> Gap | Refused | None:
        """Return the gap with its query, or why it has none, if that is known.

        Otherwise start recording its lookups.
        """
        found = self._kept.get(self._key(gap))
        if found is None:
            self._kept.begin()
            return None
        refused, query, topic, keywords, excluded = found
        if refused is not None:
            return Refused(**refused)
        return replace(
            gap, query=query, topic=topic, keywords=tuple(keywords), excluded=tuple(excluded)
        )

    def put(self, gap: Gap, built: Gap | Refused, texts: Collection[str]) -> None:
        """Keep the query of a gap, and the `texts` that were looked up in names of the vault."""
        answer: tuple[Any, ...]
        if isinstance(built, Refused):
            answer = (asdict(built), "", "", (), ())
        else:
            answer = (None, built.query, built.topic, built.keywords, built.excluded)
        self._kept.put(self._key(gap), answer, texts)

    def save(self) -> None:
        """Keep only the queries that were computed or confirmed in this analysis."""
        self._kept.save()
        if self._written != self._before:
            written = [sorted(each) for each in self._written]
            self._derived.put_single(_WRITTEN, json.dumps(written).encode())

    def _key(self, gap: Gap) -> str:
        digest = blake2b(self._sign, digest_size=16)
        digest.update(repr((gap.kind, gap.shape, gap.topic, gap.keywords, gap.notes)).encode())
        for path in gap.notes:
            digest.update(self._digest(path))
        return digest.hexdigest()

    def _digest(self, path: str) -> bytes:
        """Return everything known about one note as 16 bytes."""
        if path not in self._digests:
            note, lexicon, texts = self._view.notes[path], self._view.lexicon, self._view.texts
            headings = [each.text for each in note.headings]
            content = repr((path in texts, note.title, headings, note.frontmatter)).encode()
            own = lexicon.key(path) + texts.key(path) + content
            self._digests[path] = blake2b(own, digest_size=16).digest()
        return self._digests[path]


def _read(derived: Derived) -> _Written:
    names, folders = json.loads(derived.single(_WRITTEN) or b"[[], []]")
    return set(names), set(folders)
