"""What makes a document the same document, wherever it was found: DOI, arXiv id, address."""

from daemon.model.evidence import Hit, SourceType
from daemon.research.addresses import canonical_url
from daemon.research.identifiers import arxiv_of, doi_of
from daemon.research.sites import site_of

__all__ = ["arxiv_of", "canonical_url", "doi_of", "keys_of", "site_of"]


def keys_of(hit: Hit) -> tuple[str, ...]:
    """All identities that a hit shows, the strongest first.

    The user's own file that no index knows has only its place: what it says of itself is a claim.
    """
    if hit.source_type is SourceType.LIBRARY and hit.file:
        return (hit.file,)
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
