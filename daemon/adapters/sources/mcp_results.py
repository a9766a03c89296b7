"""The result of an MCP tool, read as records: structured data, JSON in text, or labelled lines."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from daemon.adapters.sources.mapping import records_at
from daemon.adapters.sources.paths import bare
from daemon.adapters.sources.record import doi_of, web_of
from daemon.adapters.sources.reply import plain

_LABELLED = re.compile(r"^\s*(?:[-*•]\s+|\d+[.)]\s+)?\**([A-Za-z][\w /-]{0,30}?)\**\s*:\**\s*(.*)$")
_NOTHING = re.compile(
    r"\b(?:no|0|zero) (?:\w+ ){0,3}?"
    r"(?:results?|matches|papers?|articles?|documents?|entries|hits)\b"
    r"|\bnothing (?:was )?found\b|\bnot find any\b",
    re.IGNORECASE,
)


def records_in(body: Mapping[str, Any], path: str) -> list[dict[str, Any]]:
    """The records in a CallToolResult. Raises TroubleError when it holds no such thing."""
    return records_at(_structured(body), path)


def error_in(body: Mapping[str, Any]) -> str:
    """Return the error message of a failed result, on one line."""
    texts = [plain(each.get("text")) for each in _blocks(body)]
    return " ".join(filter(None, texts))[:200] or "no reason given"


def _structured(body: Mapping[str, Any]) -> Any:
    """Return the tool's value."""
    structured = body.get("structuredContent")
    if isinstance(structured, dict) and list(structured) == ["result"]:
        structured = structured["result"]  # how SDKs wrap a value that is not an object
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
    """Return JSON, or records of labelled lines, or the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return list(_labelled(text)) or text


def _labelled(text: str) -> Iterator[dict[str, str]]:
    """Return records such as `Title: …`, `URL: …`; a repeated label starts a new record."""
    record: dict[str, str] = {}
    last = ""
    for line in text.split("\n"):
        found = _LABELLED.match(line)
        if found and not found[2].startswith("//"):
            last = bare(found[1])
            if last in record:
                yield from _whole(record)
                record = {}
            record[last] = found[2].strip()
        elif last and line.strip():
            record[last] = f"{record[last]}\n{line.strip()}".strip()
    yield from _whole(record)


def _whole(record: dict[str, str]) -> Iterator[dict[str, str]]:
    """Return a record if it has an address; other lines with a colon are only prose."""
    if any(web_of(value) or doi_of(value) for value in record.values()):
        yield record


def says_nothing_found(body: Mapping[str, Any]) -> bool:
    """Return whether a tool answered in words that there are no results."""
    given = _structured(body)
    return isinstance(given, str) and len(given) < 300 and _NOTHING.search(given) is not None
