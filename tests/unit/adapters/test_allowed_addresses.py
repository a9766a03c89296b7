"""The gate's rules, as a table: what is refused, what is let through, and why."""

import pytest

from daemon.adapters.allowed_addresses import Origin, checked_url, parse_origin, refusal
from daemon.model.errors import RefusedError, SettingsError
from tests.fakes.closed import CLOSED_ADDRESSES, CLOSED_URLS

OPEN_ADDRESSES = (
    "8.8.8.8",
    "1.1.1.1",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "192.0.1.1",
    "198.17.255.255",
    "198.20.0.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81b::200e",
    "2001:4860:4860::8888",
)

OPEN_URLS = (
    "http://example.com",
    "https://example.com/",
    "HTTPS://Example.COM/Path?q=1#part",
    "http://example.com:80/",
    "https://example.com:443/",
    "http://example.com:443/",
    "https://example.com./",
    "https://bücher.example/",
    "https://xn--bcher-kva.example/",
    "http://8.8.8.8/",
    "http://[2606:4700:4700::1111]/",
    "https://1password.example/",
    "https://4chan.x1/",
    "https://en.wikipedia.org/wiki/%22Hello,_World!%22_program",
    "https://example.com/ünï?q=a@b&r=http://127.0.0.1/",
    "https://example.com/a@b",
    "https://example.com?x=user@home",
)


@pytest.mark.parametrize(("address", "why"), CLOSED_ADDRESSES.items())
def test_a_closed_address_is_refused_and_named(address: str, why: str) -> None:
    assert why in refusal(address)
    assert refusal(address) != ""


@pytest.mark.parametrize("address", OPEN_ADDRESSES)
def test_a_public_address_is_let_through(address: str) -> None:
    assert refusal(address) == ""


@pytest.mark.parametrize(("url", "why"), CLOSED_URLS.items())
def test_a_closed_url_is_refused_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(RefusedError, match=why) as caught:
        checked_url(url)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("url", OPEN_URLS)
def test_an_ordinary_url_is_let_through(url: str) -> None:
    assert checked_url(url).scheme in ("http", "https")


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(CLOSED_ADDRESSES) + len(CLOSED_URLS) >= 120


def test_an_exception_is_one_exact_origin() -> None:
    allowed = frozenset({parse_origin("http://127.0.0.1:8080")})
    assert checked_url("http://127.0.0.1:8080/search?q=x", allowed).port == 8080
    for near_miss in (
        "https://127.0.0.1:8080/",
        "http://127.0.0.1:8081/",
        "http://127.0.0.1/",
        "http://127.0.0.2:8080/",
        "http://localhost:8080/",
        "http://user@127.0.0.1:8080/",
        "http://127.1:8080/",
    ):
        with pytest.raises(RefusedError):
            checked_url(near_miss, allowed)


def test_an_origin_is_read_in_its_canonical_spelling() -> None:
    assert parse_origin("HTTP://SearX.LAN:8080/") == Origin("http", "searx.lan", 8080)
    assert parse_origin("https://searx.lan") == Origin("https", "searx.lan", 443)
    assert parse_origin("http://[::1]:9000") == Origin("http", "::1", 9000)


@pytest.mark.parametrize(
    "text",
    [
        *("", "127.0.0.1:8080", "ftp://x", "http://x/path", "http://x?q", "http://u@x"),
        *("http://x y", "http://xn--/"),
    ],
)
def test_what_is_no_origin_is_an_error_that_names_the_setting(text: str) -> None:
    with pytest.raises(SettingsError, match="allow_origins"):
        parse_origin(text)
