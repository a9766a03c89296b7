"""Publish to the hub in the background, after changes, and again after a failure; and receive."""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from daemon.app import App
from daemon.host.due import LONG_AGO, NEVER
from daemon.model.errors import LacunaError, StoppedError
from daemon.usecases.registry import Registry

_log = logging.getLogger(__name__)
_FIRST_RETRY = timedelta(seconds=15)
_MAX_RETRY = timedelta(minutes=10)
_CHECK = timedelta(hours=1)  # a hub may have been restored from a copy
_POLL = timedelta(minutes=2)  # for findings of others, and decisions about them
_CLOSING_SECONDS = 5.0
# Imported in a daemon that shares something.
_USES: Mapping[str, Callable[..., Any]] = Registry(
    {
        "publish": "hub.publish_changes",
        "exchange": "hub.exchange_findings",
        "take": "hub.take_findings",
    }
)


@dataclass(slots=True)
class Publishing:
    """Publishes what changed, unless nothing is shared, and receives what others found.

    Vaults do not wait for their hub.
    """

    app: App
    now: Callable[[], datetime]
    on_end: Callable[[], None]  # called on another thread
    _due_at: datetime = LONG_AGO
    _poll_at: datetime = LONG_AGO
    _generation: str = ""  # of the notes, when they were last compared
    _failures: int = 0
    _is_closing: bool = False
    _doing: str = ""  # what a failure is of
    _received: Any = field(default=None, init=False)  # to be written by the main loop
    _thread: threading.Thread | None = field(default=None, init=False)

    def start_if_due(self) -> bool:
        """Begin in the background if something changed or a try is due; return whether it began.

        Raises StoreError.
        """
        is_busy = self._thread is not None and self._thread.is_alive()
        if not self.app.settings.hub.url or is_busy:
            return False
        self._take()
        generation = self.app.stores.notes.generation()
        is_changed = generation != self._generation and not self._failures
        is_due = self.now() >= self._due_at
        is_polled = self.now() >= self._poll_at and not self._failures
        if not (is_changed or is_due or is_polled):
            return False
        publishes = is_changed or is_due
        self._generation = generation
        self._poll_at = self.now() + _POLL
        self._due_at = self.now() + _CHECK if is_due else self._due_at
        self._thread = threading.Thread(
            target=self._exchange, args=(publishes, is_due), name="hub", daemon=True
        )
        self._thread.start()
        return True

    @property
    def next_at(self) -> datetime:
        """When the next publication is due."""
        if not self.app.settings.hub.url:
            return NEVER
        return self._due_at if self._failures else min(self._due_at, self._poll_at)

    def close(self) -> None:
        """Wait a little for a batch in progress; what is not sent is sent after the next start."""
        self._is_closing = True
        if self._thread is not None:
            self._thread.join(_CLOSING_SECONDS)

    def _take(self) -> None:
        """Write what was received into the inbox. Raises StoreError, VaultError."""
        received, self._received = self._received, None  # after an error, it is delivered again
        if received:
            _USES["take"](self.app, received, self.now())

    def _exchange(self, publishes: bool, compare: bool) -> None:  # noqa: FBT001 of a thread
        try:
            if publishes:
                self._doing = "publish to"
                self._publish(compare=compare)
            self._doing = "receive from"
            self._received = _USES["exchange"](self.app, compare=compare)
        except StoppedError:
            return
        except LacunaError as error:  # the daemon works without its hub
            delay = min(_FIRST_RETRY * 2 ** min(self._failures, 10), _MAX_RETRY)
            self._due_at = self.now() + delay
            level = logging.DEBUG if self._failures else logging.WARNING
            self._failures += 1
            _log.log(level, "could not %s the hub: %s; trying again", self._doing, error)
        else:
            if self._failures:
                _log.info("the hub answers again")
            self._failures = 0
        self.on_end()

    def _publish(self, *, compare: bool) -> None:
        found = _USES["publish"](self.app, self._go_on, compare=compare)
        if found.sent or found.withdrawn:
            counts = (found.sent, found.withdrawn, found.shared)
            _log.info("published: %d notes sent, %d withdrawn; %d shared", *counts)

    def _go_on(self, *_progress: object) -> None:
        """Called before each batch. Raises StoppedError when the process ends."""
        if self._is_closing:
            raise StoppedError("the process ends")
