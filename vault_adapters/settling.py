"""Debounce changed paths: hold them until each has been quiet for a while. Pure: time is an
argument.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class _Change:
    at: float
    new: bool  # its first event in this window was its creation


class Settling:
    """Changed paths, until each has been quiet for long enough. Pure: `now` in seconds."""

    def __init__(self, settle_seconds: float, max_wait_seconds: float) -> None:
        self._settle = settle_seconds
        self._max_wait = max_wait_seconds
        self._changes: dict[str, _Change] = {}
        self._since = 0.0  # of the oldest unreported change

    def touch(self, path: str, *, now: float, new: bool = False) -> bool:
        """Record a change of `path`; `new` if it was just created.

        Returns whether it is the only one, so that a wait begins.
        """
        first = not self._changes
        if first:
            self._since = now
        change = self._changes.setdefault(path, _Change(now, new))
        change.at = max(now, change.at)
        return first

    def due_at(self) -> float | None:
        """Return when to check next, or None if there is nothing to wait for."""
        if not self._changes:
            return None
        quiet = max(change.at for change in self._changes.values()) + self._settle
        first = min(change.at for change in self._changes.values()) + self._settle
        return min(quiet, max(first, self._since + self._max_wait))

    def take(self, *, now: float) -> dict[str, bool]:
        """Return the due paths, and whether each is new.

        All of them once no more changes arrive; otherwise the settled ones, when the oldest has
        waited for the maximum time.
        """
        due_at = self.due_at()
        if due_at is None or now < due_at:
            return {}
        quiet = {
            path: change.new
            for path, change in self._changes.items()
            if change.at + self._settle <= now
        }
        for path in quiet:
            del self._changes[path]
        self._since = min((change.at for change in self._changes.values()), default=now)
        return quiet
