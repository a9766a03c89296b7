"""DOIs and arXiv ids, in every form that they are written in, without their versions."""

import re
from urllib.parse import parse_qs, unquote, urlsplit

from daemon.research.sites import host_of, is_below, site_of

_LONGEST = 4000  # characters of an address or identifier that are looked at
# Wiley once put a SICI into its DOIs: "(200110)57:1<25::AID-JBM1137>3.0.CO;2-H".
_DOI = re.compile(r"10\.\d{4,9}/(?:[^\s\"<>]|<\d+::[^\s\"<>]{1,40}>)+")
_IN_PATH = re.compile(r"/(?:doi|article|articles|content)/(?:[a-z]+/)*(10\.\d{4,9}/[^?#]+)", re.I)
# What publishers hang on a DOI in an address: "/full", ".pdf", bioRxiv's "v2.full".
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
# Whose addresses hold the DOI of the page. Anybody can write one into an address of their own.
_PUBLISHER_SITES = """
    aacrjournals.org academic.oup.com acm.org acpjournals.org acs.org agu.org ahajournals.org
    aip.org ajtmh.org ametsoc.org annualreviews.org apa.org aphapublications.org aps.org
    ascopubs.org asm.org atsjournals.org biomedcentral.com bioone.org biorxiv.org bmj.com
    brill.com cambridge.org cell.com chemrxiv.org copernicus.org cshlp.org degruyter.com
    degruyterbrill.com direct.mit.edu dovepress.com elifesciences.org elsevier.com embopress.org
    emerald.com europepmc.org f1000research.com frontiersin.org genetics.org geoscienceworld.org
    healthaffairs.org hindawi.com ieee.org informs.org iop.org iucr.org jamanetwork.com jbc.org
    jmir.org jneurosci.org journals.uchicago.edu karger.com liebertpub.com lww.com mdpi.com
    medrxiv.org nature.com nejm.org optica.org osf.io peerj.com physiology.org plos.org pnas.org
    portlandpress.com preprints.org psychiatryonline.org researchsquare.com
    royalsocietypublishing.org rsc.org rupress.org sagepub.com science.org sciencedirect.com
    sciendo.com scitation.org siam.org spiedigitallibrary.org springer.com springeropen.com
    ssrn.com tandfonline.com thelancet.com thieme-connect.com wellcomeopenresearch.org wiley.com
    worldscientific.com zenodo.org
"""
_PUBLISHERS = tuple(_PUBLISHER_SITES.split())
# Pages that are named after a part of their DOI.
_NATURE = re.compile(r"/articles/((?:s\d{5}-|nature|n[a-z]{2,8}\.)[\w.-]+)$", re.IGNORECASE)
_ARXIV = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?", re.IGNORECASE)
_ARXIV_PATH = re.compile(
    rf"/(?:abs|pdf|html|format|ps|src|papers|overview)/{_ARXIV.pattern}", re.IGNORECASE
)
_ARXIV_DOI = re.compile(rf"10\.48550/arxiv\.{_ARXIV.pattern}", re.IGNORECASE)
# Where an address with an arXiv id leads to that paper: arXiv, its mirrors, and its readers.
_ARXIV_SITES = frozenset({"arxiv.org", "ar5iv.org", "alphaxiv.org", "huggingface.co"})
_CLOSING = {")": "(", "]": "[", "}": "{"}


def doi_of(text: str) -> str:
    """Return the bare DOI in lower case that `text` (any form, or an address) names, or "".

    A version's DOI is that of the work.
    """
    text = unquote(text[:_LONGEST].strip()).replace("\\_", "_")
    in_path = _IN_PATH.search(text) if "://" not in text or _is_of_publisher(text) else None
    found = in_path[1] if in_path else _of_publisher(text)
    if not found and not _is_elsewhere(text):
        bare = _DOI.search(text)
        found = bare[0] if bare else ""
    found = found.partition("?")[0].partition("#")[0]
    if in_path:
        found = _AFTER_DOI.sub("", found)
    found = found.rstrip(".,;:'\"*")
    while found.endswith(tuple(_CLOSING)) and found.count(found[-1]) > found.count(
        _CLOSING[found[-1]]
    ):
        found = found[:-1].rstrip(".,;")
    versioned = _VERSIONED.fullmatch(found)
    return (next(filter(None, versioned.groups())) if versioned else found).lower()


def arxiv_of(text: str) -> str:
    """Return the arXiv id without its version that an id, an address or a DOI names, or ""."""
    text = unquote(text[:_LONGEST].strip())
    found = _ARXIV_DOI.search(text)
    if found is None and "://" in text and site_of(text) in _ARXIV_SITES:
        found = _ARXIV_PATH.search(text)
    if found is None:
        found = re.fullmatch(rf"(?:arxiv:)?\s*{_ARXIV.pattern}", text, re.IGNORECASE)
    # Old ids came with a subject class that says nothing more: math.GT/0309136 is math/0309136.
    return re.sub(r"\.[a-z]{2}/", "/", found[1].lower()) if found else ""


def _is_of_publisher(url: str) -> bool:
    host = host_of(url)
    return any(is_below(host, site) for site in _PUBLISHERS)


def _is_elsewhere(text: str) -> bool:
    """Whether `text` is an address whose DOI, if it holds one, is not surely the page's own."""
    return "://" in text and site_of(text) != "doi.org"


def _of_publisher(text: str) -> str:
    """Return the DOI of a page that its publisher names by it in a way of its own."""
    host = host_of(text) if "://" in text else ""
    if host in ("nature.com", "www.nature.com"):
        found = _NATURE.search(urlsplit(text).path.removesuffix(".pdf"))
        return f"10.1038/{found[1]}" if found else ""
    if host == "journals.plos.org":
        asked = parse_qs(urlsplit(text).query).get("id", [""])[0]
        return asked if _DOI.fullmatch(asked) else ""
    return ""
