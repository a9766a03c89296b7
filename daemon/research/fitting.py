"""Whether an index's record fits a page or a file: what it claims to be is not enough."""

from daemon.model.evidence import Hit, SourceType
from daemon.research.identity import doi_of
from daemon.research.publishers import may_show
from daemon.research.records import Record

_QUOTED = 0.5  # share of a record's abstract that stands in the text, where both are known


def fits(hit: Hit, document: Record, indexed: Hit, record: Record) -> bool:
    """Whether `indexed`, which an index returned, is of the page or the user's file `hit`.

    Title and authors agree, and a page lies on a publisher's or a known repository's site. That a
    record names the page's own address is seen from their keys.
    """
    is_own = hit.source_type is SourceType.LIBRARY and hit.url == hit.file
    return (
        (is_own or may_show(hit.url, doi_of(indexed.doi)))
        and document.has_title_of(record)
        and document.is_of_same_people(record) is True
        and bool(document.authors and record.authors)
        and not document.contradicts(record)
        and _has_text_of(document, record)
    )


def _has_text_of(document: Record, record: Record) -> bool:
    """Whether the text does not speak against the abstract, where both are long enough."""
    text, abstract = document.text, record.abstract
    if not (text.is_telling and abstract.is_telling and len(text.runs) >= len(abstract.runs)):
        return True
    return abstract.share(text) >= _QUOTED
