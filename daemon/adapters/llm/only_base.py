"""The HTTP transport of a process that calls models: it leads to one base URL."""

from collections.abc import AsyncIterator

import httpx2

_MAX_BYTES = 16_000_000  # of one answer


class OnlyBase(httpx2.AsyncHTTPTransport):
    """Sends requests below the base URL, and refuses all others before anything is sent.

    `read` is one more path of the same server, which may be read.
    """

    def __init__(self, base_url: str, read: str = "") -> None:
        super().__init__(retries=0)
        self._base = httpx2.URL(base_url)
        self._read = read

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if not self._allows(request):
            raise httpx2.ConnectError("the address is not the provider's", request=request)
        # What is unpacked could be a thousand times as long as what was counted.
        request.headers["accept-encoding"] = "identity"
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise httpx2.ReadError("the answer is compressed", request=request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - of this transport
        response.stream = _Limited(response.stream, request)
        return response

    def _allows(self, request: httpx2.Request) -> bool:
        base, url = self._base, request.url
        is_same = (url.scheme, url.host, port_of(url)) == (base.scheme, base.host, port_of(base))
        is_read = request.method == "GET" and url.path == self._read
        return is_same and (is_read or url.path.startswith(base.path.rstrip("/") + "/"))


class _Limited(httpx2.AsyncByteStream):
    """The bytes of an answer, which ends with an error if there are too many."""

    def __init__(self, stream: httpx2.AsyncByteStream, request: httpx2.Request) -> None:
        self._stream = stream
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for piece in self._stream:
            length += len(piece)
            if length > _MAX_BYTES:
                raise httpx2.ReadError("the answer is too long", request=self._request)
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


def port_of(url: httpx2.URL) -> int:
    """Return the TCP port that a URL leads to."""
    return url.port or (443 if url.scheme == "https" else 80)
