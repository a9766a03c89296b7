"""Terms that many texts contribute, counted once and kept between analyses.

After a change only the texts that were added or removed are read: each adds or takes away its own
terms, so the counts are those of counting all texts.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, KeysView

from daemon.store.derived import Derived


class Tally:
    """The terms of a set of texts, by kind. `terms_of` depends on nothing but the text."""

    def __init__(
        self, name: str, terms_of: Callable[[str], Collection[Iterable[str]]], derived: Derived
    ) -> None:
        """Take the counts of the last analysis; `terms_of` returns the terms of each kind."""
        self._name, self._terms_of, self._derived = f"tally {name}", terms_of, derived
        texts, counts = json.loads(derived.single(self._name) or b"[[], []]")
        self._texts: set[str] = set(texts)
        self._counts: list[Counter[str]] = list(map(Counter, counts))

    def update(self, texts: Collection[str]) -> None:
        """Count these texts instead of those before, and keep the result."""
        now = set(texts)
        gone, new = self._texts - now, now - self._texts
        if not gone and not new:
            return
        for some, sign in ((gone, -1), (new, 1)):
            for text in some:
                self._add(text, sign)
        self._texts = now
        counts = [{term: n for term, n in each.items() if n} for each in self._counts]
        self._counts = list(map(Counter, counts))
        self._derived.put_single(self._name, json.dumps([list(now), counts]).encode())

    def terms(self, kind: int) -> KeysView[str]:
        """Return the terms of a kind that any text has."""
        return self._counts[kind].keys() if self._counts else KeysView({})

    def _add(self, text: str, sign: int) -> None:
        for kind, terms in enumerate(self._terms_of(text)):
            if kind == len(self._counts):
                self._counts.append(Counter())
            for term in terms:
                self._counts[kind][term] += sign
