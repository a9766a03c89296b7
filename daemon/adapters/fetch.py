"""The one gate to the network: checked addresses, capped sizes and times, nothing of the user's."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from datetime import UTC, datetime
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from daemon.adapters.addresses import checked_url, origin_of, parse_origin
from daemon.adapters.inflate import ACCEPT_ENCODING, Inflater
from daemon.adapters.meter import Meter
from daemon.adapters.resolve import CONNECT_SECONDS, Resolver, resolve
from daemon.model.errors import FetchError, RefusedError, SlowError, TooLargeError
from daemon.ports import Fetched, Fetcher

if TYPE_CHECKING:  # a tenth of a second of CPU, which only who fetches is to spend
    import httpx

Admit = Callable[[str], Awaitable[None]]
Came = Callable[[int], None]  # so many more bytes of the answer
MAX_REDIRECTS = 5
HOMEPAGE = "https://github.com/lacuna-daemon/lacuna"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


@cache
def _broken() -> tuple[type[BaseException], ...]:
    """What an answer that breaks off raises."""
    import httpcore  # noqa: PLC0415 only who fetches needs it
    import httpx  # noqa: PLC0415 only who fetches needs it

    return (
        httpx.HTTPError,
        httpx.InvalidURL,
        httpx.StreamError,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.TimeoutException,
        httpcore.UnsupportedProtocol,
        OSError,
    )


@cache
def _certificates() -> ssl.SSLContext:
    """Whom to trust; read when first needed, and once: that takes a while."""
    import httpx  # noqa: PLC0415 only who fetches needs it

    return httpx.create_ssl_context(trust_env=False)


def identity(contact: str = "") -> str:
    """Name the program, where it is at home and, if the user wants, whom to write to."""
    try:
        number = version("lacuna-daemon")
    except PackageNotFoundError:
        number = "0"
    mail = f"; mailto:{contact}" if contact else ""
    return f"Lacuna/{number} (+{HOMEPAGE}{mail})"


class Gate(Fetcher):
    """Fetches with GET, and asks APIs with POST: no cookies, no credentials, no proxy.

    Every hop is checked by URL and by the address connected to. Each fetch has its own
    connections, so a gate belongs to no event loop and has nothing to close. `timeout` is the
    seconds that a fetch may take with all its redirects; `max_bytes` caps the decoded body.
    `admit` is asked before each GET, on every hop too, and raises FetchError for what is not to be
    fetched.
    """

    def __init__(
        self,
        *,
        timeout: float = 20.0,
        max_bytes: int = 20_000_000,
        allow_origins: Iterable[str] = (),
        user_agent: str = "",
        admit: Admit | None = None,
        resolver: Resolver = resolve,
        ssl_context: ssl.SSLContext | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Raises SettingsError when one of `allow_origins` is not an origin."""
        self._timeout = timeout
        self._max_bytes = max_bytes
        self._allowed = frozenset(parse_origin(text) for text in allow_origins)
        self._user_agent = user_agent or identity()
        self._admit = admit
        self.meter: Meter | None = None  # counts what is sent
        self._resolver = resolver
        self._context = ssl_context
        self._clock = clock

    def counted_by(self, meter: Meter) -> Gate:
        """Return this gate as one spender goes through it.

        Each request is counted before it is sent, every hop too; what there is no budget for
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
        """Fetch `url`, following redirects. Raises FetchError, which names no more than the host.

        `headers` go to the origin of `url` and to no other that it redirects to.
        """
        target = checked_url(url, self._allowed)

        async def work(client: httpx.AsyncClient) -> Fetched:
            # Only then: writing a query anew changes its spelling, and a signed one breaks.
            asked = target.copy_merge_params(params) if params else target
            return await self._follow(client, url, asked, headers)

        return await self._bounded(target, work)

    async def post(
        self,
        url: str,
        *,
        body: Mapping[str, object] | bytes,
        headers: Mapping[str, str] | None = None,
    ) -> Fetched:
        """Send `body` as JSON, or as the bytes it is, to `url`. Raises FetchError.

        A redirect is the answer and is not followed: what was meant for one goes to no other.
        """
        target = checked_url(url, self._allowed)
        return await self._bounded(target, lambda client: self._send(client, target, body, headers))

    async def _bounded(
        self, target: httpx.URL, work: Callable[[httpx.AsyncClient], Awaitable[Fetched]]
    ) -> Fetched:
        """Do one fetch within its time; whatever breaks becomes a FetchError."""
        try:
            async with asyncio.timeout(self._timeout), self._client() as client:
                return await work(client)
        except TimeoutError:
            raise SlowError(
                f"{target.host}: no complete answer within {self._timeout:g} s"
            ) from None
        except UnicodeError:
            raise FetchError(f"{target.host}: the question or the key is not valid text") from None
        except _broken() as error:
            raise FetchError(f"{target.host}: {_in_words(error)}") from None

    async def _send(
        self,
        client: httpx.AsyncClient,
        target: httpx.URL,
        body: Mapping[str, object] | bytes,
        headers: Mapping[str, str] | None,
    ) -> Fetched:
        sent: dict[str, Any] = {"content": body} if isinstance(body, bytes) else {"json": body}
        request = client.build_request("POST", target, headers=headers, **sent)
        with self._counted(request) as came:
            response = await client.send(request, stream=True)
            try:
                return await self._read(str(target), target, response, came)
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
            with self._counted(request, is_first=hop == 0) as came:
                response = await client.send(request, stream=True)
                try:
                    if not _redirects(response):
                        return await self._read(url, target, response, came)
                finally:
                    await response.aclose()
            target = self._next(target, response.headers["location"])
        raise FetchError(f"{target.host}: more than {MAX_REDIRECTS} redirects")

    def _next(self, here: httpx.URL, location: str) -> httpx.URL:
        """Check where a redirect leads: as it is written, and as it is meant."""
        if any(character.isspace() or character == "\\" for character in location):
            raise RefusedError("refused: a redirect with white space or a backslash")
        # One with a scheme is taken as it is: joined, `http:///x` would mean the site itself.
        whole = location if _SCHEME.match(location) else str(here.join(location))
        return checked_url(whole, self._allowed)

    @contextmanager
    def _counted(self, request: httpx.Request, *, is_first: bool = True) -> Iterator[Came]:
        """Have a request counted while it is sent and answered. Raises SpentError."""
        if self.meter is None:
            yield lambda _number: None
            return
        with self.meter.request(request, is_first=is_first) as counted:
            yield counted.take

    async def _read(
        self, url: str, target: httpx.URL, response: httpx.Response, came: Came
    ) -> Fetched:
        headers = {name.lower(): value for name, value in response.headers.items()}
        if headers.get("content-length", "").isdigit():
            announced = int(headers["content-length"])
            if announced > self._max_bytes:
                raise TooLargeError(
                    f"{target.host}: {announced / 1e6:.1f} MB are more than"
                    f" {self._max_bytes / 1e6:g} MB"
                )
        inflater = Inflater(headers.get("content-encoding", ""), self._max_bytes)
        async for part in response.aiter_raw():
            came(len(part))
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
        import httpx  # noqa: PLC0415 only who fetches needs it

        from daemon.adapters.transport import PinnedTransport  # noqa: PLC0415 only who fetches needs it

        context = self._context or _certificates()
        http, https = (
            PinnedTransport(scheme, self._resolver, self._allowed, context)
            for scheme in ("http", "https")
        )
        return httpx.AsyncClient(
            transport=https,
            mounts={"http://": http},
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(None, connect=min(CONNECT_SECONDS, self._timeout)),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={
                "user-agent": self._user_agent,
                "accept": "*/*",
                "accept-encoding": ACCEPT_ENCODING,
                "connection": "close",
            },
        )


def _redirects(response: httpx.Response) -> bool:
    return response.status_code in _REDIRECTS and "location" in response.headers


def _in_words(error: BaseException) -> str:
    """Say what failed, without the request's URL or headers."""
    import httpcore  # noqa: PLC0415 only who fetches needs it
    import httpx  # noqa: PLC0415 only who fetches needs it

    if isinstance(error, httpcore.TimeoutException | httpx.TimeoutException):
        return "the connection took too long"
    if isinstance(error, httpcore.ConnectError | httpx.ConnectError):
        return f"cannot connect ({str(error) or 'refused'})"
    return f"the answer is broken ({str(error)[:120] or type(error).__name__})"
