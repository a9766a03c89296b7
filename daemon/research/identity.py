"""What makes a document the same document, wherever it was found: DOI, arXiv id, address."""

import re
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from tld import get_fld

from daemon.model.evidence import Hit

_LONGEST = 4000  # characters of an address or identifier that are looked at
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
_IN_PATH = re.compile(r"/(?:doi|article|articles|content)/(?:[a-z]+/)*(10\.\d{4,9}/[^?#]+)", re.I)
# What publishers hang on a DOI in an address: "/full", ".pdf", bioRxiv's "v2.full".
_AFTER_DOI = re.compile(
    r"(?:/(?:full|abstract|abs|pdf|epdf|html|meta|summary|fulltext|references)/?"
    r"|(?:v\d+)?\.(?:full(?:\.pdf|-text)?|pdf|abstract|html)|v\d+)$",
    re.IGNORECASE,
)
_ARXIV = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?", re.IGNORECASE)
_ARXIV_PATH = re.compile(rf"/(?:abs|pdf|html|format|ps|src)/{_ARXIV.pattern}", re.IGNORECASE)
_ARXIV_DOI = re.compile(rf"10\.48550/arxiv\.{_ARXIV.pattern}", re.IGNORECASE)

_TRACKING = re.compile(
    r"^(?:utm_\w+|ga_\w+|mc_[ce]id|pk_\w+|mtm_\w+|hsa_\w+|vero_\w+|oly_\w+|_hs\w+|__hs\w+|fb_\w+"
    r"|wt[._]\w+|at_(?:medium|campaign|link\w*)|spm|scm|ns_\w+|cm_\w+|trk\w*|sc_\w+"
    r"|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|igsh"
    r"|mkt_tok|ref_?src|ref_?url|ref|referrer|source|cmpid|ncid|smid|soc_src|soc_trk|xtor|_ga|_gl"
    r"|sharetoken|campaign_id|amp|amp_js_v|usqp|outputtype)$",
    re.IGNORECASE,
)
_AMP_VALUES = frozenset({("output", "amp"), ("view", "amp"), ("format", "amp"), ("type", "amp")})
_AMP_CACHE = re.compile(r"^/(?:amp|[avciw])/(?:s/)?(?=[^/]+\.[^/]+)", re.IGNORECASE)
_AMP_TAIL = re.compile(r"(?:/amp/?|\.amp(?:\.html)?|/amp\.html)$", re.IGNORECASE)
_HOST_START = re.compile(r"^(?:www\d?|amp)\.")
_MOBILE = re.compile(r"^(?:m|mobile)\.(?=[^.]+\.)|(?<=\.)m\.(?=(?:wikipedia|wiktionary)\.)")
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?)$", re.IGNORECASE)


def doi_of(text: str) -> str:
    """Return the bare DOI in lower case that `text` (any form, or an address) names, or ""."""
    text = unquote(text[:_LONGEST].strip()).replace("\\_", "_")
    in_path = _IN_PATH.search(text)
    found = in_path[1] if in_path else ""
    if not found and not _is_elsewhere(text):
        bare = _DOI.search(text)
        found = bare[0] if bare else ""
    found = found.partition("?")[0].partition("#")[0]
    if in_path:
        found = _AFTER_DOI.sub("", found)
    found = found.rstrip(".,;:'\"*")
    while found.endswith((")", "]", "}")) and found.count(found[-1]) > found.count(
        {")": "(", "]": "[", "}": "{"}[found[-1]]
    ):
        found = found[:-1].rstrip(".,;")
    return found.lower()


def arxiv_of(text: str) -> str:
    """Return the arXiv id without its version that an id, an address or a DOI names, or ""."""
    text = unquote(text[:_LONGEST].strip())
    found = _ARXIV_DOI.search(text)
    if found is None and "arxiv.org" in text.lower():
        found = _ARXIV_PATH.search(text)
    if found is None:
        found = re.fullmatch(rf"(?:arxiv:)?\s*{_ARXIV.pattern}", text, re.IGNORECASE)
    # Old ids came with a subject class that says nothing more: math.GT/0309136 is math/0309136.
    return re.sub(r"\.[a-z]{2}/", "/", found[1].lower()) if found else ""


def canonical_url(url: str) -> str:
    """Bring an address into the form in which two that lead to the same page are equal.

    Without scheme, `www`, tracking, fragment, AMP and closing slash: `example.org/a?id=3`.
    Addresses that are not http(s) stay as they are. Never raises.
    """
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").rstrip(".")
        port = parts.port
    except ValueError:
        return url.strip()
    if parts.scheme.lower() not in ("http", "https") or not host:
        return url.strip()
    unwrapped = _unwrap_amp(host, parts.path)
    if unwrapped is not None:
        query = f"?{parts.query}" if parts.query else ""
        return canonical_url(f"https://{unwrapped}{query}")
    host = _MOBILE.sub("", _HOST_START.sub("", host))
    place = host if port in (None, 80, 443) else f"{host}:{port}"
    path = _AMP_TAIL.sub("", _INDEX.sub("", re.sub(r"/{2,}", "/", parts.path)))
    path = quote(unquote(path), safe="/:@!$&'()*+,;=~-._").rstrip("/")
    query = _clean_query(parts.query)
    return f"{place}{path}{'?' + query if query else ''}"


def keys_of(hit: Hit) -> tuple[str, ...]:
    """All identities that a hit shows, the strongest first."""
    arxiv = arxiv_of(hit.arxiv_id) or arxiv_of(hit.url) or arxiv_of(hit.doi)
    doi = doi_of(hit.doi) or doi_of(hit.url)
    found = []
    if doi and not arxiv_of(doi):
        found.append(f"doi:{doi}")
    if arxiv:
        found.append(f"arxiv:{arxiv}")
    for url in (hit.url, hit.content_url):
        if url.startswith("file:"):
            found.append(url)  # where it is, not what it is: its content is its key, once read
        elif url and not (found and arxiv_of(url)):
            found.append(f"url:{canonical_url(url)}")
    return tuple(dict.fromkeys(found))


def site_of(url: str) -> str:
    """Return the registrable domain (`bbc.co.uk`), the host where there is none, or ""."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return ""
    if not host:
        return ""
    return get_fld(f"https://{host}", fail_silently=True) or host


def _is_elsewhere(text: str) -> bool:
    """Whether `text` is an address whose DOI, if it holds one, is not surely the page's own."""
    return "://" in text and site_of(text) != "doi.org"


def _unwrap_amp(host: str, path: str) -> str | None:
    """Return what an AMP cache shows, or None when this is no AMP cache."""
    is_cache = host.endswith(".cdn.ampproject.org") or (
        host.startswith("www.google.") and path.startswith("/amp/")
    )
    inner = _AMP_CACHE.sub("", path, count=1) if is_cache else path
    return inner.lstrip("/") if inner != path else None


def _clean_query(query: str) -> str:
    kept = [
        (name, value)
        for name, value in parse_qsl(query, keep_blank_values=True)
        if not _TRACKING.match(name) and (name.lower(), value.lower()) not in _AMP_VALUES
    ]
    return urlencode(sorted(kept))
