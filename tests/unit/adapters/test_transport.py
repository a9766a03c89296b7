"""The connection itself: only to addresses that were checked, and looked at once more when open."""

import asyncio
from collections.abc import Sequence

import httpcore
import pytest

from daemon.adapters.resolve import resolve
from daemon.adapters.transport import MAX_ATTEMPTS, PinnedBackend
from daemon.model.errors import FetchError, RefusedError

PUBLIC = "93.184.216.34"


class FakeStream(httpcore.AsyncNetworkStream):
    def __init__(self, peer: tuple[str, int] | None) -> None:
        self.peer = peer
        self.closed = False

    def get_extra_info(self, info: str) -> object:
        return self.peer if info == "server_addr" else None

    async def aclose(self) -> None:
        self.closed = True


class FakeNetwork(httpcore.AsyncNetworkBackend):
    """Remembers where connections went; `peer` is where they claim to have ended up."""

    def __init__(self, *, peer: tuple[str, int] | None = (PUBLIC, 80), dead: int = 0) -> None:
        self.stream = FakeStream(peer)
        self.dead = dead
        self.tried: list[str] = []

    async def connect_tcp(self, host: str, *rest: object, **more: object) -> FakeStream:
        self.tried.append(host)
        if len(self.tried) <= self.dead:
            raise httpcore.ConnectError("refused")
        return self.stream


def connect(
    network: FakeNetwork, addresses: Sequence[str], *, allowed: Sequence[tuple[str, int]] = ()
) -> httpcore.AsyncNetworkStream:
    async def table(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(0)
        return addresses

    backend = PinnedBackend(table, allowed)
    backend._inner = network
    return asyncio.run(backend.connect_tcp("example.com", 80))


def test_the_address_is_connected_to_and_not_the_name() -> None:
    network = FakeNetwork()
    assert connect(network, [PUBLIC]) is network.stream
    assert network.tried == [PUBLIC]


def test_one_closed_address_among_several_keeps_all_from_being_tried() -> None:
    network = FakeNetwork()
    with pytest.raises(RefusedError, match=r"example\.com is at 10\.0\.0\.1: a private address"):
        connect(network, [PUBLIC, "10.0.0.1"])
    assert network.tried == []


@pytest.mark.parametrize("peer", [("127.0.0.1", 80), ("10.0.0.1", 80), ("::1", 80, 0, 0), None])
def test_a_connection_that_ends_up_elsewhere_is_closed_before_anything_is_sent(
    peer: tuple[str, int] | None,
) -> None:
    network = FakeNetwork(peer=peer)
    with pytest.raises(RefusedError):
        connect(network, [PUBLIC])
    assert network.stream.closed


def test_an_exception_may_be_anywhere() -> None:
    network = FakeNetwork(peer=("127.0.0.1", 80))
    connect(network, ["127.0.0.1"], allowed=[("example.com", 80)])
    assert network.tried == ["127.0.0.1"]
    with pytest.raises(RefusedError):
        connect(FakeNetwork(), ["127.0.0.1"], allowed=[("example.com", 81)])


def test_a_few_addresses_are_tried_and_no_more() -> None:
    network = FakeNetwork(dead=2)
    connect(network, [f"93.184.216.{n}" for n in range(1, 9)])
    assert len(network.tried) == 3
    network = FakeNetwork(dead=99)
    with pytest.raises(httpcore.ConnectError):
        connect(network, [f"93.184.216.{n}" for n in range(1, 9)])
    assert len(network.tried) == MAX_ATTEMPTS


def test_local_sockets_are_never_used() -> None:
    backend = PinnedBackend(resolve, ())
    with pytest.raises(RefusedError):
        asyncio.run(backend.connect_unix_socket("/run/x.sock"))


@pytest.mark.parametrize("host", ["a..b", "x" * 300])
def test_a_name_that_cannot_be_resolved_is_one_clear_error(host: str) -> None:
    with pytest.raises(FetchError):
        asyncio.run(resolve(host, 80))


def test_an_address_is_its_own_answer() -> None:
    assert asyncio.run(resolve("127.0.0.1", 80)) == ["127.0.0.1"]
