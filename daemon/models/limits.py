"""How many calls may be in flight, and how soon one may follow another.

All calls of a daemon go through one `Lanes`: at most one heavy and five light ones at a time, in
the order in which they came, at least 2 s and 0.5 s apart. A provider may allow fewer.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiolimiter import AsyncLimiter


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `at_once` calls in flight, with `seconds` between the starts of two."""

    at_once: int
    seconds: float


HEAVY, LIGHT = Limit(1, 2.0), Limit(5, 0.5)


@dataclass(frozen=True, slots=True)
class Queued:
    """Where a call is: `place` counts the calls before it, 0 when it is next or runs.

    One that is next starts in `seconds`, by the pace.
    """

    place: int
    is_running: bool = False
    seconds: float = 0.0


OnState = Callable[[Queued], None]


class _Lane:
    """One kind of call. It belongs to one event loop."""

    def __init__(self, limit: Limit) -> None:
        self._slots = asyncio.Semaphore(limit.at_once)
        self._pace = AsyncLimiter(1, limit.seconds)
        self._order = asyncio.Lock()  # first come, first served
        self._waiting = 0
        self._seconds = limit.seconds
        self._next_at = 0.0  # by the clock of the loop

    @asynccontextmanager
    async def slot(self, provider: asyncio.Semaphore, on_state: OnState) -> AsyncIterator[None]:
        on_state(Queued(self._waiting))
        self._waiting += 1
        is_waiting = True
        try:
            async with self._slots, provider:
                async with self._order:
                    loop = asyncio.get_running_loop()
                    if (seconds := self._next_at - loop.time()) > 0:
                        on_state(Queued(0, seconds=seconds))
                    await self._pace.acquire()
                    self._next_at = loop.time() + self._seconds
                self._waiting, is_waiting = self._waiting - 1, False
                on_state(Queued(0, is_running=True))
                yield
        finally:
            if is_waiting:
                self._waiting -= 1


class Lanes:
    """The slots of a daemon. `parallel` is how many calls each provider takes at once."""

    def __init__(
        self, parallel: dict[str, int] | None = None, *, heavy: Limit = HEAVY, light: Limit = LIGHT
    ) -> None:
        self._heavy, self._light = _Lane(heavy), _Lane(light)
        self._most = heavy.at_once + light.at_once
        self._parallel = parallel or {}
        self._providers: dict[str, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def slot(
        self, provider: str, *, is_heavy: bool, on_state: OnState = lambda _queued: None
    ) -> AsyncIterator[None]:
        """Wait for a slot, and hold it until the block ends."""
        lane = self._heavy if is_heavy else self._light
        allowed = self._providers.get(provider)
        if allowed is None:
            most = self._parallel.get(provider) or self._most
            allowed = self._providers[provider] = asyncio.Semaphore(most)
        async with lane.slot(allowed, on_state):
            yield
