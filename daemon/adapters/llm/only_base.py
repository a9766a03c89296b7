"""The HTTP transport of a process that calls models: it leads to one base URL."""

import httpx2


class OnlyBase(httpx2.AsyncHTTPTransport):
    """Sends requests below the base URL, and refuses all others before anything is sent."""

    def __init__(self, base_url: str) -> None:
        super().__init__(retries=0)
        self._base = httpx2.URL(base_url)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if not self._allows(request.url):
            raise httpx2.ConnectError("the address is not the provider's", request=request)
        return await super().handle_async_request(request)

    def _allows(self, url: httpx2.URL) -> bool:
        base = self._base
        is_same = (url.scheme, url.host, port_of(url)) == (base.scheme, base.host, port_of(base))
        return is_same and url.path.startswith(base.path.rstrip("/") + "/")


def port_of(url: httpx2.URL) -> int:
    """Return the TCP port that a URL leads to."""
    return url.port or (443 if url.scheme == "https" else 80)
