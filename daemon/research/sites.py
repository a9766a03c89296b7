"""The owner of an address: its host, its registrable domain. Never a substring of either."""

import re
from urllib.parse import urlsplit

from tld import get_fld

_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|[0-9a-f:.]+")


def host_of(url: str) -> str:
    """Return the host in lower case and in ASCII, or "" for an invalid one.

    Letters of other scripts that look Latin become `xn--…`, so no name looks like another.
    """
    if "\\" in url:
        return ""  # browsers read it as a slash, and would go elsewhere
    try:
        host = (urlsplit(url).hostname or "").rstrip(".").lower()
        host = host if host.isascii() else host.encode("idna").decode("ascii").lower()
    except (ValueError, UnicodeError):
        return ""
    return host if _NAME.fullmatch(host) else ""


def site_of(url: str) -> str:
    """Return the registrable domain (`bbc.co.uk`), the host if there is none, or ""."""
    host = host_of(url)
    if not host:
        return ""
    return get_fld(f"https://{host}", fail_silently=True) or host


def is_below(host: str, site: str) -> bool:
    """Return whether a host is a site or part of it: `www.nature.com` of `nature.com`."""
    return host == site or host.endswith(f".{site}")
