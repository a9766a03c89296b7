"""The names of groups, known from one analysis to the next: a group is named anew when anything
moved that its name hangs on."""

from collections.abc import Sequence
from hashlib import blake2b

from daemon.analysis.kept_answers import KeptAnswers
from daemon.analysis.lexicon import Lexicon
from daemon.store.derived import Derived

Named = tuple[tuple[str, ...], tuple[str, ...]]  # a name, longer ones, and keywords


class KeptLabels:
    """What groups were named at the last analysis."""

    def __init__(self, lexicon: Lexicon, derived: Derived) -> None:
        self._lexicon = lexicon
        self._kept = KeptAnswers("labels", lexicon, derived)

    def get(self, group: Sequence[str]) -> Named | None:
        """Return the name of a group if it is known; else the lookups for it begin here."""
        found = self._kept.get(self._key(group))
        if found is None:
            self._kept.begin()
            return None
        names, keywords = found
        return tuple(names), tuple(keywords)

    def put(self, group: Sequence[str], named: Named) -> None:
        """Keep the name of a group with what was looked up on the way to it."""
        self._kept.put(self._key(group), named)

    def keep(self) -> None:
        """Keep the names that were given or confirmed now, and no others."""
        self._kept.keep()

    def _key(self, group: Sequence[str]) -> str:
        digest = blake2b(self._lexicon.sign, digest_size=16)
        for path in group:
            name = path.encode()
            digest.update(len(name).to_bytes(4, "big") + name + self._lexicon.key(path))
        return digest.hexdigest()
