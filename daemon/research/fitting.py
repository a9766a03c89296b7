"""Whether an index's record is of a file of the user's own: what a file claims is not enough."""

from pathlib import PurePosixPath
from urllib.parse import urlsplit

from daemon.model.evidence import Hit, SourceType
from daemon.research.records import Record

_QUOTED = 0.5  # share of a record's abstract that stands in the text, where both are known
_PAGES = (".htm", ".html", ".mht", ".mhtml", ".shtml", ".xht", ".xhtml")


def fits(hit: Hit, document: Record, record: Record) -> bool:
    """Whether `record`, which an index returned, is of the user's own file `hit`.

    Title and authors agree, and so does the abstract. No page of the web ever fits, and no saved
    one: it is a work's only where the record names its address, which their keys show.
    """
    return (
        hit.source_type is SourceType.LIBRARY
        and hit.url == hit.file
        and not is_saved_page(hit)
        and document.has_title_of(record)
        and document.is_of_same_people(record) is True
        and bool(document.authors and record.authors)
        and not document.contradicts(record)
        and has_text_of(document, record)
    )


def is_saved_page(hit: Hit) -> bool:
    """Whether the user's own file is a saved page of the web, from wherever it says it is."""
    return PurePosixPath(urlsplit(hit.file).path).suffix.lower() in _PAGES


def has_text_of(document: Record, record: Record) -> bool:
    """Whether the text does not speak against the abstract, where both are long enough."""
    text, abstract = document.text, record.abstract
    if not (text.is_telling and abstract.is_telling and len(text.runs) >= len(abstract.runs)):
        return True
    return abstract.share(text) >= _QUOTED
