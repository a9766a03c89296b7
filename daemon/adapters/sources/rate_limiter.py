"""Send requests to one source: rate limit, retries and circuit breaker."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_random_exponential

from daemon.adapters.sources.registry import Rate
from daemon.adapters.sources.reply import Blame, TroubleError, unavailable
from daemon.model.sources import SourceUse
from daemon.ports import Fetched

if TYPE_CHECKING:  # loaded only by a process that queries a source
    from tenacity import RetryCallState

Sleep = Callable[[float], Awaitable[None]]
ATTEMPTS = 3
PATIENCE = 15.0  # seconds of waiting before retries, for all retries of one query together
FAILURES = 3  # failures in a row that open the circuit breaker
OPEN_SECONDS = 60.0  # seconds that it stays open at first; doubled with each failure after that
MAX_OPEN_SECONDS = 3600.0


class SourceStates(Protocol):
    """Stores the usage of sources."""

    def get(self, name: str) -> SourceUse: ...

    def put(self, name: str, use: SourceUse) -> None: ...


class Memory:
    """Stores it in memory, for the life of the process."""

    def __init__(self) -> None:
        self._uses: dict[str, SourceUse] = {}

    def get(self, name: str) -> SourceUse:
        return self._uses.get(name, SourceUse())

    def put(self, name: str, use: SourceUse) -> None:
        self._uses[name] = use


class RateLimiter:
    """Sends requests to one source at the frequency and concurrency of its `rate`.

    It outlives event loops: each loop has its own queue, and all share the limits. After several
    failures in a row, the circuit breaker opens for a while; then one query tries the source.
    `check` raises TroubleError, before any waiting, if nothing more may be sent.
    """

    def __init__(
        self,
        name: str,
        rate: Rate,
        uses: SourceStates,
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
        """Send a request when the rate limit allows, and retry if that may help. Raises
        TroubleError.
        """
        waits = _Waits()
        attempts = AsyncRetrying(
            stop=lambda state: stop_after_attempt(ATTEMPTS)(state) or waits.is_over(state),
            wait=waits,
            retry=retry_if_exception(_is_transient),
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
                self._record_failure(trouble)
                raise
            self._update(failures=0, shut_until=0.0)
            return fetched

    def pause(self, seconds: float) -> None:
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
        """Raises TroubleError while the circuit breaker is open; the first request after that is a
        trial.
        """
        with self._turn:
            now, use = self._clock(), self._uses.get(self._name)
            if use.shut_until > now:
                raise _open_circuit_error(use, now)
            if use.failures >= FAILURES:
                # Half open: other requests during the trial are rejected.
                self._uses.put(self._name, replace(use, shut_until=now + OPEN_SECONDS))

    def _take_turn(self) -> float:
        """Reserve the next free moment; return the seconds until then."""
        with self._turn:
            now, use = self._clock(), self._uses.get(self._name)
            start = max(now, min(use.next_at, now + 2 * MAX_OPEN_SECONDS))
            self._uses.put(self._name, replace(use, next_at=start + self._rate.interval))
            return start - now

    def _record_failure(self, trouble: TroubleError) -> None:
        """Count a failure caused by the source, and pause if it asks for that."""
        if trouble.blame is not Blame.SOURCE:
            self._update(shut_until=0.0)
            return
        now = self._clock()
        with self._turn:
            failures = self._uses.get(self._name).failures + 1
        over = failures - FAILURES
        shut = min(MAX_OPEN_SECONDS, OPEN_SECONDS * 2 ** min(over, 10)) if over >= 0 else 0.0
        asked = trouble.retry_after or 0.0
        if asked > PATIENCE:
            shut = max(shut, min(asked, 24 * MAX_OPEN_SECONDS))
        self._update(failures=failures, shut_until=now + shut if shut else 0.0)

    def _update(self, **changes: float) -> None:
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
    """The wait before a retry: as long as the source asks for, otherwise longer each time."""

    def __init__(self) -> None:
        self._backoff = wait_random_exponential(multiplier=1, max=PATIENCE)

    def __call__(self, state: RetryCallState) -> float:
        trouble = state.outcome.exception() if state.outcome else None
        if isinstance(trouble, TroubleError) and trouble.retry_after is not None:
            return trouble.retry_after
        return self._backoff(state)

    def is_over(self, state: RetryCallState) -> bool:
        """Return whether the next wait would exceed the limit of one query."""
        return state.idle_for + state.upcoming_sleep > PATIENCE


def _is_transient(error: BaseException) -> bool:
    return isinstance(error, TroubleError) and error.is_transient


def _open_circuit_error(use: SourceUse, now: float) -> TroubleError:
    minutes = max(1, round((use.shut_until - now) / 60))
    return unavailable(
        f"left alone for {minutes} min, as it asked for or after {use.failures} failures",
        Blame.NOBODY,
    )
