"""Normalise addresses, so that two that lead to the same page are equal."""

import re
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from daemon.research.identifiers import arxiv_of, doi_of

_TRACKING = re.compile(
    r"^(?:utm_\w+|ga_\w+|mc_[ce]id|pk_\w+|mtm_\w+|hsa_\w+|vero_\w+|oly_\w+|_hs\w+|__hs\w+|fb_\w+"
    r"|wt[._]\w+|at_(?:medium|campaign|link\w*)|spm|scm|ns_\w+|cm_\w+|trk\w*|sc_\w+"
    r"|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|igsh"
    r"|mkt_tok|ref_?src|ref_?url|ref|referrer|source|cmpid|ncid|smid|soc_src|soc_trk|xtor|_ga|_gl"
    r"|sharetoken|campaign_id|amp|amp_js_v|usqp|outputtype|jsessionid|phpsessid)$",
    re.IGNORECASE,
)
_AMP_VALUES = frozenset({("output", "amp"), ("view", "amp"), ("format", "amp"), ("type", "amp")})
_AMP_CACHE = re.compile(r"^/(?:amp|[avciw])/(?:s/)?(?=[^/]+\.[^/]+)", re.IGNORECASE)
_AMP_TAIL = re.compile(r"(?:/amp/?|\.amp(?:\.html)?|/amp\.html)$", re.IGNORECASE)
_AMP_HEAD = re.compile(r"^/amp/(?=[^/])", re.IGNORECASE)
_HOST_START = re.compile(r"^(?:www\d?|amp)\.(?=[^.]+\.)")
_MOBILE = re.compile(r"^(?:m|mobile)\.(?=[^.]+\.)|(?<=\.)m\.(?=(?:wikipedia|wiktionary)\.)")
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?)$", re.IGNORECASE)
_SESSION = re.compile(r";(?:jsessionid|phpsessid)=[^/;]*", re.IGNORECASE)
_ARCHIVED = re.compile(r"^/web/\d{4,14}(?:[a-z]{2}_)?/(https?:/{1,2}.+)$", re.IGNORECASE)
_PUBMED = re.compile(r"^/pubmed/(\d+)/?$", re.IGNORECASE)
_PMC = re.compile(r"^/(?:pmc/)?articles/(PMC\d+)(?:/.*)?$", re.IGNORECASE)
_SAME_HOST = {
    "old.reddit.com": "reddit.com",
    "np.reddit.com": "reddit.com",
    "new.reddit.com": "reddit.com",
    "web.archive.org": "archive.org",
}


def canonical_url(url: str) -> str:
    """Normalise an address, so that two that lead to the same page are equal.

    Without scheme, `www`, tracking, fragment, AMP, archive and closing slash: `example.org/a?id=3`.
    Addresses that are not http(s) are unchanged. Never raises.
    """
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").rstrip(".")
        port = parts.port
    except ValueError:
        return url.strip()
    if parts.scheme.lower() not in ("http", "https") or not host:
        return url.strip()
    inner = _unwrapped(host, parts.path)
    if inner is not None:
        return canonical_url(inner + (f"?{parts.query}" if parts.query else ""))
    host = _in_ascii(_MOBILE.sub("", _HOST_START.sub("", host)))
    host = _SAME_HOST.get(host, host)
    place = host if port in (None, 80, 443) else f"{host}:{port}"
    if known := _by_identifier(url.strip(), host, parts.path):
        return known
    path = _SESSION.sub("", re.sub(r"/{2,}", "/", parts.path))
    path = _AMP_HEAD.sub("/", _AMP_TAIL.sub("", _INDEX.sub("", path)))
    path = quote(unquote(path), safe="/:@!$&'()*+,;=~-._").rstrip("/")
    query = _clean_query(parts.query)
    return f"{place}{path}{'?' + query if query else ''}"


def _by_identifier(url: str, host: str, path: str) -> str:
    """Return the one address of what has many: arXiv and its mirrors, resolvers, PubMed, PMC."""
    if arxiv := arxiv_of(url):
        return f"arxiv.org/abs/{arxiv}"
    if host in ("doi.org", "dx.doi.org") and (doi := doi_of(url)):
        return f"doi.org/{doi}"
    if host == "ncbi.nlm.nih.gov" and (found := _PUBMED.match(path)):
        return f"pubmed.ncbi.nlm.nih.gov/{found[1]}"
    if host in ("ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov") and (found := _PMC.match(path)):
        return f"pmc.ncbi.nlm.nih.gov/articles/{found[1].upper()}"
    return ""


def _unwrapped(host: str, path: str) -> str | None:
    """Return the original address behind an AMP cache or a web archive; None for any other."""
    if host == "web.archive.org":
        archived = _ARCHIVED.match(path)
        return re.sub(r"^(https?):/{1,2}", r"\1://", archived[1]) if archived else None
    is_cache = host.endswith(".cdn.ampproject.org") or (
        host in ("google.com", "www.google.com") and path.startswith("/amp/")
    )
    inner = _AMP_CACHE.sub("", path, count=1) if is_cache else path
    return f"https://{inner.lstrip('/')}" if inner != path else None


def _in_ascii(host: str) -> str:
    """Return a host in its ASCII form: `bücher.example` is `xn--bcher-kva.example`."""
    try:
        return host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError:
        return host


def _clean_query(query: str) -> str:
    kept = [
        (name, value)
        for name, value in parse_qsl(query, keep_blank_values=True)
        if not _TRACKING.match(name) and (name.lower(), value.lower()) not in _AMP_VALUES
    ]
    return urlencode(sorted(kept))
