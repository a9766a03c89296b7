"""What a document is weighed as: the work in an index's record, or a page of its site."""

from dataclasses import replace

from daemon.model.evidence import Document, Hit, SourceType
from daemon.research.canonical_addresses import canonical_url
from daemon.research.identity import doi_of, is_record, site_of
from daemon.research.likeness import Print
from daemon.research.people_names import surnames
from daemon.research.publishers import may_lead_to, may_show
from daemon.research.titles import plain_title

_BEGINNING = 5000  # characters of a text in which its title must occur
_TITLE_WORDS = 0.8  # share of a title's significant words that must occur there
_SHORT = 4  # letters of the shortest significant word
_ABSTRACT = 0.2  # share of an abstract's runs of five words that the full text must have


def weighed_as(document: Document) -> Hit:
    """Return the hit by which a document is weighed: its record if that matches, or else its page.

    A page is weighed by its final address, and nothing that it claims about itself counts.
    """
    hit = document.hit
    ended = document.final_url
    if not ended.startswith(("http://", "https://")):
        return hit  # the user's own file: its record was compared when it was looked up
    if is_record(hit):
        is_sure = hit.retracted or document.extracted_by == "abstract"
        if is_sure or (is_at_its_place(hit, ended) and _fits(document)):
            return hit
    elif hit.source_type is SourceType.LIBRARY:
        return hit
    return replace(_without_claims(hit), url=f"https://{canonical_url(ended)}", content_url="")


def is_at_its_place(hit: Hit, ended: str) -> bool:
    """Return whether a work of a record may be found at the address `ended`.

    It must be on a site that the record names, to which one of its addresses may redirect, or where
    the work of its DOI is published.
    """
    if not ended.startswith(("http://", "https://")):
        return True
    ended = f"https://{canonical_url(ended)}"  # that of the page that an archive shows
    named = [url for url in (hit.url, hit.content_url) if url]
    return (
        site_of(ended) in {site_of(f"https://{canonical_url(url)}") for url in named} - {""}
        or any(may_lead_to(url, ended) for url in named)
        or may_show(ended, doi_of(hit.doi))
    )


def _without_claims(hit: Hit) -> Hit:
    """Return a hit as a web page: fields that only a record may state are removed."""
    if is_record(hit):
        hit = replace(hit, source="", source_type=SourceType.WEB)  # no index returned the page
    bare = replace(hit, doi="", arxiv_id="", venue="", claimed_doi="")
    return replace(bare, citations=None, retracted=False)


def _fits(document: Document) -> bool:
    """Return whether the fetched text is that of the work."""
    hit, ended = document.hit, document.final_url
    if may_show(ended, doi_of(hit.doi)):
        return True
    words = {word for word in plain_title(hit.title).split() if len(word) >= _SHORT}
    if not words:
        return True
    beginning = plain_title(document.text[:_BEGINNING]).split()
    share = len(words.intersection(beginning)) / len(words)
    is_signed = bool(hit.authors) and not surnames(hit.authors[0]).isdisjoint(beginning)
    abstract = Print(hit.snippet)
    return (
        share >= _TITLE_WORDS
        or (is_signed and share >= _TITLE_WORDS / 2)
        or (abstract.is_distinctive and abstract.share(Print(document.text)) >= _ABSTRACT)
    )
