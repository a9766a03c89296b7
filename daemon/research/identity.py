"""The identity of a document, wherever it was found: DOI, arXiv id, address."""

import re
from collections.abc import Iterable

from daemon.model.evidence import Hit, SourceType
from daemon.research.canonical_addresses import canonical_url
from daemon.research.identifiers import arxiv_of, doi_of
from daemon.research.sites import host_of, is_below, site_of

__all__ = ["arxiv_of", "canonical_url", "doi_of", "is_record", "keys_of", "site_of"]

_RECORDS = (SourceType.PAPER, SourceType.PREPRINT)
_PUBMED = re.compile(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov/|europepmc\.org/(?:article|abstract)/MED/)(\d+)", re.I
)
_PMC = re.compile(
    r"(?:(?:pmc\.)?ncbi\.nlm\.nih\.gov/(?:pmc/)?articles/|europepmc\.org/(?:articles?/)(?:PMC/)?)"
    r"(PMC\d+)",
    re.I,
)


def is_record(hit: Hit) -> bool:
    """Return whether an index returned it: authority, citations and identity come from records
    only.
    """
    return hit.source_type in _RECORDS


def keys_of(hit: Hit) -> tuple[str, ...]:
    """Return all identities of a hit, strongest first.

    A page has those in its address; the user's own file has its path. What they say about
    themselves is only a claim. An identifier without an address stands for its work.
    """
    if hit.source_type is SourceType.LIBRARY and hit.file:
        return (hit.file,)
    claims = (hit.arxiv_id, hit.doi) if is_record(hit) or not hit.url else ("", "")
    arxiv = arxiv_of(claims[0]) or arxiv_of(hit.url) or arxiv_of(claims[1])
    doi = doi_of(claims[1]) or doi_of(hit.url)
    found = []
    if doi and not arxiv_of(doi):
        found.append(f"doi:{doi}")
    if arxiv:
        found.append(f"arxiv:{arxiv}")
    for url in (hit.url, hit.content_url) if is_record(hit) else (hit.url,):
        if url.startswith("file:"):
            found.append(url)  # where it is, not what it is: once read, its content is its key
        elif url and not (found and arxiv_of(url)):
            found.append(f"url:{canonical_url(url)}")
    return tuple(dict.fromkeys((*found, *_numbers(hit.url))))


def _numbers(url: str) -> list[str]:
    """Return the PubMed and PubMed Central ids in an address."""
    if not any(is_below(host_of(url), site) for site in ("ncbi.nlm.nih.gov", "europepmc.org")):
        return []
    place = canonical_url(url)
    found = (("pmid", _PUBMED.match(place)), ("pmcid", _PMC.match(place)))
    return [f"{kind}:{match[1].lower()}" for kind, match in found if match]


def strength(key: str) -> tuple[int, str]:
    """Return the order of keys: the best identifying one is the least."""
    kinds = ("doi", "arxiv", "url", "sha256")
    kind = key.partition(":")[0]
    return (kinds.index(kind) if kind in kinds else len(kinds), key)


def strongest(keys: Iterable[str]) -> str | None:
    """Return the best identifying key: DOI, arXiv id, address, content."""
    return min(keys, key=strength, default=None)
