"""Read and change single properties in a note's text, leaving every other byte alone. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

import yaml

from vault_adapters.yaml_core import load_yaml

_OPEN = re.compile(r"\A\ufeff?---[ \t]*\r?\n")
_CLOSE = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_CONTINUED = re.compile(r"(?:[ \t]+\S|-[ \t]).*|[ \t]*")
_MAX_PROPERTY_LENGTH = 10_000  # characters of one property that are read


@dataclass(frozen=True, slots=True)
class _Span:
    """A range of the text: `text[start:end]`."""

    start: int
    end: int


def body_start(text: str) -> int:
    """Return the offset at which the body begins; 0 if there are no properties."""
    block = _block(text)
    closed = None if block is None else _CLOSE.match(text, block.end)
    return 0 if closed is None else closed.end()


def read_property(text: str, key: str) -> Any:
    """Return a top-level property that is one value or a flat list of values, else None.

    Reads this property's own lines only, so that an error elsewhere does not hide it.
    """
    span = _find(text, key)
    if span is None or span.end - span.start > _MAX_PROPERTY_LENGTH:
        return None
    try:
        value, _ = load_yaml(text[span.start : span.end])
    except yaml.YAMLError:
        return None
    found = value.get(key) if isinstance(value, dict) else None
    values = found if isinstance(found, list) else [found]
    return None if any(isinstance(value, dict | list) for value in values) else found


def set_property(text: str, key: str, scalar: str) -> str:
    """Return `text` with the property `key` set to a YAML scalar (one line, quoted as needed).

    An existing property keeps its place, a new one becomes the last. A note without properties is
    returned unchanged.
    """
    block = _block(text)
    if block is None:
        return text
    newline = "\r\n" if text[: block.start].endswith("\r\n") else "\n"
    line = f"{key}: {scalar}{newline}"
    span = _find(text, key) or _Span(block.end, block.end)
    return text[: span.start] + line + text[span.end :]


def stamp(at: datetime, tz: tzinfo) -> str:
    """Write a time as a property: local, to the second, without an offset.

    Editors' date pickers, Bases and Dataview read this form and take it for local time.
    """
    return at.astimezone(tz).strftime("%Y-%m-%dT%H:%M:%S")


def read_stamp(value: Any, tz: tzinfo) -> datetime | None:
    """Read what `stamp` wrote, or a time with an offset; None for anything else."""
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=tz)


def _block(text: str) -> _Span | None:
    """Find what stands between the two fences."""
    opened = _OPEN.match(text)
    closed = None if opened is None else _CLOSE.search(text, opened.end())
    if opened is None or closed is None:
        return None
    return _Span(opened.end(), closed.start())


def _find(text: str, key: str) -> _Span | None:
    """Find a property: its own line and those that continue its value."""
    block = _block(text)
    if block is None:
        return None
    named = re.compile(rf"(['\"]?){re.escape(key)}\1[ \t]*:(?:[ \t\r\n]|\Z)")
    start: int | None = None
    end = at = block.start
    for line in _lines(text[block.start : block.end]):
        if start is None:
            start = at if named.match(line) else None
        elif not _CONTINUED.fullmatch(line.rstrip("\r\n")):
            break
        at += len(line)
        end = at if line.strip() else end  # blank lines after a value are not part of it
    return None if start is None else _Span(start, end)


def _lines(text: str) -> list[str]:
    """Split at line feeds only, as YAML and editors do."""
    return [line for line in re.split(r"(?<=\n)", text) if line]
