"""Whether a document is at a place in a table: by its DOI, its site, its path."""

from functools import lru_cache
from urllib.parse import urlsplit

from daemon.research.credibility import Place
from daemon.research.sites import host_of, is_below


def is_at(place: Place, doi: str, url: str) -> bool:
    """Return whether a DOI has one of the place's prefixes, or an address is on one of its
    sites.
    """
    if any(doi.startswith(prefix) for prefix in place.dois if doi):
        return True
    own = host_of(url)
    # Tables name hundreds of sites, and a run checks hundreds of addresses.
    if not own or _hosts(place.sites).isdisjoint(_above(own)):
        return False
    return any(_is_under(url, own, site) for site in place.sites)


@lru_cache(maxsize=1024)
def _hosts(sites: tuple[str, ...]) -> frozenset[str]:
    return frozenset(site.partition("/")[0] for site in sites)


def _above(host: str) -> list[str]:
    """Return a host and its parent domains."""
    labels = host.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]


def _is_under(url: str, own: str, site: str) -> bool:
    """Return whether an address on the host `own` is on a site, and under its path, if any."""
    host, _, path = site.partition("/")
    if not is_below(own, host):
        return False
    under = urlsplit(url).path.strip("/").lower() + "/"
    return under.startswith(f"{path.strip('/')}/") if path else True
