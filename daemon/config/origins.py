"""Addresses and origins in the settings."""

import re
from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_address(text: str) -> bool:
    """Return whether it is an http or https URL with a host, without a user name or a fragment."""
    try:
        parts = urlsplit(text.split("?", 1)[0])
    except ValueError:
        return False
    is_plain = text.isprintable() and not re.search(r"[\s\\#]", text)
    return is_plain and is_origin(f"{parts.scheme}://{parts.netloc}")


def origin_text(address: str) -> str:
    """Return the origin of an address: scheme, host and, if given, port."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def is_secure(address: str) -> bool:
    """Return whether it is an address by https, or one of this machine."""
    parts = urlsplit(address)
    return is_address(address) and (parts.scheme == "https" or parts.hostname in LOOPBACK)


def is_origin(text: str) -> bool:
    """Return whether it is only scheme, host and optionally port."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and bool(host)
        and port != 0
        and parts.path in ("", "/")
        and not re.search(r"[\s*@?#\\]|:$", text)
    )
