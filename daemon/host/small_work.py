"""Small work that goes before the rest of a bulk change: edited notes, decisions, commands."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from daemon.host.due import Due

_FEW = 50  # notes that change at once; more are a bulk change themselves


@dataclass(slots=True)
class SmallWork:
    """Runs between two batches of a bulk change.

    `take_wakes` records what has changed since then, `answer` carries out quick commands, and
    `review` processes decisions and plans for tagged notes.
    """

    due: Due
    take_wakes: Callable[[], None]
    answer: Callable[[], None]
    review: Callable[[], None]
    _seen: set[str] = field(default_factory=set)
    _needs_sync: bool = False

    def begin(self) -> None:
        """Reset the state of an earlier bulk change."""
        self._seen.clear()
        self._needs_sync = False

    def changed(self) -> Collection[str]:
        """Return the paths of a few notes that changed meanwhile; carry out small commands."""
        self.take_wakes()
        if self.due.requests:
            self._run(self.answer)
        fresh = self.due.changed - self._seen
        self._seen |= fresh
        return sorted(fresh) if len(fresh) <= _FEW else ()

    def indexed(self) -> None:
        """Take decisions from these notes, and plan for those that ask for research."""
        self._run(self.review)

    @property
    def needs_sync(self) -> bool:
        """Whether there is more to be indexed afterwards."""
        return self._needs_sync or bool(self.due.changed)

    def _run(self, work: Callable[[], None]) -> None:
        """Run a part; the sync that it interrupts is still in progress."""
        self.due.sync = False
        work()
        self._needs_sync |= self.due.sync
        self.due.sync = True
