"""Changed paths, held back until each has been quiet for a while. Pure: time is given."""

from dataclasses import dataclass


@dataclass(slots=True)
class _Change:
    at: float
    new: bool  # the first that was seen of it in this window was its making


class Settling:
    """Paths that changed, until each has been quiet for long enough. Pure: `now` in seconds."""

    def __init__(self, settle_seconds: float, max_wait_seconds: float) -> None:
        self._settle = settle_seconds
        self._max_wait = max_wait_seconds
        self._changes: dict[str, _Change] = {}
        self._since = 0.0  # of the oldest that nobody was told of

    def touch(self, path: str, *, now: float, new: bool = False) -> bool:
        """Note that something happened to `path`; `new` when it was made just now.

        Returns whether it is the first, before which there was nothing to wait for.
        """
        first = not self._changes
        if first:
            self._since = now
        change = self._changes.setdefault(path, _Change(now, new))
        change.at = max(now, change.at)
        return first

    def due_at(self) -> float | None:
        """When to look next, or None while there is nothing to wait for."""
        if not self._changes:
            return None
        quiet = max(change.at for change in self._changes.values()) + self._settle
        first = min(change.at for change in self._changes.values()) + self._settle
        return min(quiet, max(first, self._since + self._max_wait))

    def take(self, *, now: float) -> dict[str, bool]:
        """Return the paths that are due, and whether each is new.

        All together once everything is quiet; while something never is, those that are, once the
        oldest has waited for the longest time.
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
