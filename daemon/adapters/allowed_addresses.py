"""Decide which URLs and addresses may be fetched. Pure rules; nothing here uses the network."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TYPE_CHECKING

from daemon.model.errors import RefusedError, SettingsError
from daemon.model.late import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")  # a tenth of a second of CPU, spent by a process that fetches

MAX_URL = 4096
_PORTS = {"http": 80, "https": 443}
_OPEN_PORTS = frozenset(_PORTS.values())
_NUMBER = re.compile(r"^(?:\d+|0x[0-9a-f]*)$", re.IGNORECASE)

# The first network that contains an address names it; the more specific ones come first.
_CLOSED: tuple[tuple[IPv4Network | IPv6Network, str], ...] = tuple(
    (ip_network(network), what)
    for network, what in (
        ("169.254.169.254/32", "a cloud metadata address"),
        ("100.100.100.200/32", "a cloud metadata address"),
        ("168.63.129.16/32", "a cloud metadata address"),
        ("192.0.0.192/32", "a cloud metadata address"),
        ("0.0.0.0/32", "the unspecified address"),
        ("0.0.0.0/8", "a reserved address"),
        ("10.0.0.0/8", "a private address"),
        ("100.64.0.0/10", "a carrier-grade NAT address"),
        ("127.0.0.0/8", "a loopback address"),
        ("169.254.0.0/16", "a link-local address"),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "a reserved address"),
        ("192.0.2.0/24", "a documentation address"),
        ("192.88.99.0/24", "a 6to4 relay address"),
        ("192.168.0.0/16", "a private address"),
        ("198.18.0.0/15", "a benchmarking address"),
        ("198.51.100.0/24", "a documentation address"),
        ("203.0.113.0/24", "a documentation address"),
        ("224.0.0.0/4", "a multicast address"),
        ("240.0.0.0/4", "a reserved address"),
        ("fd00:ec2::254/128", "a cloud metadata address"),
        ("fd20:ce::254/128", "a cloud metadata address"),
        ("::/128", "the unspecified address"),
        ("::1/128", "a loopback address"),
        ("::ffff:0:0/96", "an IPv4 address in IPv6 form"),
        ("::ffff:0:0:0/96", "an IPv4 address in IPv6 form"),
        ("::/96", "an IPv4 address in IPv6 form"),
        ("64:ff9b::/96", "a NAT64 address"),
        ("64:ff9b:1::/48", "a NAT64 address"),
        ("2001::/32", "a Teredo address"),
        ("2001::/23", "a reserved address"),
        ("2001:db8::/32", "a documentation address"),
        ("2002::/16", "a 6to4 address"),
        ("3fff::/20", "a documentation address"),
        ("fc00::/7", "a private address"),
        ("fe80::/10", "a link-local address"),
        ("fec0::/10", "a site-local address"),
        ("ff00::/8", "a multicast address"),
    )
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)  # the upper half of an ISATAP interface identifier


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port in canonical spelling."""

    scheme: str
    host: str
    port: int


def parse_origin(text: str) -> Origin:
    """Parse an exception such as `http://127.0.0.1:8080`. Raises SettingsError."""
    wrong = SettingsError(
        f"network.allow_origins: {text!r} is not an origin such as http://127.0.0.1:8080"
    )
    if any(_is_odd(character) for character in text):
        raise wrong
    try:
        url = httpx.URL(text)
        host = url.host
    except (
        httpx.InvalidURL,
        UnicodeError,
    ):  # IDNAError for an `xn--` label that decodes to no name
        raise wrong from None
    bare = url.path in ("", "/") and not (url.query or url.fragment or url.userinfo)
    if url.scheme not in _PORTS or not host or not bare:
        raise wrong
    return origin_of(url)


def origin_at(text: str) -> Origin:
    """Return the origin of a URL that was checked before."""
    return origin_of(httpx.URL(text))


def host_at(text: str) -> str:
    """Return the host of a URL."""
    return httpx.URL(text).host


def origin_of(url: httpx.URL) -> Origin:
    host = url.raw_host.decode("ascii").lower()
    return Origin(url.scheme, host, url.port or _PORTS.get(url.scheme, 0))


def checked_url(text: str, allowed: frozenset[Origin] = frozenset()) -> httpx.URL:
    """Parse a URL that may be fetched. Raises RefusedError, with the reason, for any other."""
    if len(text) > MAX_URL:
        raise RefusedError(f"refused: a URL of {len(text)} characters")
    if any(_is_odd(character) for character in text):
        raise RefusedError("refused: a URL with a backslash, white space or control characters")
    try:
        url = httpx.URL(text)
        host = url.host
    except httpx.InvalidURL as error:
        raise RefusedError(f"refused: not a URL: {error}") from None
    except UnicodeError as error:  # an `xn--` label that decodes to no name
        raise RefusedError(f"refused: not a host name: {error}") from None
    _check_shape(text, url, host)
    if origin_of(url) in allowed:
        return url
    if url.port is not None and url.port not in _OPEN_PORTS:
        raise RefusedError(f"refused: {host}: port {url.port} is not 80 or 443")
    _check_host(url.raw_host.decode("ascii").lower())
    return url


def refusal(address: str) -> str:
    """Return why an IP address must not be connected to, or ""."""
    try:
        ip = ip_address(address)
    except ValueError:
        return "not an IP address"
    for network, what in _CLOSED:
        if ip.version == network.version and ip in network:
            return what
    if isinstance(ip, IPv6Address):
        if ip.scope_id is not None:
            return "a link-local address"
        if (int(ip) >> 32) & 0xFFFF_FFFF in _ISATAP:
            return "an ISATAP address"
        return "" if ip in _GLOBAL_UNICAST else "a reserved address"
    return "" if ip.is_global else "a reserved address"


def _is_odd(character: str) -> bool:
    return (
        character == "\\"
        or character.isspace()
        or unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    )


def _check_shape(text: str, url: httpx.URL, host: str) -> None:
    if url.scheme not in _PORTS:
        raise RefusedError(f"refused: {url.scheme or 'no'} scheme; only http and https are fetched")
    if not text.lower().startswith(f"{url.scheme}://") or not host:
        raise RefusedError("refused: a URL without a host")
    authority = re.split(r"[/?#]", text.partition("://")[2], maxsplit=1)[0]
    if "@" in authority:
        raise RefusedError("refused: a URL with a user name")


def _check_host(host: str) -> None:
    if "%" in host:
        raise RefusedError("refused: a host with an encoded character or a zone")
    if ":" in host:
        _check_literal(host)
        return
    name = host.removesuffix(".")
    last = name.rpartition(".")[2]
    if _NUMBER.match(last):
        if not _is_plain_ipv4(host):
            raise RefusedError(f"refused: {host}: an IPv4 address in an odd spelling")
        _check_literal(host)
    if last == "localhost" or not name:
        raise RefusedError(f"refused: {host or 'no host'}: a loopback name")


def _is_plain_ipv4(host: str) -> bool:
    try:
        return str(IPv4Address(host)) == host
    except ValueError:
        return False


def _check_literal(host: str) -> None:
    if why := refusal(host):
        raise RefusedError(f"refused: {host}: {why}")
