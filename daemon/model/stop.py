"""Requests to stop long work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from daemon.model.errors import StoppedError


class Stop:
    """A request to stop, checked between the steps of long work. Set from a signal handler.

    Work that `can_conclude` finishes properly before all of it is done when `enough` is set; `why`
    completes "ended early because …", and is "" if the user stopped it. `command` is the number of
    the command that it stops, as the events of that have it. A part of the work of a process, such
    as a command, can be stopped by a Stop of its own, and ends with the `whole`, too.
    """

    __slots__ = ("_is_requested", "_listeners", "can_conclude", "command", "enough", "whole", "why")

    def __init__(self, *, is_requested: bool = False, whole: "Stop | None" = None) -> None:
        self._is_requested, self.whole = is_requested, whole
        self.enough, self.why, self.can_conclude = False, "", False
        self.command: int | None = None
        self._listeners: list[Callable[[], None]] = []

    @property
    def is_requested(self) -> bool:
        """Whether the work must end."""
        return self._is_requested or (self.whole is not None and self.whole.is_requested)

    @is_requested.setter
    def is_requested(self, value: bool) -> None:
        self._is_requested = value

    @property
    def is_of_part(self) -> bool:
        """Whether this work must end, and not the whole."""
        return self._is_requested and self.whole is not None and not self.whole.is_requested

    def request(self) -> None:
        """Request a stop."""
        self.is_requested = True

    @contextmanager
    def calling(self, listener: Callable[[], None]) -> Iterator[None]:
        """Call `listener` at each check in the block: a sign of progress."""
        self._listeners.append(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)

    def check(self) -> None:
        """Raise StoppedError if a stop was requested."""
        if self.whole is not None:
            self.whole.check()
        for listener in self._listeners:
            listener()
        if self.is_requested:
            raise StoppedError("stopped; what was done so far is kept")
