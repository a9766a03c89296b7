"""The only way to the network: checks addresses, limits sizes and times, sends nothing of the
user's.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from daemon.adapters.allowed_addresses import checked_url, origin_of, parse_origin
from daemon.adapters.inflate import Inflater
from daemon.adapters.meter import Meter
from daemon.adapters.resolve import CONNECT_SECONDS, Resolver, resolve
from daemon.model.errors import FetchError, RefusedError, SlowError, TooLargeError
from daemon.model.late import LateModule
from daemon.ports import Fetched, Fetcher

if TYPE_CHECKING:
    import httpx

    from daemon.adapters import transport
else:  # a tenth of a second of CPU, spent by a process that fetches
    transport = LateModule("daemon.adapters.transport")

Admit = Callable[[str], Awaitable[None]]
CountBytes = Callable[[int], None]  # bytes of the answer read and counted at once
MAX_REDIRECTS = 5
HOMEPAGE = "https://github.com/lacuna-daemon/lacuna"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def identity(contact: str = "") -> str:
    """Return the User-Agent: the program, its home page and, if the user wants, a contact
    address.
    """
    try:
        number = version("lacuna-daemon")
    except PackageNotFoundError:
        number = "0"
    mail = f"; mailto:{contact}" if contact else ""
    return f"Lacuna/{number} (+{HOMEPAGE}{mail})"


class Gate(Fetcher):
    """Fetches with GET, and queries APIs with POST: no cookies, no credentials, no proxy.

    Every hop is checked by URL and by the address connected to. Each fetch has its own connections,
    so an instance belongs to no event loop and has nothing to close. A fetch may take `timeout`
    seconds with all its redirects; `max_bytes` limits the decoded body. `admit` is called before
    each GET, also on every hop, and raises FetchError for a URL that must not be fetched.
    """

    def __init__(
        self,
        *,
        timeout: float,
        max_bytes: int,
        allow_origins: Iterable[str] = (),
        user_agent: str = "",
        admit: Admit | None = None,
        resolver: Resolver = resolve,
        ssl_context: ssl.SSLContext | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Raises SettingsError if one of `allow_origins` is not an origin."""
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._allowed = frozenset(parse_origin(text) for text in allow_origins)
        self._user_agent = user_agent or identity()
        self._admit = admit
        self.meter: Meter | None = None  # counts the requests sent
        self._resolver = resolver
        self._context = ssl_context
        self._clock = clock

    def counted_by(self, meter: Meter) -> Gate:
        """Return a copy of this object that counts requests for one spender.

        Each request is counted before it is sent, also on every hop; one that exceeds the budget
        raises SpentError.
        """
        gate = copy(self)
        gate.meter = meter
        return gate

    async def get(
        self,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Fetched:
        """Fetch `url`, following redirects. Raises FetchError, which names only the host.

        `headers` go to the origin of `url` and not to other origins that it redirects to.
        """
        target = checked_url(url, self._allowed)

        async def work(client: httpx.AsyncClient) -> Fetched:
            # Only then: re-encoding a query changes its spelling, and breaks a signed one.
            url_with_params = target.copy_merge_params(params) if params else target
            return await self._follow(client, url, url_with_params, headers)

        return await self._bounded(target, work)

    async def post(
        self,
        url: str,
        *,
        body: Mapping[str, object] | bytes,
        headers: Mapping[str, str] | None = None,
    ) -> Fetched:
        """Send `body` as JSON, or as raw bytes, to `url`. Raises FetchError.

        A redirect is returned, not followed: data meant for one host is not sent to another.
        """
        target = checked_url(url, self._allowed)
        return await self._bounded(target, lambda client: self._send(client, target, body, headers))

    async def _bounded(
        self, target: httpx.URL, work: Callable[[httpx.AsyncClient], Awaitable[Fetched]]
    ) -> Fetched:
        """Run one fetch within its deadline; every failure becomes a FetchError."""
        try:
            async with asyncio.timeout(self._timeout), self._client() as client:
                return await work(client)
        except TimeoutError:
            raise SlowError(
                f"{target.host}: no complete answer within {self._timeout:g} s"
            ) from None
        except UnicodeError:
            raise FetchError(f"{target.host}: the query or the key is not valid text") from None
        except transport.BROKEN as error:
            raise FetchError(f"{target.host}: {transport.in_words(error)}") from None

    async def _send(
        self,
        client: httpx.AsyncClient,
        target: httpx.URL,
        body: Mapping[str, object] | bytes,
        headers: Mapping[str, str] | None,
    ) -> Fetched:
        sent: dict[str, Any] = {"content": body} if isinstance(body, bytes) else {"json": body}
        request = client.build_request("POST", target, headers=headers, **sent)
        with self._counted(request) as count:
            response = await client.send(request, stream=True)
            try:
                return await self._read(str(target), target, response, count)
            finally:
                await response.aclose()

    async def _follow(
        self,
        client: httpx.AsyncClient,
        url: str,
        target: httpx.URL,
        headers: Mapping[str, str] | None,
    ) -> Fetched:
        home = origin_of(target)
        for hop in range(MAX_REDIRECTS + 1):
            if self._admit is not None:
                await self._admit(str(target))
            own = headers if origin_of(target) == home else None
            request = client.build_request("GET", target, headers=own)
            with self._counted(request, is_first=hop == 0) as count:
                response = await client.send(request, stream=True)
                try:
                    if not _redirects(response):
                        return await self._read(url, target, response, count)
                finally:
                    await response.aclose()
            target = self._next(target, response.headers["location"])
        raise FetchError(f"{target.host}: more than {MAX_REDIRECTS} redirects")

    def _next(self, here: httpx.URL, location: str) -> httpx.URL:
        """Check the target of a redirect, both as written and as resolved."""
        if any(character.isspace() or character == "\\" for character in location):
            raise RefusedError("refused: a redirect with white space or a backslash")
        # A URL with a scheme is taken as it is: joined, `http:///x` would mean the site itself.
        whole = location if _SCHEME.match(location) else str(here.join(location))
        return checked_url(whole, self._allowed)

    @contextmanager
    def _counted(self, request: httpx.Request, *, is_first: bool = True) -> Iterator[CountBytes]:
        """Count a request while it is sent and answered. Raises SpentError."""
        if self.meter is None:
            yield lambda _number: None
            return
        with self.meter.request(request, is_first=is_first) as counted:
            yield counted.take

    async def _read(
        self, url: str, target: httpx.URL, response: httpx.Response, count: CountBytes
    ) -> Fetched:
        headers = {name.lower(): value for name, value in response.headers.items()}
        if headers.get("content-length", "").isdigit():
            announced = int(headers["content-length"])
            if announced > self._max_bytes:
                raise TooLargeError(
                    f"{target.host}: {announced / 1e6:.1f} MB exceed the limit of "
                    f"{self._max_bytes / 1e6:g} MB"
                )
        inflater = Inflater(headers.get("content-encoding", ""), self._max_bytes)
        async for part in response.aiter_raw():
            count(len(part))
            inflater.feed(part)
        return Fetched(
            url=url,
            final_url=str(target),
            status=response.status_code,
            headers=headers,
            body=inflater.finish(),
            fetched_at=self._clock(),
        )

    def _client(self) -> httpx.AsyncClient:
        return transport.client(
            self._resolver,
            self._allowed,
            self._context,
            user_agent=self._user_agent,
            connect=min(CONNECT_SECONDS, self._timeout),
        )


def _redirects(response: httpx.Response) -> bool:
    return response.status_code in _REDIRECTS and "location" in response.headers
