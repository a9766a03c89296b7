"""The one way to a source: its turn, its retries, and when it is left alone."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

from daemon.adapters.sources.registry import Rate
from daemon.adapters.sources.reply import Blame, TroubleError, unavailable
from daemon.model.sources import SourceUse
from daemon.ports import Fetched

if TYPE_CHECKING:  # only who asks a source is to load it
    from tenacity import RetryCallState

Sleep = Callable[[float], Awaitable[None]]
ATTEMPTS = 3
PATIENCE = 15.0  # seconds that all the waits before retries of one question may take together
FAILURES = 3  # in a row, after which a source is left alone
SHUT = 60.0  # seconds that it is left alone at first; twice as long with each failure after that
SHUT_LONGEST = 3600.0


class Uses(Protocol):
    """Where the use of sources is kept."""

    def get(self, name: str) -> SourceUse: ...

    def put(self, name: str, use: SourceUse) -> None: ...


class Memory:
    """Keeps it for as long as the process lives."""

    def __init__(self) -> None:
        self._uses: dict[str, SourceUse] = {}

    def get(self, name: str) -> SourceUse:
        return self._uses.get(name, SourceUse())

    def put(self, name: str, use: SourceUse) -> None:
        self._uses[name] = use


class Line:
    """Sends what is asked of one source, as often and as many at once as its `rate` allows.

    It outlives event loops: each loop queues by itself, and all of them share the limits. A source
    that failed several times in a row is left alone for a while; then one question tries it.
    `check` raises TroubleError, before anybody waits, when nothing more may be asked.
    """

    def __init__(
        self,
        name: str,
        rate: Rate,
        uses: Uses,
        *,
        check: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.time,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._name = name
        self._rate = rate
        self._uses = uses
        self._check = check
        self._clock = clock
        self._sleep = sleep
        self._turn = threading.Lock()
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            WeakKeyDictionary()
        )

    async def send(self, request: Callable[[], Awaitable[Fetched]]) -> Fetched:
        """Send a request when it is its turn, again when that may help. Raises TroubleError."""
        from tenacity import (  # noqa: PLC0415 only who asks needs it
            AsyncRetrying,
            retry_if_exception,
            stop_after_attempt,
        )

        waits = _Waits()
        attempts = AsyncRetrying(
            stop=lambda state: stop_after_attempt(ATTEMPTS)(state) or waits.is_over(state),
            wait=waits,
            retry=retry_if_exception(_may_pass),
            sleep=self._sleep,
            reraise=True,
        )
        loop = asyncio.get_running_loop()
        slots = self._queues.setdefault(loop, asyncio.Semaphore(self._rate.concurrency))
        async with slots:
            self._admit()
            try:
                fetched: Fetched = await attempts(self._once, request)
            except TroubleError as trouble:
                self._failed(trouble)
                raise
            self._note(failures=0, shut_until=0.0)
            return fetched

    def rest(self, seconds: float) -> None:
        """Send nothing for so many seconds: an answer asked for that."""
        with self._turn:
            use = self._uses.get(self._name)
            next_at = max(use.next_at, self._clock() + seconds)
            self._uses.put(self._name, replace(use, next_at=next_at))

    async def _once(self, request: Callable[[], Awaitable[Fetched]]) -> Fetched:
        self._check()
        wait = self._take_turn()
        if wait > 0:
            await self._sleep(wait)
        return await request()

    def _admit(self) -> None:
        """Raises TroubleError while the source is left alone; the first one after that tries it."""
        with self._turn:
            now, use = self._clock(), self._uses.get(self._name)
            if use.shut_until > now:
                raise _left_alone(use, now)
            if use.failures >= FAILURES:
                # Half open: whoever comes while this one tries finds it shut.
                self._uses.put(self._name, replace(use, shut_until=now + SHUT))

    def _take_turn(self) -> float:
        """Take the next free moment; return the seconds until then."""
        with self._turn:
            now, use = self._clock(), self._uses.get(self._name)
            start = max(now, min(use.next_at, now + 2 * SHUT_LONGEST))
            self._uses.put(self._name, replace(use, next_at=start + self._rate.interval))
            return start - now

    def _failed(self, trouble: TroubleError) -> None:
        """Count a failure that is the source's own, and leave it alone when it asks for that."""
        if trouble.blame is not Blame.SOURCE:
            self._note(shut_until=0.0)
            return
        now = self._clock()
        with self._turn:
            failures = self._uses.get(self._name).failures + 1
        over = failures - FAILURES
        shut = min(SHUT_LONGEST, SHUT * 2 ** min(over, 10)) if over >= 0 else 0.0
        asked = trouble.after or 0.0
        if asked > PATIENCE:
            shut = max(shut, min(asked, 24 * SHUT_LONGEST))
        self._note(failures=failures, shut_until=now + shut if shut else 0.0)

    def _note(self, **changes: float) -> None:
        with self._turn:
            use = self._uses.get(self._name)
            self._uses.put(
                self._name,
                replace(
                    use,
                    failures=int(changes.get("failures", use.failures)),
                    shut_until=changes.get("shut_until", use.shut_until),
                ),
            )


class _Waits:
    """How long to wait before a retry: what the source asks for, else longer each time."""

    def __init__(self) -> None:
        from tenacity.wait import wait_random_exponential  # noqa: PLC0415 only who asks needs it

        self._backoff = wait_random_exponential(multiplier=1, max=PATIENCE)

    def __call__(self, state: RetryCallState) -> float:
        trouble = state.outcome.exception() if state.outcome else None
        if isinstance(trouble, TroubleError) and trouble.after is not None:
            return trouble.after
        return self._backoff(state)

    def is_over(self, state: RetryCallState) -> bool:
        """Whether the wait that would come next is more than one question may take."""
        return state.idle_for + state.upcoming_sleep > PATIENCE


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, TroubleError) and error.may_pass


def _left_alone(use: SourceUse, now: float) -> TroubleError:
    minutes = max(1, round((use.shut_until - now) / 60))
    return unavailable(
        f"left alone for {minutes} min, as it asked for or after {use.failures} failures",
        Blame.NOBODY,
    )
