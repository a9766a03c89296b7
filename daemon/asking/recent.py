"""Recent answers, so that the same question is not answered twice of the same notes."""

import time
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import TTLCache

T = TypeVar("T")
_MOST = 256  # answers
_SECONDS = 15 * 60


class RecentAnswers(Generic[T]):
    """Answers of the last 15 minutes, or `seconds`, by what they depend on. Thread-safe."""

    def __init__(
        self, timer: Callable[[], float] = time.monotonic, seconds: float = _SECONDS
    ) -> None:
        self._found: TTLCache[Hashable, T] = TTLCache(_MOST, seconds, timer=timer)
        self._guard = Lock()

    def answer(self, key: Hashable, answer: Callable[[], T], *, is_whole: Callable[[T], bool]) -> T:
        """Return the recent answer for a key, or a new one, which is kept if it `is_whole`."""
        with self._guard:
            if (found := self._found.get(key)) is not None:
                return found
        new = answer()
        if is_whole(new):
            with self._guard:
                self._found[key] = new
        return new
