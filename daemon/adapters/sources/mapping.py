"""Records in a service's answer, and what each says of a document, by the paths in `results`."""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from daemon.adapters.sources.entry import Entry, Results
from daemon.adapters.sources.paths import at, bare, fault
from daemon.adapters.sources.record import (
    count_of,
    day_of,
    day_of_parts,
    doi_of,
    doi_page,
    first,
    names_of,
    text_of,
    web_of,
)
from daemon.adapters.sources.reply import TroubleError, plain, unavailable
from daemon.model.errors import SourceError
from daemon.model.evidence import Hit

MAX_RECORDS = 500
_MAX_DIGITS = 20  # digits of a number that is written as a text
_MAX_FIGURE = 1e18  # no market is worth as much; a number of 4,000 digits is an attack
_MAX_FIGURES = 40
_LATEST = 4e12  # milliseconds since 1970; a larger number is no time
_DEPTH = 4  # of nested objects in which a list of records is looked for
# What fields are usually called; compared without case, spaces, hyphens and underscores.
DEFAULT_NAMES = {
    "title": ("title", "name", "headline"),
    "url": ("url", "link", "href", "uri", "weburl", "htmlurl", "landingpageurl", "pdfurl"),
    "text": ("abstract", "summary", "snippet", "description", "text", "content", "body"),
    "date": (
        "published",
        "publisheddate",
        "publicationdate",
        "publishedat",
        "date",
        "year",
        "createdat",
        "updatedat",
    ),
    "authors": ("authors", "author", "creators", "by"),
    "doi": ("doi",),
    "citations": ("citations", "citationcount", "citedbycount", "citedby"),
}
_ERRORS = ("error", "errors", "error_message", "errMsg", "message", "msg", "detail", "reason")
_SUCCESS = ("success", "ok")
_PEOPLE = ("name", "fullName", "full_name", "display_name", "displayName")
_YEAR = re.compile(r"(?:1[4-9]|20|21)\d\d")


def check_paths(results: Results) -> None:
    """Raises SourceError that names the field with a path that cannot be read."""
    for field, path in results:
        if path and (why := fault(path)):
            raise SourceError(f"results.{field}: {why}")


def records_at(given: Any, path: str) -> list[dict[str, Any]]:
    """Return the records at `path`, or the first list found. Raises TroubleError without one."""
    found = at(given, path) if path else given
    if path and found is None:
        message = error_in(given)
        raise unavailable(
            f"reports an error: {message}"
            if message
            else f"the answer has nothing at `results.records` ({path})"
        )
    listed = _list_in(found, _DEPTH)
    if listed is None:
        raise _no_records(given)
    return [record for record in listed if isinstance(record, dict)][:MAX_RECORDS]


def hits_of(
    records: list[dict[str, Any]], entry: Entry, source: str
) -> tuple[tuple[Hit, ...], str]:
    """Read records; return the hits, and what is missing from them or "".

    Raises TroubleError if there are records but none has the address of its document.
    """
    read = [_readable(record, entry, source) for record in records]
    hits = tuple(hit for hit in read if hit is not None)
    missing = len(read) - len(hits)
    if missing and not hits:
        raise unavailable(f"none of {missing} results has an address; {_where(entry.results)}")
    if hits and entry.results.title and all(hit.title == hit.url for hit in hits):
        return (
            hits,
            f"no title: the results have nothing at `results.title` ({entry.results.title})",
        )
    return hits, f"{missing} of {len(read)} results have no address" if missing else ""


def hit_of(record: Mapping[str, Any], entry: Entry, source: str) -> Hit | None:
    """Read a record; None when nothing in it says where the document is."""
    where = entry.results

    def value(field: str) -> Any:
        if path := getattr(where, field):
            return at(record, path)
        named = {bare(name): each for name, each in record.items()}
        return next((named[name] for name in DEFAULT_NAMES[field] if named.get(name)), None)

    link, doi = first(value("url")), first(value("doi"))
    doi = doi_of(doi) or doi_of(link)
    url = web_of(link) or doi_page(doi)
    if not url:
        return None
    return Hit(
        source=source,
        source_type=entry.source_type,
        url=url,
        title=plain(first(value("title"))) or url,
        snippet=_prose(value("text")),
        authors=_people(value("authors")),
        published=_day(value("date")),
        doi=doi,
        citations=count_of(_number(value("citations"))),
        figures=tuple(_figures(record, entry)),
    )


def error_in(given: Any) -> str:
    """Return the error message in an answer without records, in one line, or ""."""
    if not isinstance(given, dict):
        return ""
    for name in _ERRORS:
        error = first(given.get(name))
        if isinstance(error, dict):
            error = next((error[each] for each in _ERRORS if error.get(each)), "")
        if isinstance(error, str) and plain(error) and plain(error).lower() not in _SUCCESS:
            return plain(error)[:200]
    return ""


def _readable(record: Mapping[str, Any], entry: Entry, source: str) -> Hit | None:
    """Read one record; None for one without an address, or with values that cannot be read."""
    try:
        return hit_of(record, entry, source)
    except (ValueError, OverflowError, TypeError, RecursionError):
        return None


def _where(results: Results) -> str:
    if results.url:
        return f"they have nothing at `results.url` ({results.url})"
    return "`results.url` says where it is"


def _figures(record: Mapping[str, Any], entry: Entry) -> Iterator[tuple[str, str]]:
    """The numbers of structured data, each by its name."""
    if entry.content_type != "structured_data":
        return
    path = entry.results.figures
    found = at(record, path) if path else record
    named = list(found.items())[:_MAX_FIGURES] if isinstance(found, dict) else []
    for name, value in named:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and abs(value) < _MAX_FIGURE and math.isfinite(value):
            yield plain(str(name).replace("_", " ")), f"{value:,}"


def _list_in(value: Any, depth: int) -> list[Any] | None:
    """The first list of objects, or an empty one; one object that leads somewhere is a list."""
    if isinstance(value, list):
        return value if not value or any(isinstance(each, dict) for each in value) else None
    if not isinstance(value, dict) or depth == 0:
        return None
    found = [_list_in(each, depth - 1) for each in value.values()]
    filled = next((each for each in found if each), None)
    if filled is not None and not _path_to(value):
        return filled
    if _path_to(value):
        return [value]
    return next((each for each in found if each is not None), None)


def _path_to(value: Mapping[str, Any]) -> bool:
    named = {bare(name): each for name, each in value.items()}
    return any(web_of(named.get(name)) for name in DEFAULT_NAMES["url"]) or bool(
        doi_of(named.get("doi"))
    )


def _no_records(given: Any) -> TroubleError:
    if message := error_in(given):
        return unavailable(f"reports an error: {message}")
    return unavailable(
        "the answer contains no records; set their path in `results` in sources.yaml"
    )


def _prose(value: Any) -> str:
    if isinstance(value, list):
        value = "\n".join(each for each in value if isinstance(each, str))
    return text_of(value)


def _people(value: Any) -> tuple[str, ...]:
    """Names from a list, or from one text: parted by semicolons, or commas between full names."""
    if isinstance(value, str):
        pieces = value.split(";") if ";" in value else re.split(r",\s+|\s+and\s+", value)
        value = pieces if all(" " in piece.strip() for piece in pieces) else [value]
    return names_of(value, *_PEOPLE)


def _day(value: Any) -> str:
    if isinstance(value, list):
        return day_of_parts(value) or _day(first(value))
    if isinstance(value, int | float):
        return str(value) if _YEAR.fullmatch(str(value)) else day_of(_seconds(value))
    if not isinstance(value, str) or day_of(value):
        return day_of(value)
    try:
        return parsedate_to_datetime(value).astimezone(UTC).date().isoformat()
    except (ValueError, OverflowError):
        return ""


def _seconds(value: float) -> float:
    """Unix time in seconds, from that or from milliseconds."""
    return value if isinstance(value, bool) or value < 4e9 or value > _LATEST else value / 1000


def _number(value: Any) -> Any:
    if isinstance(value, str) and len(value) < _MAX_DIGITS and value.isascii():
        return int(value) if value.isdigit() else value
    return value
