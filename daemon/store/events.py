"""The vault's event stream: numbered, stored in the state folder and with each run, and followed.

Writing an event never waits for a reader: a reader requests everything after the last number that
it has seen, at its own pace. Storage is bounded; older events are dropped.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from daemon.model.event import (
    EVENT,
    Announcement,
    BaseEvent,
    StepComplete,
    StepKey,
    StepProgress,
    StepStart,
    ends,
    line_of,
    step_key,
)
from daemon.store.announcements import AnnouncementStore
from daemon.store.line_file import LineFile

_log = logging.getLogger(__name__)
_NAME = "events"
_HELD = 500  # events in memory
_QUIET = 15.0  # seconds


class EventFile(LineFile):
    """The events of a folder. A lost one costs a line of progress."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, _NAME)

    def read(self) -> list[BaseEvent]:
        """Return the stored events, oldest first."""
        return _parsed(self.lines())

    def tail(self) -> list[BaseEvent]:
        """Return the last stored events, oldest first."""
        return next(filter(None, map(_parsed, self.last_lines())), [])


class EventLog:
    """All events of one vault: written by the one writer, on any of its threads."""

    def __init__(
        self,
        state: Path,
        run_path: Callable[[str], Path],
        clock: Callable[[], datetime],
        announcements: AnnouncementStore | None = None,
    ) -> None:
        """Take the state folder, the folder of each run by its id, the clock, and where
        announcements are stored until they are read.
        """
        self._announcements = announcements
        self._file = EventFile(state)
        self._run_path = run_path
        self._runs: dict[str, EventFile] = {}  # in progress
        self._held: deque[BaseEvent] = deque(maxlen=_HELD)
        self._seq: int | None = None  # of the last event; None: not searched for yet
        self._changed = threading.Condition()
        self._readers: list[Callable[[BaseEvent], None]] = []
        self._unread: list[deque[BaseEvent]] = []  # one for each reader on a thread of its own
        self._is_closed = False
        self._clock = clock

    @property
    def clock(self) -> Callable[[], datetime]:
        """Returns the current time."""
        return self._clock

    def write(self, event: BaseEvent) -> None:
        """Number an event, store it, and wake its followers."""
        with self._changed:
            self._seq = self._last() + 1
            event = event.model_copy(update={"seq": self._seq})
            line = line_of(event)
            self._file.write(line)
            if event.run is not None:
                self._keep_with_run(event.run, line, is_last=ends(event, "run"))
            for unread in (self._held, *self._unread):
                unread.append(event)
            self._changed.notify_all()
            readers = list(self._readers)
        for reader in readers:
            reader(event)

    def announce(self, event: Announcement, key: str | None = None) -> None:
        """Write an announcement, in the transaction in progress if there is one.

        One with the key of an earlier one is not written again. Raises StoreError.
        """
        if self._announcements is None or self._announcements.add(event, key):
            self.write(event)

    def subscribe(self, reader: Callable[[BaseEvent], None]) -> None:
        """Call `reader` with each event of this process, on the thread that writes it.

        It must return at once: the work waits for it. See `read_by` for a reader that may be slow.
        """
        self._readers.append(reader)

    @contextmanager
    def read_by(self, reader: Callable[[BaseEvent], None]) -> Iterator[None]:
        """Call `reader` with each event that is written meanwhile, on a separate thread.

        The work does not wait for the reader; only leaving the block does. A reader that is more
        than `_HELD` events behind misses the oldest. One that cannot write any more gets no others.
        """
        unread: deque[BaseEvent] = deque(maxlen=_HELD)
        has_ended = threading.Event()
        thread = threading.Thread(
            target=self._pass_on, args=(reader, unread, has_ended), daemon=True, name="events"
        )
        with self._changed:
            self._unread.append(unread)
        thread.start()
        try:
            yield
        finally:
            with self._changed:
                self._unread = [each for each in self._unread if each is not unread]
                has_ended.set()
                self._changed.notify_all()
            thread.join()

    @property
    def last(self) -> int:
        """The number of the last event; another process may have written it."""
        tail = self._file.tail()
        with self._changed:
            return max(self._last(), tail[-1].seq if tail else 0)

    def after(self, seq: int, *, run: str | None = None) -> list[BaseEvent]:
        """Return the stored events after a number, of the vault or of a run."""
        return self._since(seq, run)[0]

    def stored(self, seq: int, *, run: str | None = None) -> list[BaseEvent]:
        """Return the events after a number that any process has stored; quick if there are none."""
        file = self._file if run is None else EventFile(self._run_path(run))
        tail = file.tail()
        if not tail or tail[-1].seq <= seq:
            return []
        found = tail if tail[0].seq <= seq + 1 else file.read()
        return [event for event in found if event.seq > seq and run in (None, event.run)]

    def follow(self, seq: int, *, run: str | None = None) -> Generator[BaseEvent | None]:
        """Yield the events after a number as they are written; None if nothing came for a while.

        An unused number, as after a loss of the state, counts as 0. Ends when the log is closed.
        """
        with self._changed:
            seq = seq if seq <= self._last() else 0
        is_closed = is_quiet = False
        while not is_closed:
            if is_quiet:
                yield None
            with self._changed:
                is_closed = self._is_closed
            events, seq = self._since(seq, run)
            yield from events
            with self._changed:
                has_more = is_closed or self._is_closed or self._newest() > seq
                is_quiet = not has_more and not self._changed.wait(_QUIET)

    def active(self, pid: int) -> list[StepStart | StepProgress]:
        """Return the last event of each step that is in progress."""
        found: dict[StepKey, StepStart | StepProgress] = {}
        for event in (each for each in self._file.tail() if each.pid == pid):
            if isinstance(event, StepStart | StepProgress):
                found[step_key(event)] = event
            if isinstance(event, StepComplete):
                found.pop(step_key(event), None)
        return list(found.values())

    def close(self) -> None:
        """End all followers."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            for file in (self._file, *self._runs.values()):
                file.close()
            self._runs.clear()

    def _pass_on(
        self,
        reader: Callable[[BaseEvent], None],
        unread: deque[BaseEvent],
        has_ended: threading.Event,
    ) -> None:
        """Call a reader with unread events, until there are none and no more will come."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: unread or has_ended.is_set())
                events = [*unread]
                unread.clear()
            if not events:
                return
            try:
                for event in events:
                    reader(event)
            except (OSError, ValueError) as error:  # a closed terminal or pipe
                _log.debug("a reader of events has gone: %s", error)
                return

    def _since(self, seq: int, run: str | None) -> tuple[list[BaseEvent], int]:
        """Return the events after a number, and the number up to which they are complete."""
        with self._changed:
            held = list(self._held)
        newest = held[-1].seq if held else seq
        if not held or held[0].seq > seq + 1:
            kept = EventFile(self._run_path(run)) if run is not None else self._file
            held = kept.read()
            newest = max(newest, held[-1].seq if held else seq)
        return [each for each in held if each.seq > seq and run in (None, each.run)], newest

    def _newest(self) -> int:
        return self._held[-1].seq if self._held else 0

    def _last(self) -> int:
        """Return the number of the last event."""
        if self._seq is None:
            tail = self._file.tail()
            self._seq = tail[-1].seq if tail else 0
        return self._seq

    def _keep_with_run(self, run: str, line: str, *, is_last: bool) -> None:
        file = self._runs.setdefault(run, EventFile(self._run_path(run)))
        file.write(line)
        if is_last:
            self._runs.pop(run).close()


def _parsed(lines: Iterable[bytes]) -> list[BaseEvent]:
    """Parse events; truncated lines and those of a newer version are skipped."""
    found: list[BaseEvent] = []
    for line in lines:
        with suppress(ValidationError):
            found.append(EVENT.validate_json(line))
    return found
