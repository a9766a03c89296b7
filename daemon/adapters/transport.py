"""Connections to checked addresses only: the checked address is the one connected to."""

import asyncio
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpcore
import httpx

from daemon.adapters.allowed_addresses import Origin, refusal
from daemon.adapters.inflate import ACCEPT_ENCODING
from daemon.adapters.resolve import CONNECT_SECONDS, Resolver
from daemon.model.errors import FetchError, RefusedError

MAX_ATTEMPTS = 4


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """Resolves a host once, checks all its addresses, and connects to a checked one.

    The name is never resolved a second time, so an answer that changes in between (DNS rebinding)
    has no effect. `allowed` hosts and ports may have any address.
    """

    def __init__(self, resolver: Resolver, allowed: Iterable[tuple[str, int]]) -> None:
        self._resolver = resolver
        self._allowed = frozenset(allowed)
        self._inner: httpcore.AsyncNetworkBackend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        addresses = await self._addresses(host, port)
        failure: Exception = FetchError(f"{host}: no such host")
        for address in addresses[:MAX_ATTEMPTS]:
            try:
                stream = await self._inner.connect_tcp(
                    address, port, timeout or CONNECT_SECONDS, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
                continue
            return await self._as_checked(stream, host, port)
        raise failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # httpcore's signature
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise RefusedError(f"refused: {path}: a local socket")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        addresses = await self._resolver(host, port)
        if (host, port) not in self._allowed:
            for address in addresses:
                _refuse(host, address)
        return addresses

    async def _as_checked(
        self, stream: httpcore.AsyncNetworkStream, host: str, port: int
    ) -> httpcore.AsyncNetworkStream:
        """Check the address that the socket reports as its peer."""
        peer = stream.get_extra_info("server_addr")
        if (host, port) not in self._allowed:
            try:
                _refuse(host, str(peer[0]) if peer else "")
            except RefusedError:
                await stream.aclose()
                raise
        return stream


class PinnedTransport(httpx.AsyncBaseTransport):
    """httpx over connections from a PinnedBackend: HTTP/1.1, no proxy.

    The Host header, SNI and the certificate check keep the name from the URL; only the connection
    itself goes to the checked address. One transport serves one scheme, because an exception is an
    exact origin and a backend does not see the scheme.
    """

    def __init__(
        self, scheme: str, resolver: Resolver, allowed: Iterable[Origin], context: ssl.SSLContext
    ) -> None:
        open_here = ((item.host, item.port) for item in allowed if item.scheme == scheme)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            http1=True,
            http2=False,
            network_backend=PinnedBackend(resolver, open_here),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._pool.handle_async_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if isinstance(self._answer.stream, AsyncIterable):
            async for part in self._answer.stream:
                yield part

    async def aclose(self) -> None:
        await self._answer.aclose()


def _refuse(host: str, address: str) -> None:
    if why := refusal(address):
        raise RefusedError(f"refused: {host} is at {address or 'no address'}: {why}")


# Errors raised by an answer that breaks off.
BROKEN = (
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.StreamError,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
    OSError,
)


def client(
    resolver: Resolver,
    allowed: frozenset[Origin],
    context: ssl.SSLContext | None,
    *,
    user_agent: str,
    connect: float,
) -> httpx.AsyncClient:
    """Return a client that follows no redirect and keeps no cookie."""
    http, https = (
        PinnedTransport(scheme, resolver, allowed, context or _certificates())
        for scheme in ("http", "https")
    )
    return httpx.AsyncClient(
        transport=https,
        mounts={"http://": http},
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(None, connect=connect),
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        headers={
            "user-agent": user_agent,
            "accept": "*/*",
            "accept-encoding": ACCEPT_ENCODING,
            "connection": "close",
        },
    )


@cache
def _certificates() -> ssl.SSLContext:
    """Load the trusted certificates, once: that takes a while."""
    return httpx.create_ssl_context(trust_env=False)


def in_words(error: BaseException) -> str:
    """Describe a failure without the request's URL or headers."""
    if isinstance(error, httpcore.TimeoutException | httpx.TimeoutException):
        return "the connection took too long"
    if isinstance(error, httpcore.ConnectError | httpx.ConnectError):
        return f"cannot connect ({str(error) or 'refused'})"
    return f"the answer is broken ({str(error)[:120] or type(error).__name__})"
