"""The names of clusters, kept from one analysis to the next: a cluster is renamed only if something
that its name depends on has changed.
"""

from collections.abc import Sequence
from hashlib import blake2b

from daemon.analysis.kept_answers import AnswerCache
from daemon.analysis.lexicon import Lexicon
from daemon.store.derived import Derived

Named = tuple[tuple[str, ...], tuple[str, ...]]  # a name, longer ones, and keywords


class LabelCache:
    """The names of clusters in the last analysis."""

    def __init__(self, lexicon: Lexicon, derived: Derived) -> None:
        self._lexicon = lexicon
        self._kept = AnswerCache("labels", lexicon, derived)

    def get(self, group: Sequence[str]) -> Named | None:
        """Return the name of a cluster if it is known; otherwise start recording its lookups."""
        found = self._kept.get(self._key(group))
        if found is None:
            self._kept.begin()
            return None
        names, keywords = found
        return tuple(names), tuple(keywords)

    def put(self, group: Sequence[str], named: Named) -> None:
        """Keep the name of a cluster with the lookups for it."""
        self._kept.put(self._key(group), named)

    def save(self) -> None:
        """Keep only the names that were computed or confirmed in this analysis."""
        self._kept.save()

    def _key(self, group: Sequence[str]) -> str:
        digest = blake2b(self._lexicon.sign, digest_size=16)
        digest.update(repr([(path, *self._lexicon.inputs(path)) for path in group]).encode())
        return digest.hexdigest()
