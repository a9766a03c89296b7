"""What an MCP tool gave, read as records: structured data, JSON in text, or lines with labels."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from daemon.adapters.sources.entry import Entry
from daemon.adapters.sources.record import (
    count_of,
    day_of,
    doi_of,
    doi_page,
    names_of,
    text_of,
    web_of,
)
from daemon.adapters.sources.reply import TroubleError, plain, unavailable
from daemon.model.evidence import Hit

MOST_RECORDS = 500
_LONGEST_NUMBER = 20  # digits of a number that is written as a text
_LATEST = 4e12  # milliseconds since 1970; a larger number is no time
_DEPTH = 4  # of nested objects in which a list of records is looked for
# What fields are usually called; compared without case, spaces, hyphens and underscores.
_USUAL = {
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
_PEOPLE = ("name", "fullName", "full_name", "display_name", "displayName")
_LABELLED = re.compile(r"^\s*(?:[-*•]\s+|\d+[.)]\s+)?\**([A-Za-z][\w /-]{0,30}?)\**\s*:\**\s*(.*)$")
_NOTHING = re.compile(
    r"\b(?:no|0|zero) (?:\w+ ){0,3}?"
    r"(?:results?|matches|papers?|articles?|documents?|entries|hits)\b"
    r"|\bnothing (?:was )?found\b|\bnot find any\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:1[4-9]|20|21)\d\d")


def records_in(body: Mapping[str, Any], path: str) -> list[dict[str, Any]]:
    """The records in a CallToolResult. Raises TroubleError when it holds no such thing."""
    given = _given(body)
    if path:
        given = at(given, path)
        if given is None:
            raise unavailable(f"the answer has nothing at `results.records` ({path})")
    found = _list_in(given, _DEPTH)
    if found is None:
        raise _no_records(given)
    return [record for record in found if isinstance(record, dict)][:MOST_RECORDS]


def hit_of(record: Mapping[str, Any], entry: Entry, source: str) -> Hit | None:
    """Read a record; None when nothing in it says where the document is."""
    where = entry.results

    def value(field: str) -> Any:
        if path := getattr(where, field):
            return at(record, path)
        named = {_bare(name): each for name, each in record.items()}
        return next((named[name] for name in _USUAL[field] if named.get(name)), None)

    url, doi = web_of(value("url")), doi_of(value("doi")) or doi_of(value("url"))
    url = url or doi_page(doi)
    if not url:
        return None
    return Hit(
        source=source,
        source_type=entry.source_type,
        url=url,
        title=plain(value("title")) or url,
        snippet=_prose(value("text")),
        authors=_people(value("authors")),
        published=_day(value("date")),
        doi=doi,
        citations=count_of(_number(value("citations"))),
        figures=tuple(_figures(record)) if entry.content_type == "structured_data" else (),
    )


def _figures(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The numbers in a record, each by its name."""
    for name, value in record.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield plain(str(name).replace("_", " ")), f"{value:,}"


def at(value: Any, path: str) -> Any:
    """What is at `a.b.0` in nested objects and lists; names are compared without case and signs."""
    for step in path.split("."):
        if isinstance(value, dict):
            named = {_bare(name): each for name, each in value.items()}
            value = value.get(step, named.get(_bare(step)))
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def error_in(body: Mapping[str, Any]) -> str:
    """What a result that is an error says of itself, in one line."""
    texts = [plain(each.get("text")) for each in _blocks(body)]
    return " ".join(filter(None, texts))[:200] or "no reason given"


def _given(body: Mapping[str, Any]) -> Any:
    """The value that the tool returned."""
    structured = body.get("structuredContent")
    if isinstance(structured, dict) and list(structured) == ["result"]:
        structured = structured["result"]  # how SDKs wrap what is no object
    if isinstance(structured, str):
        return _read(structured)
    if structured is not None:
        return structured
    pieces = [_read_block(block) for block in _blocks(body)]
    pieces = [piece for piece in pieces if piece not in (None, "")]
    if len(pieces) == 1:
        return pieces[0]
    if pieces and not any(isinstance(piece, str) for piece in pieces):
        return [one for piece in pieces for one in (piece if isinstance(piece, list) else [piece])]
    whole = "\n\n".join(str(block.get("text") or "") for block in _blocks(body))
    return _read(whole) if whole.strip() else []


def _blocks(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    blocks = body.get("content")
    return [each for each in blocks if isinstance(each, dict)] if isinstance(blocks, list) else []


def _read_block(block: Mapping[str, Any]) -> Any:
    match block.get("type"):
        case "text":
            return _read(str(block.get("text") or ""))
        case "resource_link":
            shown = block.get("title") or block.get("name")
            return {"title": shown, "url": block.get("uri"), "text": block.get("description")}
        case "resource":
            inner = block.get("resource")
            held = inner if isinstance(inner, dict) else {}
            return {"url": held.get("uri"), "text": held.get("text")}
        case _:
            return None


def _read(text: str) -> Any:
    """JSON, or records of labelled lines, or the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return list(_labelled(text)) or text


def _labelled(text: str) -> Iterator[dict[str, str]]:
    """Records such as `Title: …`, `URL: …`, each begun by a label that the last one has already."""
    record: dict[str, str] = {}
    last = ""
    for line in text.split("\n"):
        found = _LABELLED.match(line)
        if found and not found[2].startswith("//"):
            last = _bare(found[1])
            if last in record:
                yield from _whole(record)
                record = {}
            record[last] = found[2].strip()
        elif last and line.strip():
            record[last] = f"{record[last]}\n{line.strip()}".strip()
    yield from _whole(record)


def _whole(record: dict[str, str]) -> Iterator[dict[str, str]]:
    """A record, if anything in it leads somewhere; other lines with a colon are only prose."""
    if any(web_of(value) or doi_of(value) for value in record.values()):
        yield record


def _list_in(value: Any, depth: int) -> list[Any] | None:
    """The first list of objects, or an empty one; one object that leads somewhere is a list."""
    if isinstance(value, list):
        return value if not value or any(isinstance(each, dict) for each in value) else None
    if not isinstance(value, dict) or depth == 0:
        return None
    found = [_list_in(each, depth - 1) for each in value.values()]
    filled = next((each for each in found if each), None)
    if filled is not None and not _leads(value):
        return filled
    if _leads(value):
        return [value]
    return next((each for each in found if each is not None), None)


def _leads(value: Mapping[str, Any]) -> bool:
    named = {_bare(name): each for name, each in value.items()}
    return any(web_of(named.get(name)) for name in _USUAL["url"]) or bool(doi_of(named.get("doi")))


def _no_records(given: Any) -> TroubleError:
    if isinstance(given, dict) and (error := given.get("error") or given.get("errors")):
        return unavailable(f"reports an error: {plain(str(error))[:200]}")
    return unavailable("the answer holds no records; `results` in sources.yaml says where they are")


def says_nothing_found(body: Mapping[str, Any]) -> bool:
    """Whether a tool answered in words that there is nothing."""
    given = _given(body)
    return isinstance(given, str) and len(given) < 300 and _NOTHING.search(given) is not None


def _bare(name: object) -> str:
    return "".join(each for each in str(name).casefold() if each.isalnum())


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
    if isinstance(value, str) and len(value) < _LONGEST_NUMBER and value.isascii():
        return int(value) if value.isdigit() else value
    return value
