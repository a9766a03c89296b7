"""DOIs and arXiv ids, in every form that they are written in, without their versions."""

import re
from html import unescape
from urllib.parse import parse_qs, unquote, urlsplit

from daemon.research.publishers import holds, is_publishers
from daemon.research.sites import host_of, is_below, site_of

_MAX_LENGTH = 4000  # characters of an address or identifier that are read
# Wiley and others once put a SICI into their DOIs: "(200110)57:1<25::AID-JBM1137>3.0.CO;2-H".
SICI = r"<(?=[^\s<>]*\d)[^\s\"<>/:]{1,20}::?+[^\s\"<>]{0,60}>"
_DOI = re.compile(rf"10\.\d{{4,9}}/(?:[^\s\"<>]|{SICI})+")
# A complete DOI, as in a record's field, may contain any sign except that of a closing tag.
_ALONE = re.compile(
    r"(?:doi:\s*|https?://(?:dx\.|www\.)?doi\.org/)?(10\.\d{4,9}/(?!\S*</)[^\s\"]+)", re.IGNORECASE
)
_IN_PATH = re.compile(r"/(?:doi|article|articles|content)/(?:[a-z]+/)*(10\.\d{4,9}/[^?#]+)", re.I)
# Suffixes that publishers append to a DOI in an address: "/full", ".pdf", bioRxiv's "v2.full".
_AFTER_DOI = re.compile(
    r"(?:/(?:full|abstract|abs|pdf|epdf|html|meta|summary|fulltext|references)/?"
    r"|(?:v\d+)?\.(?:full(?:\.pdf|-text)?|pdf|abstract|html)|v\d+)$",
    re.IGNORECASE,
)
# How bioRxiv, Research Square, Preprints.org, ChemRxiv and OSF number a preprint's versions.
_VERSIONED = re.compile(
    r"(10\.(?:1101|64898)/\d[\d.]*\d)v\d{1,2}"
    r"|(10\.21203/rs\.[\w.-]+)/v\d{1,2}"
    r"|(10\.20944/preprints[\d.]+)\.v\d{1,2}"
    r"|(10\.26434/chemrxiv[\w.-]+?)[.-]v\d{1,2}"
    r"|(10\.(?:31219|31234)/osf\.io/\w+?)_v\d{1,2}",
    re.IGNORECASE,
)
# Pages named after a part of their DOI.
_NATURE = re.compile(r"/articles/((?:s\d{5}-|nature|n[a-z]{2,8}\.)[\w.-]+)", re.IGNORECASE)
_ARXIV = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?", re.IGNORECASE)
# The paths under which arXiv, its mirrors and its readers show a paper by its id.
_ARXIV_PATHS = {
    "arxiv.org": re.compile(rf"/(?:abs|pdf|html|format|ps|src)/{_ARXIV.pattern}(?:\.pdf)?/?", re.I),
    "ar5iv.org": re.compile(rf"/(?:abs|html|papers)/{_ARXIV.pattern}/?", re.I),
    "alphaxiv.org": re.compile(
        rf"/(?:[a-z]{{2}}/)?(?:abs|pdf|overview)/{_ARXIV.pattern}(?:\.pdf)?/?", re.I
    ),
    "huggingface.co": re.compile(rf"/papers/{_ARXIV.pattern}/?", re.I),
}
_ARXIV_DOI = re.compile(rf"10\.48550/arxiv\.{_ARXIV.pattern}", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
# An address without its scheme, or with fewer slashes: "example.org/10.1000/1", "//example.org".
_BARE = re.compile(
    r"\A(?:(?:https?:)?/{0,2})(?=(?:[^\s/:@?#]*@)?(?!10\.)(?:[\w-]+\.)+[a-z]{2,}\.?(?::\d+)?[/?#])",
    re.IGNORECASE,
)
_CLOSING = {")": "(", "]": "[", "}": "{"}


def doi_of(text: str) -> str:
    """Return the bare DOI in lower case in `text` (any form, or an address), or "".

    A version's DOI counts as that of the work. An address names the DOI in its path, and only on
    sites with that DOI's pages.
    """
    url = _address(text)
    named = _plain(urlsplit(url).path) if url else _plain(text[:_MAX_LENGTH].strip())
    in_path = _IN_PATH.search(named) if not url or is_publishers(url) else None
    found = in_path[1] if in_path else _of_publisher(url)
    if not found and (not url or _is_resolver(url)):
        found = doi_in(named)
    found = found.partition("?")[0].partition("#")[0]
    found = _closed(_AFTER_DOI.sub("", found) if in_path else found)
    versioned = _VERSIONED.fullmatch(found)
    doi = (next(filter(None, versioned.groups())) if versioned else found).lower()
    return doi if not url or _is_resolver(url) or holds(url, doi) else ""


def doi_in(text: str) -> str:
    """Return the first DOI in a text as written there, version and all, or ""."""
    if alone := _ALONE.fullmatch(text.strip()):
        return _closed(alone[1])
    found = _DOI.search(text)
    return _closed(found[0]) if found else ""


def _closed(doi: str) -> str:
    """Strip what follows a DOI in a sentence."""
    doi = doi.rstrip(".,;:'\"*")
    while doi.endswith(tuple(_CLOSING)) and doi.count(doi[-1]) > doi.count(_CLOSING[doi[-1]]):
        doi = doi[:-1].rstrip(".,;")
    return doi


def arxiv_of(text: str) -> str:
    """Return the arXiv id without its version in an id, an address or a DOI, or ""."""
    url = _address(text)
    if url and not _is_resolver(url):
        found = _in_address(url)
    else:
        named = unquote(urlsplit(url).path if url else text[:_MAX_LENGTH].strip())
        found = _ARXIV_DOI.search(named) or re.fullmatch(
            rf"(?:arxiv:)?\s*{_ARXIV.pattern}", named, re.IGNORECASE
        )
    # Old ids had a redundant subject class: math.GT/0309136 is math/0309136.
    return re.sub(r"\.[a-z]{2}/", "/", found[1].lower()) if found else ""


def _in_address(url: str) -> re.Match[str] | None:
    """Find the id in the address of a page that shows a paper of arXiv's."""
    host, path = host_of(url), unquote(urlsplit(url).path)
    paths = (rule for site, rule in _ARXIV_PATHS.items() if is_below(host, site))
    return next((rule.fullmatch(path) for rule in paths), None)


def _address(text: str) -> str:
    """Return `text` as an address, with its scheme, if it is one; or "".

    Its host is read before anything is decoded: `https://nature.com%2f@example.org` is at
    example.org.
    """
    text = text[:_MAX_LENGTH].strip()
    if not _SCHEME.match(text):
        text = _BARE.sub("https://", text, count=1) if _BARE.match(text) else ""
    try:
        urlsplit(text)
    except ValueError:
        return "https://invalid/"
    return text


def _plain(text: str) -> str:
    return unescape(unquote(text).replace("\\_", "_"))


def _is_resolver(url: str) -> bool:
    return site_of(url) == "doi.org"


def _of_publisher(url: str) -> str:
    """Return the DOI of a page whose publisher uses an address form of its own."""
    host = host_of(url)
    if host in ("nature.com", "www.nature.com"):
        found = _NATURE.fullmatch(urlsplit(url).path.removesuffix(".pdf"))
        return f"10.1038/{found[1]}" if found else ""
    if host == "journals.plos.org":
        asked = parse_qs(urlsplit(url).query).get("id", [""])[0]
        return asked if _DOI.fullmatch(asked) else ""
    return ""
