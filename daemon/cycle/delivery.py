"""Deliver the notices in the outbox: in the background, with retries and a deadline."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from daemon.model.errors import NotifyError, StoreError
from daemon.model.notice import QueuedNotice
from daemon.ports import Notifier
from daemon.store.outbox import KEPT, OutboxStore

_log = logging.getLogger(__name__)

_FIRST_RETRY = timedelta(minutes=1)
_MAX_RETRY_DELAY = timedelta(hours=6)
_CLOSING_SECONDS = 10.0

# Until when notices must wait, or None: given the current time.
Quiet = Callable[[datetime], datetime | None]


def _never_quiet(_now: datetime) -> datetime | None:
    return None


@dataclass(slots=True)
class Delivery:
    """Tries each due notice once; after a failure the wait doubles each time."""

    outbox: OutboxStore
    notifiers: Mapping[str, Notifier]
    quiet: Quiet = _never_quiet
    _thread: threading.Thread | None = field(default=None, init=False)
    _closes_at: float = field(default=float("inf"), init=False)  # of the monotonic clock

    def start(self, now: datetime) -> None:
        """Deliver due notices in the background, unless that is already in progress."""
        if self._thread is not None and self._thread.is_alive():
            return
        if self.quiet(now) is None and self.outbox.due(now):
            self._thread = threading.Thread(
                target=self._deliver_isolated, args=(now,), name="notify", daemon=True
            )
            self._thread.start()

    def next_at(self, now: datetime) -> datetime | None:
        """Return when the next notice can be delivered, or None."""
        due_at, quiet_until = self.outbox.next_at(), self.quiet(now)
        return due_at if due_at is None or quiet_until is None else max(due_at, quiet_until)

    def close(self) -> None:
        """Wait for deliveries in progress; what is not tried within these seconds stays in the
        outbox.
        """
        self._closes_at = time.monotonic() + _CLOSING_SECONDS
        if self._thread is not None:
            self._thread.join()

    def deliver(self, now: datetime) -> None:
        """Try all due notices, each separately. Raises StoreError."""
        for waiting in self.outbox.give_up(now):
            hours = round(KEPT.total_seconds() / 3600)
            why = waiting.trouble or "could not deliver notices"
            gave_up = "gave up on a notification through %s after %d h: %s"
            _log.info(gave_up, waiting.channel, hours, why)
        if self.quiet(now) is not None:
            return
        for waiting in self.outbox.due(now):
            if time.monotonic() < self._closes_at:
                self._try(waiting, now)

    def _deliver_isolated(self, now: datetime) -> None:
        try:
            self.deliver(now)
        except StoreError as error:
            _log.error("%s", error)

    def _try(self, waiting: QueuedNotice, now: datetime) -> None:
        notifier = self.notifiers.get(waiting.channel)
        if notifier is None:  # turned off since
            self.outbox.sent(waiting.id)
            return
        try:
            notifier.send(waiting.notice)
        except NotifyError as error:
            wait = min(_FIRST_RETRY * 2 ** min(waiting.tries, 12), _MAX_RETRY_DELAY)
            self.outbox.put_off(waiting.id, now + wait, str(error))
            level = logging.WARNING if waiting.tries == 0 else logging.DEBUG
            context = {"channel": waiting.channel, "tries": waiting.tries + 1}
            _log.log(
                level, "could not deliver a notice by %s: %s", waiting.channel, error, extra=context
            )
        else:
            self.outbox.sent(waiting.id)
