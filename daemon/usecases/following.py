"""Follow a query: its events, and a request to stop it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from daemon.model.clock import now
from daemon.model.event import BaseEvent
from daemon.ports import Stop
from daemon.store.reporter import SILENT, Reporter


@dataclass(frozen=True, slots=True)
class Follower:
    """Who a query reports to, and who may stop it. By default nobody."""

    report: Reporter = SILENT
    stop: Stop = field(default_factory=Stop)


NOBODY = Follower()


class _Listeners:
    """Numbers events and passes them on; nothing is stored."""

    clock: Callable[[], datetime] = staticmethod(now)

    def __init__(self, listener: Callable[[BaseEvent], None]) -> None:
        self._listener = listener
        self._numbers = count(1)

    def write(self, event: BaseEvent) -> None:
        self._listener(event.model_copy(update={"seq": next(self._numbers)}))


def follower(listener: Callable[[BaseEvent], None], stop: Stop) -> Follower:
    """Return a follower in a process of its own, beside the one writer of events."""
    return Follower(Reporter(_Listeners(listener)), stop)
