"""The gate's rules, as a table: what is refused, what is let through, and why."""

import pytest

from daemon.adapters.addresses import Origin, checked_url, parse_origin, refusal
from daemon.model.errors import RefusedError, SettingsError

CLOSED_ADDRESSES = {
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "0.0.0.0": "unspecified",
    "0.1.2.3": "reserved",
    "10.0.0.1": "private",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.168.1.1": "private",
    "169.254.1.1": "link-local",
    "169.254.169.254": "metadata",
    "100.100.100.200": "metadata",
    "168.63.129.16": "metadata",
    "192.0.0.192": "metadata",
    "100.64.0.1": "carrier-grade",
    "100.127.255.255": "carrier-grade",
    "192.0.0.8": "reserved",
    "192.0.2.1": "documentation",
    "192.88.99.1": "6to4",
    "198.18.0.1": "benchmarking",
    "198.51.100.7": "documentation",
    "203.0.113.9": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "::": "unspecified",
    "::1": "loopback",
    "::ffff:127.0.0.1": "IPv4 address in IPv6",
    "::ffff:8.8.8.8": "IPv4 address in IPv6",
    "::ffff:0:127.0.0.1": "IPv4 address in IPv6",
    "::127.0.0.1": "IPv4 address in IPv6",
    "::8.8.8.8": "IPv4 address in IPv6",
    "64:ff9b::7f00:1": "NAT64",
    "64:ff9b::808:808": "NAT64",
    "64:ff9b:1::a00:1": "NAT64",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2": "Teredo",
    "2001:2::1": "reserved",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "6to4",
    "2002:808:808::1": "6to4",
    "3fff::1": "documentation",
    "fd00:ec2::254": "metadata",
    "fd12:3456::1": "private",
    "fc00::1": "private",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
    "100::1": "reserved",
    "5f00::1": "reserved",
    "4000::1": "reserved",
    "2606:4700::5efe:7f00:1": "ISATAP",
    "2606:4700::200:5efe:a00:1": "ISATAP",
    "no address": "not an IP address",
    "": "not an IP address",
}

CLOSED_URLS = {
    "ftp://example.com/": "only http and https",
    "file:///etc/passwd": "only http and https",
    "gopher://example.com/": "only http and https",
    "data:text/html,hello": "only http and https",
    "javascript:alert(1)": "only http and https",
    "obsidian://open?vault=x": "only http and https",
    "//example.com/": "only http and https",
    "example.com": "only http and https",
    "": "only http and https",
    "http:///path": "host",
    "http:example.com": "host",
    "http://": "host",
    "http://user@example.com/": "user name",
    "http://user:secret@example.com/": "user name",
    "http://@example.com/": "user name",
    "http://example.com@127.0.0.1/": "user name",
    "http://example.com:80@evil.com/": "user name",
    "http://127.0.0.1\\@example.com/": "backslash",
    "http://example.com\\.evil.com/": "backslash",
    "http:\\\\example.com/": "backslash",
    " http://example.com/": "white space",
    "http://example.com/ ": "white space",
    "http://exa\tmple.com/": "white space",
    "http://example.com/\r\nHost: evil": "white space",
    "http://example.com/\x00": "control",
    "http://exa\u200bmple.com/": "control",
    "http://example.com/\u202egnp": "control",
    "http://example.com\u3000/": "white space",
    "http://example.com:22/": "port 22",
    "http://example.com:8080/": "port 8080",
    "https://example.com:6379/": "port 6379",
    "http://example.com:0/": "port 0",
    "http://example.com:99999/": "port 99999",
    "http://localhost/": "loopback name",
    "http://LOCALHOST/": "loopback name",
    "http://localhost./": "loopback name",
    "http://a.localhost/": "loopback name",
    "http://./": "loopback name",
    "http://127.0.0.1/": "loopback",
    "http://127.0.0.1./": "odd spelling",
    "http://127.1/": "odd spelling",
    "http://127.0.1/": "odd spelling",
    "http://2130706433/": "odd spelling",
    "http://134744072/": "odd spelling",
    "http://0/": "odd spelling",
    "http://0x7f000001/": "odd spelling",
    "http://0x7f.0.0.1/": "odd spelling",
    "http://0X7F.1/": "odd spelling",
    "http://0177.0.0.1/": "IPv4 address",
    "http://017700000001/": "odd spelling",
    "http://127.0.0.01/": "IPv4 address",
    "http://010.8.8.8/": "IPv4 address",
    "http://8.8.8.8.8/": "odd spelling",
    "http://256.1.1.1/": "IPv4 address",
    "http://1.2.3.0x/": "odd spelling",
    "http://example.1/": "odd spelling",
    "http://１２７.０.０.１/": "not a URL",
    "http://①②⑦.⓪.⓪.①/": "not a URL",
    "http://127。0。0。1/": "loopback",
    "http://%31%32%37.0.0.1/": "encoded",
    "http://exa%6Dple.com/": "encoded",
    "http://169.254.169.254/latest/meta-data/": "metadata",
    "http://[::1]/": "loopback",
    "http://[::]/": "unspecified",
    "http://[::ffff:127.0.0.1]/": "IPv4 address in IPv6",
    "http://[::ffff:7f00:1]/": "IPv4 address in IPv6",
    "http://[0:0:0:0:0:ffff:a9fe:a9fe]/": "IPv4 address in IPv6",
    "http://[64:ff9b::127.0.0.1]/": "NAT64",
    "http://[fe80::1%25eth0]/": "zone",
    "http://[fd00:ec2::254]/": "metadata",
    "http://[::1/": "not a URL",
    "http://example.com/" + "a" * 5000: "characters",
}

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
    ["", "127.0.0.1:8080", "ftp://x", "http://x/path", "http://x?q", "http://u@x", "http://x y"],
)
def test_what_is_no_origin_is_an_error_that_names_the_setting(text: str) -> None:
    with pytest.raises(SettingsError, match="allow_origins"):
        parse_origin(text)
