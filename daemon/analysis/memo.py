"""Results of functions of one text, such as a title, kept between analyses."""

import json
from collections.abc import Callable, Collection
from functools import cached_property
from typing import Generic, TypeVar

from daemon.store.derived import Derived

Answer = TypeVar("Answer")


class Memo(Generic[Answer]):
    """A function of a text whose JSON results are kept for the next analysis."""

    def __init__(self, name: str, function: Callable[[str], Answer], derived: Derived) -> None:
        self._name, self._function, self._derived = f"memo {name}", function, derived
        self._now: dict[str, Answer] = {}

    @cached_property
    def _before(self) -> dict[str, Answer]:
        # Read on first use: some results are needed only if something else changed.
        found: dict[str, Answer] = json.loads(self._derived.single(self._name) or b"{}")
        return found

    def __call__(self, text: str) -> Answer:
        if text not in self._now:
            known = text in self._before
            self._now[text] = self._before[text] if known else self._function(text)
        return self._now[text]

    def map(self, texts: Collection[str]) -> dict[str, Answer]:
        """Return the answers for many texts, by text; do not change it."""
        before, function, now = self._before, self._function, self._now
        found = {text: before[text] if text in before else function(text) for text in texts}
        if now:
            now.update(found)
        else:
            self._now = found  # one table of all names of a vault, not two
        return found

    def save(self) -> None:
        """Keep only the results that were requested in this analysis, if any were."""
        if self._now and self._now.keys() != self._before.keys():
            self._derived.put_single(self._name, json.dumps(self._now).encode())
