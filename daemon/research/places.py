"""Whether a document stands at a place that a table names: by its DOI, its site, its path."""

from urllib.parse import urlsplit

from daemon.research.credibility import Place
from daemon.research.sites import host_of, is_below


def is_at(place: Place, doi: str, url: str) -> bool:
    """Whether a DOI begins as one of the place's, or an address is of one of its sites."""
    return any(doi.startswith(prefix) for prefix in place.dois if doi) or any(
        _is_under(url, site) for site in place.sites
    )


def _is_under(url: str, site: str) -> bool:
    """Whether an address is of a site, and under the path that may follow the site."""
    host, _, path = site.partition("/")
    if not is_below(host_of(url), host):
        return False
    under = urlsplit(url).path.strip("/").lower() + "/"
    return under.startswith(f"{path.strip('/')}/") if path else True
