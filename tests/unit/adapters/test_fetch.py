"""The gate against a real server on the loopback, and against names that lie."""

import asyncio
import datetime as dt
import gzip
import ipaddress
import json
import ssl
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from daemon.adapters.fetch import MAX_REDIRECTS, Gate, identity
from daemon.adapters.resolve import Resolver
from daemon.model.errors import FetchError, RefusedError, SettingsError, SlowError, TooLargeError
from daemon.ports import Fetched
from tests.fakes.gates import a_gate
from tests.fakes.http_server import Asked, HttpServer, Reply, closed_port, serving

NOW = dt.datetime(2026, 11, 21, 9, 30, tzinfo=dt.UTC)
PAGE = b"<html><body>A page about tides.</body></html>"


@pytest.fixture
def server() -> Iterator[HttpServer]:
    with serving() as running:
        running.routes["/page"] = Reply(PAGE)
        yield running


def names(**addresses: Sequence[str]) -> Resolver:
    """Resolve from a table; a name that is not in it does not exist."""

    async def look_up(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(0)
        return addresses.get(host.replace(".", "_"), ())

    return look_up


def get(gate: Gate, url: str, **more: dict[str, str]) -> Fetched:
    return asyncio.run(gate.get(url, **more))


def gate_to(server: HttpServer, **more: float) -> Gate:
    return a_gate(
        allow_origins=[server.origin],
        timeout=more.get("timeout", 5.0),
        max_bytes=int(more.get("max_bytes", 1_000_000)),
        clock=lambda: NOW,
    )


def test_a_page_comes_with_its_status_headers_and_time(server: HttpServer) -> None:
    fetched = get(gate_to(server), server.origin + "/page")
    assert (fetched.status, fetched.body, fetched.fetched_at) == (200, PAGE, NOW)
    assert fetched.content_type == "text/html"
    assert fetched.final_url == server.origin + "/page"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 429, 500, 503])
def test_an_error_status_is_an_answer_like_any_other(server: HttpServer, status: int) -> None:
    server.routes["/no"] = Reply(b"no", status)
    fetched = get(gate_to(server), server.origin + "/no")
    assert (fetched.status, fetched.body) == (status, b"no")


def test_parameters_are_encoded_and_added_to_what_the_url_has(server: HttpServer) -> None:
    get(gate_to(server), server.origin + "/page?a=1", params={"q": "x & y/ü", "n": "2"})
    assert server.asked[0].params == {"a": "1", "q": "x & y/ü", "n": "2"}


def test_the_request_says_who_asks_and_nothing_of_the_user(
    server: HttpServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port()}")
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{closed_port()}")
    get(gate_to(server), server.origin + "/page")
    sent = server.asked[0].headers
    assert sent["user-agent"] == identity()
    assert sent["accept-encoding"] == "gzip, deflate"
    assert sorted(sent) == ["accept", "accept-encoding", "connection", "host", "user-agent"]


def test_the_contact_is_in_the_user_agent_only_when_the_user_wants_it() -> None:
    assert "mailto" not in identity()
    assert identity("me@example.org").endswith("; mailto:me@example.org)")
    assert identity().startswith("Lacuna/")


def test_a_redirect_is_followed_to_its_end(server: HttpServer) -> None:
    server.routes["/old"] = Reply(status=301, headers={"Location": "/newer"})
    server.routes["/newer"] = Reply(status=307, headers={"Location": f"{server.origin}/page"})
    fetched = get(gate_to(server), server.origin + "/old")
    assert (fetched.url, fetched.final_url) == (server.origin + "/old", server.origin + "/page")
    assert fetched.body == PAGE


def test_redirects_end_after_five_hops(server: HttpServer) -> None:
    server.fallback = Reply(status=302, headers={"Location": "/again"})
    with pytest.raises(FetchError, match="more than 5 redirects"):
        get(gate_to(server), server.origin + "/again")
    assert len(server.asked) == MAX_REDIRECTS + 1


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1:1/",
        "http://127.1/",
        "//[::1]/",
        "http://user@example.com/",
        "http:\\\\example.com",
        "http://exam ple.com/",
        "javascript:alert(1)",
        "http://example.com:22/",
    ],
)
def test_a_redirect_is_checked_like_the_first_url(server: HttpServer, location: str) -> None:
    server.routes["/out"] = Reply(status=302, headers={"Location": location})
    with pytest.raises(FetchError, match=r"refused|broken"):
        get(gate_to(server), server.origin + "/out")
    assert len(server.asked) == 1


def test_headers_of_the_caller_do_not_follow_a_redirect_to_another_origin(
    server: HttpServer,
) -> None:
    with serving() as other:
        other.routes["/there"] = Reply(b"there")
        server.routes["/here"] = Reply(status=302, headers={"Location": "/on"})
        server.routes["/on"] = Reply(status=302, headers={"Location": other.origin + "/there"})
        gate = a_gate(allow_origins=[server.origin, other.origin])
        get(gate, server.origin + "/here", headers={"X-Subscription-Token": "secret"})
        assert [asked.headers.get("x-subscription-token") for asked in server.asked] == [
            "secret"
        ] * 2
        assert "x-subscription-token" not in other.asked[0].headers


def test_cookies_are_never_sent_back(server: HttpServer) -> None:
    jar = {"Set-Cookie": "id=1; Path=/", "Location": "/page"}
    server.routes["/jar"] = Reply(status=302, headers=jar)
    gate = gate_to(server)
    get(gate, server.origin + "/jar")
    get(gate, server.origin + "/page")
    assert all("cookie" not in asked.headers for asked in server.asked)


def test_a_private_address_is_refused_before_anything_is_sent(server: HttpServer) -> None:
    with pytest.raises(RefusedError):
        get(a_gate(), server.origin + "/page")
    assert server.asked == []


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["93.184.216.34", "127.0.0.1"],
        ["::ffff:127.0.0.1"],
        ["169.254.169.254"],
        ["64:ff9b::7f00:1"],
        ["not an address"],
    ],
)
def test_a_name_is_refused_when_any_of_its_addresses_is_closed(addresses: list[str]) -> None:
    gate = a_gate(resolver=names(evil_example=addresses))
    with pytest.raises(RefusedError, match=r"evil\.example is at"):
        get(gate, "http://evil.example/")


def test_a_name_is_resolved_once_and_that_address_is_connected_to(server: HttpServer) -> None:
    answers = iter([["127.0.0.1"], ["192.0.2.1"]])
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(0)
        asked.append(host)
        return next(answers)

    gate = a_gate(allow_origins=[f"http://searx.lan:{server.port}"], resolver=rebinding)
    assert get(gate, f"http://searx.lan:{server.port}/page").body == PAGE
    assert asked == ["searx.lan"]
    assert server.asked[0].headers["host"] == f"searx.lan:{server.port}"


def test_an_exception_for_http_is_none_for_https(server: HttpServer) -> None:
    gate = a_gate(allow_origins=["http://inside.lan:80"], resolver=names(inside_lan=["127.0.0.1"]))
    with pytest.raises(RefusedError):
        get(gate, "https://inside.lan:80/")


def test_the_next_address_is_tried_when_one_does_not_answer(server: HttpServer) -> None:
    here = f"http://two.lan:{server.port}"
    gate = a_gate(allow_origins=[here], resolver=names(two_lan=["127.0.0.2", "127.0.0.1"]))
    assert get(gate, here + "/page").body == PAGE


def test_a_name_that_does_not_exist_is_said_plainly() -> None:
    with pytest.raises(FetchError, match=r"nowhere\.example: no such host"):
        get(a_gate(resolver=names()), "http://nowhere.example/")


def test_a_closed_port_is_said_plainly() -> None:
    origin = f"http://127.0.0.1:{closed_port()}"
    with pytest.raises(FetchError, match="cannot connect"):
        get(a_gate(allow_origins=[origin]), origin)


def test_a_body_over_the_cap_is_refused_by_its_announcement(server: HttpServer) -> None:
    server.routes["/big"] = Reply(b"x" * 2000)
    with pytest.raises(TooLargeError):
        get(gate_to(server, max_bytes=1000), server.origin + "/big")
    assert len(get(gate_to(server, max_bytes=2000), server.origin + "/big").body) == 2000
    server.routes["/bigger"] = Reply(b"x", claims=10**12, hangs=True)
    with pytest.raises(TooLargeError):
        get(gate_to(server), server.origin + "/bigger")


def test_an_endless_body_ends_at_the_cap(server: HttpServer) -> None:
    server.routes["/endless"] = Reply(b"x" * 10_000, endless=True)
    with pytest.raises(TooLargeError):
        get(gate_to(server, max_bytes=100_000), server.origin + "/endless")


def test_a_decompression_bomb_ends_at_the_cap(server: HttpServer) -> None:
    bomb = gzip.compress(b"\x00" * 20_000_000)
    server.routes["/bomb"] = Reply(bomb, headers={"Content-Encoding": "gzip"})
    with pytest.raises(TooLargeError):
        get(gate_to(server), server.origin + "/bomb")


def test_a_compressed_page_is_unpacked(server: HttpServer) -> None:
    server.routes["/gz"] = Reply(gzip.compress(PAGE), headers={"Content-Encoding": "gzip"})
    assert get(gate_to(server), server.origin + "/gz").body == PAGE


@pytest.mark.parametrize("reply", [Reply(PAGE, hangs=True), Reply(silent=True)])
def test_a_slow_server_costs_no_more_than_the_time_limit(server: HttpServer, reply: Reply) -> None:
    server.routes["/slow"] = reply
    with pytest.raises(SlowError, match="within"):
        get(gate_to(server, timeout=0.2), server.origin + "/slow")


def test_the_time_limit_covers_all_hops_together(server: HttpServer) -> None:
    def dawdle(asked: Asked) -> Reply:
        server.closing.wait(0.12)
        return Reply(status=302, headers={"Location": "/next"})

    server.fallback = dawdle
    with pytest.raises(SlowError):
        get(gate_to(server, timeout=0.3), server.origin + "/next")


@pytest.mark.parametrize(
    "reply",
    [
        Reply(PAGE, claims=9999),
        Reply(raw=b""),
        Reply(raw=b"garbage\r\n\r\n"),
        Reply(raw=b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"),
        Reply(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello"),
        Reply(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
        Reply(raw=b"HTTP/1.1 200 OK\r\nX: " + b"y" * 300_000),
        Reply(PAGE, headers={"Content-Encoding": "gzip"}),
        Reply(PAGE, headers={"Content-Encoding": "br"}),
        Reply(gzip.compress(PAGE)[:20], headers={"Content-Encoding": "gzip"}),
    ],
)
def test_a_broken_answer_is_one_clear_error(server: HttpServer, reply: Reply) -> None:
    server.routes["/broken"] = reply
    with pytest.raises(FetchError) as caught:
        get(gate_to(server), server.origin + "/broken")
    assert "\n" not in str(caught.value)


def test_an_error_never_repeats_what_may_be_secret(server: HttpServer) -> None:
    server.routes["/broken"] = Reply(raw=b"garbage\r\n\r\n")
    with pytest.raises(FetchError) as caught:
        get(
            gate_to(server),
            server.origin + "/broken",
            params={"api_key": "hush-1"},
            headers={"X-Key": "hush-2"},
        )
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    "more", [{"params": {"q": "\ud800"}}, {"headers": {"X-Key": "\ud800"}}, {"headers": {"X": "ü"}}]
)
def test_what_cannot_be_written_into_a_request_is_one_clear_error(
    server: HttpServer, more: dict[str, dict[str, str]]
) -> None:
    with pytest.raises(FetchError, match="not valid text"):
        get(gate_to(server), server.origin + "/page", **more)


def test_one_gate_serves_many_event_loops_and_many_fetches_at_once(server: HttpServer) -> None:
    gate = gate_to(server)

    async def several() -> list[Fetched]:
        return await asyncio.gather(*(gate.get(server.origin + "/page") for _ in range(8)))

    for _ in range(3):
        assert all(fetched.body == PAGE for fetched in asyncio.run(several()))


def test_an_exception_that_is_no_origin_is_a_settings_error() -> None:
    with pytest.raises(SettingsError, match="allow_origins"):
        a_gate(allow_origins=["searx"])


def test_tls_is_checked_against_the_name_and_not_the_address(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path, "paper.example")
    serves = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serves.load_cert_chain(certificate)
    seen: list[str | None] = []
    serves.sni_callback = lambda _socket, name, _context: seen.append(name)
    trusts = ssl.create_default_context(cafile=str(certificate))
    everywhere = names(paper_example=["127.0.0.1"], other_example=["127.0.0.1"])
    with serving(serves) as server:
        server.routes["/page"] = Reply(PAGE)
        good, bad = (f"https://{name}.example:{server.port}" for name in ("paper", "other"))
        gate = a_gate(allow_origins=[good, bad], resolver=everywhere, ssl_context=trusts)
        assert get(gate, good + "/page").body == PAGE
        with pytest.raises(FetchError, match="certificate"):
            get(gate, bad + "/page")
    assert seen == ["paper.example", "other.example"]


def make_certificate(folder: Path, name: str) -> Path:
    """Write a key and a certificate that it signed itself, for one name."""
    pytest.importorskip("cryptography")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, name)])
    names = [x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("192.0.2.1"))]
    signed = (
        x509.CertificateBuilder(subject_name=subject, issuer_name=subject)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
        .not_valid_after(dt.datetime(2099, 1, 1, tzinfo=dt.UTC))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path


def post(gate: Gate, url: str, body: dict[str, object], **headers: str) -> Fetched:
    return asyncio.run(gate.post(url, body=body, headers=headers))


def test_a_question_is_sent_as_json_with_the_callers_headers(server: HttpServer) -> None:
    server.routes["/ask"] = Reply(b'{"results": []}', content_type="application/json")
    fetched = post(gate_to(server), server.origin + "/ask", {"query": "Flut é"}, Authorization="k")
    (asked,) = server.asked
    assert (asked.method, asked.headers["content-type"]) == ("POST", "application/json")
    assert asked.headers["authorization"] == "k"
    assert json.loads(asked.body) == {"query": "Flut é"}
    assert (fetched.status, fetched.body) == (200, b'{"results": []}')


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("where", ["/page", "https://elsewhere.example/"])
def test_what_was_sent_follows_no_redirect(server: HttpServer, status: int, where: str) -> None:
    server.routes["/ask"] = Reply(status=status, headers={"Location": where})
    fetched = post(gate_to(server), server.origin + "/ask", {"query": "q"})
    assert (fetched.status, len(server.asked)) == (status, 1)


def test_sending_is_checked_and_bounded_like_fetching(server: HttpServer) -> None:
    with pytest.raises(RefusedError):
        post(a_gate(), server.origin + "/ask", {"query": "q"})
    with pytest.raises(RefusedError):
        post(a_gate(), "file:///etc/passwd", {})
    server.routes["/ask"] = Reply(b"x" * 1000, endless=True)
    with pytest.raises(TooLargeError):
        post(gate_to(server, max_bytes=2000), server.origin + "/ask", {})
    server.routes["/ask"] = Reply(silent=True)
    with pytest.raises(SlowError):
        post(gate_to(server, timeout=0.2), server.origin + "/ask", {})
    with pytest.raises(FetchError, match="not valid text"):
        post(gate_to(server), server.origin + "/ask", {"query": "\ud800"})
    assert all(asked.path == "/ask" for asked in server.asked)
