"""What a site's robots.txt asks programs not to fetch, kept for a day (RFC 9309)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from daemon.adapters.addresses import Origin, origin_at
from daemon.model.errors import DisallowedError, FetchError, OfflineError, RefusedError, SpentError
from daemon.ports import Fetched, Fetcher

if TYPE_CHECKING:
    from protego import Protego

TOKEN = "lacuna"  # noqa: S105  the product token that a site would name us by
MOST_BYTES = 512_000  # that are read; the RFC asks for 500 KiB at least
KEPT = timedelta(hours=24)  # the RFC's longest
KEPT_TROUBLE = timedelta(minutes=10)  # how long a site that could not be asked is left alone
MOST_KEPT = 1000  # sites, before what is out of date is forgotten
LONGEST_WAIT = 2.0  # seconds between two pages; sites that ask for more get this much
_AGENT = re.compile(r"\s*user[ -]?agent\s*:?\s*(.*)", re.IGNORECASE)

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of one origin. `trouble` says why its rules could not be had, or is empty."""

    until: datetime
    rules: Protego | None = None
    trouble: str = ""


class Robots:
    """Asks each origin once a day for its robots.txt, through the gate.

    Where there is no robots.txt (HTTP 4xx) everything is allowed; when the site cannot say (429,
    5xx, no answer, too many redirects), nothing of it is fetched for a while.
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
        self._known: dict[Origin, _Known] = {}
        self._next: dict[Origin, datetime] = {}
        self._asking: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Origin, asyncio.Lock]] = (
            WeakKeyDictionary()
        )

    async def admit(self, url: str) -> None:
        """Raise DisallowedError when the site asks not to, FetchError when it cannot be asked."""
        known = await self._of(url)
        if known.trouble:
            raise FetchError(known.trouble)
        if known.rules is not None and not known.rules.can_fetch(url, TOKEN):
            import httpx  # noqa: PLC0415 a tenth of a second of CPU, which only who fetches spends

            host = httpx.URL(url).host
            raise DisallowedError(f"{host}: its robots.txt asks programs to leave this page alone")

    async def wait_turn(self, url: str) -> None:
        """Wait as long between two pages of a site as it asks for, up to `LONGEST_WAIT`."""
        known = await self._of(url)
        delay = known.rules.crawl_delay(TOKEN) if known.rules is not None else None
        if not delay:
            return
        origin, now = origin_at(url), self._clock()
        start = max(now, self._next.get(origin, now))
        self._next[origin] = start + timedelta(seconds=min(delay, LONGEST_WAIT))
        if start > now:
            await self._sleep((start - now).total_seconds())

    async def _of(self, url: str) -> _Known:
        origin = origin_at(url)
        locks = self._asking.setdefault(asyncio.get_running_loop(), {})
        async with locks.setdefault(origin, asyncio.Lock()):
            known = self._known.get(origin)
            if known is None or known.until <= self._clock():
                known = await self._ask(origin)
                self._forget_old()
                self._known[origin] = known
        return known

    def _forget_old(self) -> None:
        if len(self._known) >= MOST_KEPT:
            now = self._clock()
            self._known = {key: each for key, each in self._known.items() if each.until > now}
            self._next = {key: start for key, start in self._next.items() if start > now}

    async def _ask(self, origin: Origin) -> _Known:
        """Raises what says of the page itself why it is not had: Refused-, Offline-, SpentError."""
        host = f"[{origin.host}]" if ":" in origin.host else origin.host
        place = f"{origin.scheme}://{host}:{origin.port}/robots.txt"
        try:
            fetched = await self._fetcher.get(place)
        except (RefusedError, OfflineError, SpentError):
            raise
        except FetchError as error:
            return self._in_trouble(host, str(error))
        return self._read(host, fetched)

    def _read(self, host: str, fetched: Fetched) -> _Known:
        until = self._clock() + KEPT
        if fetched.status == 200:
            return _Known(until, parse(fetched.body))
        if 200 < fetched.status < 300 or (400 <= fetched.status < 500 and fetched.status != 429):
            return _Known(until)
        return self._in_trouble(host, f"HTTP {fetched.status}")

    def _in_trouble(self, host: str, why: str) -> _Known:
        until = self._clock() + KEPT_TROUBLE
        return _Known(until, trouble=f"{host}: its robots.txt cannot be read ({why})")


def parse(body: bytes) -> Protego:
    """Read rules from as much of a robots.txt as the RFC asks for.

    All groups that are not for us become one: parsing takes time by groups times rules.
    """
    text = body[:MOST_BYTES].decode("utf-8-sig", "replace")
    from protego import Protego  # noqa: PLC0415 only who fetches pages needs it

    return Protego.parse("\n".join(map(_without_others, text.splitlines())))


def _without_others(line: str) -> str:
    named = _AGENT.match(line)
    if named is None:
        return line
    token = re.split(r"[/\s#(;]", named[1].strip(), maxsplit=1)[0].lower()
    return f"User-agent: {token if token in (TOKEN, '*') else 'others'}"
