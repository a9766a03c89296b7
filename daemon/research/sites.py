"""Whose an address is: its host, its registrable domain. Never a substring of either."""

from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """Return the host in lower case, or "" for what is no address, or not surely this one."""
    if "\\" in url:
        return ""  # browsers read it as a slash, and would go elsewhere
    try:
        return (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def site_of(url: str) -> str:
    """Return the registrable domain (`bbc.co.uk`), the host where there is none, or ""."""
    host = host_of(url)
    if not host:
        return ""
    from tld import get_fld  # noqa: PLC0415 only a run asks

    return get_fld(f"https://{host}", fail_silently=True) or host


def is_below(host: str, site: str) -> bool:
    """Whether a host is a site or part of it: `www.nature.com` of `nature.com`."""
    return host == site or host.endswith(f".{site}")
