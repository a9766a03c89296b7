"""What Lacuna wrote into the vault itself: that is no change that anything must react to."""

import threading

GONE = ""  # instead of a hash: the file does not exist
_KEPT = 4096


class OwnWrites:
    """The paths written last, each with the sha256 of what was written. Safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hashes: dict[str, str] = {}
        self._many = self._taken = 0

    def record(self, path: str, content_hash: str) -> None:
        """Record that a vault-relative path now has this sha256, or `GONE`."""
        with self._lock:
            self._many += 1
            self._hashes.pop(path, None)
            self._hashes[path] = content_hash
            while len(self._hashes) > _KEPT:
                del self._hashes[next(iter(self._hashes))]

    def hash_of(self, path: str) -> str | None:
        """Return what was recorded for a path; None if nothing was."""
        with self._lock:
            return self._hashes.get(path)

    def forget(self, path: str) -> None:
        """Forget a path that somebody else changed: restoring it is a change, too."""
        with self._lock:
            self._hashes.pop(path, None)

    def take_news(self) -> bool:
        """Return whether anything was recorded since the last call."""
        with self._lock:
            has_new, self._taken = self._many > self._taken, self._many
            return has_new

    @property
    def many(self) -> int:
        """How many writes were recorded."""
        with self._lock:
            return self._many
