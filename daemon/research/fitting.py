"""Whether an index's record belongs to the user's own file: the file's claims are not enough."""

from pathlib import PurePosixPath
from urllib.parse import urlsplit

from daemon.model.evidence import Hit, SourceType
from daemon.research.records import Record

_QUOTED = 0.5  # share of a record's abstract that must be in the text, if both are known
_PAGES = (".htm", ".html", ".mht", ".mhtml", ".shtml", ".xht", ".xhtml")


def fits(hit: Hit, document: Record, record: Record) -> bool:
    """Return whether `record`, from an index, belongs to the user's own file `hit`.

    Title and authors must match, and so must the abstract. No web page ever matches, not even a
    saved one: it is a work's only if the record contains its address.
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
    """Return whether the user's own file is a saved web page, whatever address it claims."""
    return PurePosixPath(urlsplit(hit.file).path).suffix.lower() in _PAGES


def has_text_of(document: Record, record: Record) -> bool:
    """Return whether the text is consistent with the abstract, if both are long enough."""
    text, abstract = document.text, record.abstract
    if not (
        text.is_distinctive and abstract.is_distinctive and len(text.runs) >= len(abstract.runs)
    ):
        return True
    return abstract.share(text) >= _QUOTED
