"""What notes keep of others: the day on which a saved page was published. Pure."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

_OF_OTHERS = frozenset({"source", "url", "link", "canonical", "origin"})  # properties of a clip
_DAYS = ("published", "datepublished", "date_published", "publishdate", "date")
_ISO = re.compile(r"^\s*(?P<day>\d{4}-\d\d(?:-\d\d)?)")
_IN_ADDRESS = re.compile(
    r"/(?P<year>(?:19|20)\d\d)[/-](?P<month>[01]?\d|[a-z]{3})(?:[/-](?P<day>[0-3]?\d))?(?=[/-])",
    re.IGNORECASE,
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905


def day_of_clip(properties: Mapping[str, Any]) -> str:
    """Return when the page that a note keeps was published (ISO 8601, a day or a month), or ""."""
    lower = {str(name).casefold(): value for name, value in properties.items()}
    address = next((str(lower[each]) for each in _OF_OTHERS if lower.get(each)), "")
    if not address:
        return ""
    for name in _DAYS:
        value = lower.get(name)
        if isinstance(value, date | datetime):
            return f"{value:%Y-%m-%d}"
        if isinstance(value, str) and (found := _ISO.match(value)):
            return found["day"]
    return _in_address(address)


def _in_address(address: str) -> str:
    found = _IN_ADDRESS.search(address)
    if found is None:
        return ""
    month = found["month"].casefold()
    number = _MONTHS.index(month) + 1 if month in _MONTHS else int(month) if month.isdigit() else 0
    day = int(found["day"] or 0)
    if not 1 <= number <= 12:
        return ""
    return f"{found['year']}-{number:02}" + (f"-{day:02}" if 1 <= day <= 31 else "")
