"""Read single values of an API's records without trusting them."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from html import unescape
from typing import Any
from urllib.parse import quote

from daemon.adapters.sources.reply import plain
from daemon.research.identifiers import doi_in

_MAX_CITATIONS = 10**9  # no work has as many; a number of 4,000 digits is an attack
_IN_DOI = "/:;()+,@!$&*=~"
_ISO = re.compile(r"(?:1[4-9]|20|21)\d{2}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")
_ADDRESS = re.compile(r"https?://\S{1,4096}")
_ARXIV = re.compile(r"10\.48550/arxiv\.(\S+)", re.IGNORECASE)


def doi_of(value: object) -> str:
    """Return the DOI in `https://doi.org/10.1/X`, `doi:10.1/x` or a sentence; lower-case, or ""."""
    return doi_in(unescape(value)).lower() if isinstance(value, str) else ""


def doi_page(doi: str) -> str:
    """Return the address of a DOI, with "<", ">" and the like encoded; "" without one."""
    return f"https://doi.org/{quote(doi, safe=_IN_DOI)}" if doi else ""


def doi_path(doi: str) -> str:
    """Return a DOI as a path segment of an API, where ";" would end the segment."""
    return quote(doi, safe="/:()")


def address_in(question: str) -> str:
    """Return the first web address in a query, or ""."""
    found = _ADDRESS.search(question)
    return found[0] if found else ""


def arxiv_of(doi: str) -> str:
    """Return the arXiv identifier of an arXiv DOI from DataCite, or ""."""
    found = _ARXIV.fullmatch(doi)
    return found[1] if found else ""


def day_of(value: object) -> str:
    """Return the date at the beginning of an ISO 8601 text or in a Unix time, or ""."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return datetime.fromtimestamp(value, UTC).date().isoformat() if 0 < value < 4e9 else ""
    found = _ISO.match(value.strip()) if isinstance(value, str) else None
    return found[0] if found else ""


def day_of_parts(parts: object) -> str:
    """Return an ISO 8601 date from `[2023, 5, 1]`, `[2023, 5]` or `[2023]`, or ""."""
    numbers = [each for each in parts if isinstance(each, int)] if isinstance(parts, list) else []
    if not numbers:
        return ""
    return day_of("-".join([f"{numbers[0]:04d}", *(f"{each:02d}" for each in numbers[1:3])]))


def count_of(value: object) -> int | None:
    """Return a number of citations; None if unknown."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < _MAX_CITATIONS else None


def web_of(*values: object) -> str:
    """Return the first of `values` that is a web address, or ""."""
    for value in values:
        if isinstance(value, str) and value.strip().startswith(("http://", "https://")):
            return value.strip()
    return ""


def names_of(people: object, *keys: str) -> tuple[str, ...]:
    """Return the names of a list of people, each the first of `keys` that it has, or plain text."""
    listed = people if isinstance(people, list | tuple) else [people]
    names = (plain(_named(one, keys) if isinstance(one, dict) else one) for one in listed)
    return tuple(dict.fromkeys(name for name in names if name))


def text_of(value: object) -> str:
    """Return plain text with its lines, from a value that may contain tags or be no text."""
    lines = value.splitlines() if isinstance(value, str) else ()
    return "\n".join(filter(None, map(plain, lines)))


def under(record: object, *path: str) -> Any:
    """Return the value at `path` in nested objects, or None."""
    for key in path:
        record = record.get(key) if isinstance(record, dict) else None
    return record


def first(values: object) -> Any:
    """Return the first of a list, or the value itself; None if there is none."""
    if isinstance(values, list):
        return values[0] if values else None
    return values


def _named(person: dict[str, Any], keys: Iterable[str]) -> object:
    return next((person[key] for key in keys if person.get(key)), "")
