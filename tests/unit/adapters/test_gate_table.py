"""Every closed address and URL, put to the gate the way an attacker would: by name, by redirect."""

import asyncio
import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import httpcore
import pytest

from daemon.adapters.fetch import Gate
from daemon.adapters.transport import PinnedBackend
from daemon.model.errors import FetchError, RefusedError, TooLargeError
from tests.fakes.bombs import BOMBS, SIZE
from tests.fakes.closed import CLOSED_ADDRESSES, CLOSED_URLS
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Reply, serving

NAME = "http://innocent.example/page"
CAP = 1_000_000


def resolving_to(*addresses: str) -> Gate:
    async def look_up(host: str, port: int) -> Sequence[str]:
        return addresses

    return a_gate(resolver=look_up, timeout=60)


@pytest.mark.parametrize("address", CLOSED_ADDRESSES)
def test_a_name_that_stands_for_a_closed_address_is_refused(address: str) -> None:
    for addresses in ((address,), ("93.184.216.34", address)):
        with pytest.raises(RefusedError, match=r"innocent\.example is at"):
            asyncio.run(resolving_to(*addresses).get(NAME))


@pytest.mark.parametrize("address", CLOSED_ADDRESSES)
def test_a_connection_that_ends_at_a_closed_address_is_closed_unused(address: str) -> None:
    class Stream(httpcore.AsyncNetworkStream):
        closed = False

        def get_extra_info(self, info: str) -> object:
            return (address, 80) if info == "server_addr" else None

        async def aclose(self) -> None:
            self.closed = True

    class Network(httpcore.AsyncNetworkBackend):
        async def connect_tcp(self, *_: object, **__: object) -> httpcore.AsyncNetworkStream:
            return stream

    async def look_up(host: str, port: int) -> Sequence[str]:
        return ["93.184.216.34"]

    stream = Stream()
    backend = PinnedBackend(look_up, ())
    backend._inner = Network()
    with pytest.raises(RefusedError):
        asyncio.run(backend.connect_tcp("innocent.example", 80))
    assert stream.closed


def test_no_redirect_leads_to_a_closed_url() -> None:
    through: list[str] = []
    with serving() as server:
        gate = a_gate(allow_origins=[server.origin], timeout=60)
        for url in [*CLOSED_URLS, *(f"http://{_host(each)}/" for each in CLOSED_ADDRESSES)]:
            if any(character < " " for character in url):
                continue  # it would end the header; what is behind it never arrives
            head = f"HTTP/1.1 302 Found\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n"
            server.routes["/go"] = Reply(raw=head.encode())
            before = len(server.asked)
            try:
                asyncio.run(gate.get(server.origin + "/go"))
            except FetchError:
                continue
            finally:
                # `example.com` alone is no address elsewhere, but a page of the site itself.
                led = {asked.path for asked in server.asked[before:]}
                if led - {"/go", "/example.com"}:
                    through.append(url)
    assert through == []
    assert len(CLOSED_URLS) + len(CLOSED_ADDRESSES) >= 120


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_every_kind_of_redirect_is_checked(status: int) -> None:
    with serving() as server:
        server.routes["/go"] = Reply(status=status, headers={"Location": "http://10.0.0.1/"})
        with pytest.raises(RefusedError, match=r"10\.0\.0\.1: a private address"):
            asyncio.run(a_gate(allow_origins=[server.origin]).get(server.origin + "/go"))


def test_a_later_hop_is_checked_like_the_first() -> None:
    with serving() as server:
        for hop in range(4):
            server.routes[f"/{hop}"] = Reply(status=302, headers={"Location": f"/{hop + 1}"})
        server.routes["/4"] = Reply(status=302, headers={"Location": "http://[::ffff:7f00:1]/"})
        with pytest.raises(RefusedError, match="IPv4 address in IPv6 form"):
            asyncio.run(a_gate(allow_origins=[server.origin]).get(server.origin + "/0"))


@pytest.mark.parametrize("header", ["Refresh", "Link", "Content-Location", "Alt-Svc"])
def test_no_other_header_leads_anywhere(header: str) -> None:
    with serving() as server:
        leading = {"Refresh": "0; url=/next", "Link": "</next>; rel=canonical"}
        server.routes["/page"] = Reply(b"here", headers={header: leading.get(header, "/next")})
        fetched = asyncio.run(a_gate(allow_origins=[server.origin]).get(server.origin + "/page"))
        assert (fetched.body, [asked.path for asked in server.asked]) == (b"here", ["/page"])


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_takes_no_more_memory_than_the_cap_whatever_it_is_packed_in(name: str) -> None:
    encoding, pack = BOMBS[name]
    body = pack()
    assert len(body) < SIZE / 200
    with serving() as server:
        server.routes["/bomb"] = Reply(body, headers={"Content-Encoding": encoding})
        gate = a_gate(allow_origins=[server.origin], max_bytes=CAP, timeout=60)
        tracemalloc.start()
        try:
            with pytest.raises((TooLargeError, FetchError)):
                asyncio.run(gate.get(server.origin + "/bomb"))
            assert tracemalloc.get_traced_memory()[1] < 12 * CAP
        finally:
            tracemalloc.stop()


def test_nothing_of_the_user_s_surroundings_goes_along(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text("default login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with serving() as server, serving() as proxy:
        for name in ("http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.origin)
        for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
            monkeypatch.setenv(name, str(tmp_path))
        server.routes["/page"] = Reply(b"here", headers={"Set-Cookie": "id=1; Path=/"})
        gate = a_gate(allow_origins=[server.origin])
        for _ in range(2):
            assert asyncio.run(gate.get(server.origin + "/page")).body == b"here"
        assert proxy.asked == []
        for asked in server.asked:
            assert not {"cookie", "authorization", "referer", "origin"} & set(asked.headers)


def _host(address: str) -> str:
    return f"[{address.replace('%', '%25')}]" if ":" in address else address
