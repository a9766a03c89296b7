"""What a document is weighed as: the work that an index's record names, or a page of its site."""

from dataclasses import replace

from daemon.model.evidence import Document, Hit, SourceType
from daemon.research.addresses import canonical_url
from daemon.research.identity import doi_of, is_record, site_of
from daemon.research.likeness import Print
from daemon.research.names import surnames
from daemon.research.publishers import may_show
from daemon.research.titles import plain_title

_BEGINNING = 5000  # characters of a text in which its title stands
_TITLE_WORDS = 0.8  # share of the telling words of a title that stand there
_SHORT = 4  # letters of the shortest word that tells
_ABSTRACT = 0.2  # share of an abstract's runs of five words that its full text has


def weighed_as(document: Document) -> Hit:
    """Return the hit by which a document is weighed: its record if that fits, or else its page.

    A page is weighed where it was found in the end, and nothing that it says of itself counts.
    """
    hit = document.hit
    ended = document.final_url
    if not ended.startswith(("http://", "https://")):
        return hit  # the user's own file: its record was compared when it was looked up
    if is_record(hit):
        if _fits(document):
            return hit
        hit = replace(hit, source_type=SourceType.WEB, doi="", arxiv_id="", citations=None)
    elif hit.source_type is SourceType.LIBRARY:
        return hit
    return replace(hit, url=f"https://{canonical_url(ended)}", content_url="")


def _fits(document: Document) -> bool:
    """Whether what came is the work of the record that led to it."""
    hit, ended = document.hit, document.final_url
    if document.extracted_by == "abstract" or may_show(ended, doi_of(hit.doi)):
        return True
    is_named = site_of(ended) in {site_of(hit.url), site_of(hit.content_url)}
    words = {word for word in plain_title(hit.title).split() if len(word) >= _SHORT}
    if not words:
        return is_named
    beginning = plain_title(document.text[:_BEGINNING]).split()
    share = len(words.intersection(beginning)) / len(words)
    is_signed = bool(hit.authors) and not surnames(hit.authors[0]).isdisjoint(beginning)
    abstract = Print(hit.snippet)
    return (
        share >= _TITLE_WORDS
        or (is_signed and share >= _TITLE_WORDS / 2)
        or (is_named and abstract.is_telling and abstract.share(Print(document.text)) >= _ABSTRACT)
    )
