"""Questions whose answer is not awaited: each has a stream of events that ends with the answer."""

import os
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Generator
from secrets import token_hex
from typing import Any, Protocol

from daemon.model.clock import now
from daemon.model.errors import ErrorKind, KeyReusedError, LacunaError, error_of, kind_of
from daemon.model.event import BaseEvent, Done, Error
from daemon.ports import Stop
from daemon.usecases.document import Request
from daemon.usecases.query import Query
from vault_adapters.base import VaultError

_KEPT = 32  # questions, with their events
_EVENTS = 5000  # of one question
_AT_ONCE = 4
_AGAIN = 0.5  # seconds without an event, after which a reader checks whether it is over


class Work(Protocol):
    """Answers a query and shows its events. Raises LacunaError, VaultError."""

    def __call__(
        self,
        use: Query[Any, Any],
        request: Request,
        /,
        show: Callable[[BaseEvent], None],
        *,
        stop: Stop,
    ) -> Any: ...


class BusyError(LacunaError):
    """Too many questions are being answered."""


class _Asked:
    """One question: its events, with numbers from 1, and whether more will come."""

    def __init__(self, request: Request, key: str) -> None:
        self.request, self.key = request, key
        self.stop = Stop()
        self.is_done = False
        self._events: deque[BaseEvent] = deque(maxlen=_EVENTS)
        self._count = 0
        self._changed = threading.Condition()

    def add(self, event: BaseEvent, *, is_last: bool = False) -> None:
        with self._changed:
            self._count += 1
            self._events.append(event.model_copy(update={"seq": self._count}))
            self.is_done |= is_last
            self._changed.notify_all()

    def follow(self, is_over: Callable[[], bool], after: int) -> Generator[BaseEvent]:
        """Yield the events after a number, to the last."""
        while not is_over():
            with self._changed:
                if self._count <= after and not self.is_done:
                    self._changed.wait(_AGAIN)
                found = [event for event in self._events if event.seq > after]
                is_done = self.is_done
            for event in found:
                after = event.seq
                yield event
            if is_done:
                return


class Questions:
    """The questions of a server, the last few of them."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._asked: OrderedDict[str, _Asked] = OrderedDict()

    def begin(self, query: Query[Any, Any], request: Request, key: str = "") -> str:
        """Answer a question on a thread, once for each key; return its id.

        Raises BusyError; KeyReusedError when the key is that of another question.
        """
        for known, asked in self._asked.items():
            if key and asked.key == key:
                if asked.request != request:
                    raise KeyReusedError("another question was asked with this key; use a new key")
                return known
        if sum(not each.is_done for each in self._asked.values()) >= _AT_ONCE:
            raise BusyError(f"{_AT_ONCE} questions are being answered: wait for one of them")
        while len(self._asked) >= _KEPT:
            del self._asked[next(id_ for id_, each in self._asked.items() if each.is_done)]
        id_, asked = token_hex(8), _Asked(request, key)
        self._asked[id_] = asked
        given = (query, request, asked)
        threading.Thread(target=self._answer, args=given, daemon=True, name="question").start()
        return id_

    def knows(self, id_: str) -> bool:
        """Return whether a question is one of the last."""
        return id_ in self._asked

    def follow(self, id_: str, is_over: Callable[[], bool], after: int) -> Generator[BaseEvent]:
        """Yield the events of a question after a number, to the last, which has the answer."""
        return self._asked[id_].follow(is_over, after)

    def result(self, id_: str) -> Any:
        """Wait for the end of a question, and return its document. Raises LacunaError."""
        *_, last = self.follow(id_, lambda: False, 0)
        if isinstance(last, Error):
            raise error_of(last.kind, last.message)
        return last.document if isinstance(last, Done) else None

    def cancel(self, id_: str) -> None:
        """Have a question stopped."""
        self._asked[id_].stop.is_requested = True

    def _answer(self, query: Query[Any, Any], request: Request, asked: _Asked) -> None:
        last: BaseEvent = _failed("it failed: see the log")
        try:
            document = self._work(query, request, asked.add, stop=asked.stop)
            last = Done(at=now(), pid=os.getpid(), ends="query", document=document)
        except (LacunaError, VaultError) as error:
            last = _failed(str(error), kind_of(error))
        finally:
            asked.add(last, is_last=True)


def _failed(why: str, kind: ErrorKind = "") -> Error:
    return Error(at=now(), pid=os.getpid(), ends="query", message=why, kind=kind)
