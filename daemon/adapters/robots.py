"""A site's robots.txt rules, cached for a day (RFC 9309)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from weakref import WeakKeyDictionary

from protego import Protego

from daemon.adapters.allowed_addresses import Origin, host_at, origin_at
from daemon.model.errors import DisallowedError, FetchError, OfflineError, RefusedError, SpentError
from daemon.ports import Fetched, Fetcher

TOKEN = "lacuna"  # noqa: S105  the product token that a site would name us by
MAX_BYTES = 512_000  # bytes that are read; the RFC asks for 500 KiB at least
CACHED_FOR = timedelta(hours=24)  # the RFC's longest
FAILURE_CACHED_FOR = timedelta(minutes=10)  # how long an unreachable site is left alone
MAX_CACHED_SITES = 1000  # sites, before outdated entries are removed
MAX_WAIT = 2.0  # seconds between two pages; sites that ask for more get this
_AGENT = re.compile(r"\s*user[ -]?agent\s*:?\s*(.*)", re.IGNORECASE)

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _CachedRules:
    """The rules of one origin. `trouble` says why they could not be retrieved, or is empty."""

    until: datetime
    rules: Protego | None = None
    trouble: str = ""


class Robots:
    """Fetches each origin's robots.txt once a day, through the gate.

    Without a robots.txt (HTTP 4xx) everything is allowed; if the site cannot say (429, 5xx, no
    answer, too many redirects), none of its pages are fetched for a while.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._sleep = sleep
        self._known: dict[Origin, _CachedRules] = {}
        self._next: dict[Origin, datetime] = {}
        self._asking: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Origin, asyncio.Lock]] = (
            WeakKeyDictionary()
        )

    async def admit(self, url: str) -> None:
        """Raise DisallowedError if robots.txt forbids the page, FetchError if it cannot be
        retrieved.
        """
        known = await self._rules_for(url)
        if known.trouble:
            raise FetchError(known.trouble)
        if known.rules is not None and not known.rules.can_fetch(url, TOKEN):
            host = host_at(url)
            raise DisallowedError(f"{host}: its robots.txt asks programs not to fetch this page")

    async def wait_turn(self, url: str) -> None:
        """Wait between two pages of a site as long as it asks for, at most `MAX_WAIT`."""
        known = await self._rules_for(url)
        delay = known.rules.crawl_delay(TOKEN) if known.rules is not None else None
        if not delay:
            return
        origin, now = origin_at(url), self._clock()
        start = max(now, self._next.get(origin, now))
        self._next[origin] = start + timedelta(seconds=min(delay, MAX_WAIT))
        if start > now:
            await self._sleep((start - now).total_seconds())

    async def _rules_for(self, url: str) -> _CachedRules:
        origin = origin_at(url)
        locks = self._asking.setdefault(asyncio.get_running_loop(), {})
        async with locks.setdefault(origin, asyncio.Lock()):
            known = self._known.get(origin)
            if known is None or known.until <= self._clock():
                known = await self._ask(origin)
                self._evict_old()
                self._known[origin] = known
        return known

    def _evict_old(self) -> None:
        if len(self._known) >= MAX_CACHED_SITES:
            now = self._clock()
            self._known = {key: each for key, each in self._known.items() if each.until > now}
            self._next = {key: start for key, start in self._next.items() if start > now}

    async def _ask(self, origin: Origin) -> _CachedRules:
        """Raises RefusedError, OfflineError and SpentError, which also apply to the page itself."""
        host = f"[{origin.host}]" if ":" in origin.host else origin.host
        place = f"{origin.scheme}://{host}:{origin.port}/robots.txt"
        try:
            fetched = await self._fetcher.get(place)
        except (RefusedError, OfflineError, SpentError):
            raise
        except FetchError as error:
            return self._in_trouble(host, str(error))
        return self._read(host, fetched)

    def _read(self, host: str, fetched: Fetched) -> _CachedRules:
        until = self._clock() + CACHED_FOR
        if fetched.status == 200:
            return _CachedRules(until, parse(fetched.body))
        if 200 < fetched.status < 300 or (400 <= fetched.status < 500 and fetched.status != 429):
            return _CachedRules(until)
        return self._in_trouble(host, f"HTTP {fetched.status}")

    def _in_trouble(self, host: str, why: str) -> _CachedRules:
        until = self._clock() + FAILURE_CACHED_FOR
        return _CachedRules(until, trouble=f"{host}: could not read its robots.txt ({why})")


def parse(body: bytes) -> Protego:
    """Parse rules from as much of a robots.txt as the RFC requires.

    All groups for other programs are merged: the time to parse grows with groups times rules.
    """
    text = body[:MAX_BYTES].decode("utf-8-sig", "replace")
    return Protego.parse("\n".join(map(_without_others, text.splitlines())))


def _without_others(line: str) -> str:
    named = _AGENT.match(line)
    if named is None:
        return line
    token = re.split(r"[/\s#(;]", named[1].strip(), maxsplit=1)[0].lower()
    return f"User-agent: {token if token in (TOKEN, '*') else 'others'}"
